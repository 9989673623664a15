//===- Kernels.cpp - ge-c/Kernels.h: registering, finding and inferring -----------------------===//

#include "Ops.h"

#include "ge-c/Kernels.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Run/Call/Call.h"

#include <atomic>

using namespace ge;
using namespace ge::capi;

/// A counted handle for C on a kernel that the core counts.
struct GeKernelStorage {
  KernelRef kernel;
  mutable std::atomic<int64_t> refs{1};
};

namespace {

GeKernel giveKernel(KernelRef &&kernel) {
  return kernel ? new GeKernelStorage{std::move(kernel)} : nullptr;
}

/// The part of a type that has no 16-byte value; null if there is none.
const SchemaType *withoutValue(const SchemaType *type) {
  if (type->is(SchemaAtom::Complex) || type->is(SchemaAtom::Generator) ||
      type->kind() == SchemaTypeKind::Dict)
    return type;
  for (const SchemaType *element : type->elements())
    if (const SchemaType *found = withoutValue(element))
      return found;
  return nullptr;
}

/// Throws if the operator is defined and has parameters that kernels in C cannot get.
void needValues(const GeLibrary &library, const KernelSpec &spec) {
  std::string op =
      spec.op.find("::") == std::string::npos ? cat(library.library->ns(), "::", spec.op) : spec.op;
  Registry &registry = *library.registry->registry;
  size_t colons = op.find("::"), dot = op.find('.', colons);
  std::string name = op.substr(colons + 2, dot == std::string::npos ? dot : dot - colons - 2);
  OpDefRef def =
      registry.find(op.substr(0, colons), name, dot == std::string::npos ? "" : op.substr(dot + 1),
                    Registry::kNewest);
  for (const Param &param : def ? std::span<const Param>(def->params) : std::span<const Param>())
    if (const SchemaType *found = withoutValue(param.type))
      throwError(ErrorKind::OpSchema, op, ": kernels in C take no ", found->str(), " ('",
                 param.name, "'); ", spec.source.str(), " registers one");
}

} // namespace

GeStatus geLibraryImpl(GeLibrary *library, const GeKernelSpec *spec, GeKernel *out) {
  return guarded([&] {
    GeKernelSpec given = sized(spec, "GeKernelSpec");
    KernelSpec own;
    own.self = given.self;
    own.release = given.release;
    own.function = reinterpret_cast<KernelFunction>(given.function);
    own.flags = given.flags;
    own.overrides = given.overrides;
    try {
      if (!library)
        throwNull("library");
      own.op = text(given.op, "op");
      own.backend = text(given.backend, "backend");
      std::string_view file = text(given.file, "file");
      own.source = {std::string(file.empty() ? "<unknown>" : file), file.empty() ? 0 : given.line};
    } catch (...) {
      if (own.release)
        own.release(own.self);
      throw;
    }
    try {
      if (!(own.flags & GE_KERNEL_FOREIGN)) {
        if (own.backend == kDecompositionRank)
          throwError(ErrorKind::Value, "'", own.backend,
                     "' is for functions that build a graph, which are no kernels");
        needValues(*library, own);
      }
    } catch (...) {
      if (own.release)
        own.release(own.self);
      throw;
    }
    KernelRef kernel = library->library->impl(std::move(own));
    if (kernel->flags() & GE_KERNEL_TVM_FFI)
      findTvmFfi();
    if (out)
      *out = giveKernel(std::move(kernel));
  });
}

GeStatus geKernelFind(GeRegistry *registry, GeStringRef op, GeStringRef backend, GeKernel *out) {
  return guarded([&] {
    GeKernel &found = result(out);
    found = giveKernel(registryOf(registry).findKernel(text(op, "op"), text(backend, "backend")));
  });
}

GeStatus geKernelRequire(GeRegistry *registry, GeStringRef op, GeStringRef backend, GeKernel *out) {
  return guarded([&] {
    GeKernel &found = result(out);
    Registry &r = registryOf(registry);
    std::string_view name = text(op, "op"), word = text(backend, "backend");
    KernelRef kernel = r.findKernel(name, word);
    if (!kernel)
      kernel = r.findKernel(name, "any");
    if (!kernel)
      throwError(ErrorKind::NotImplemented, missingKernel(name, word, r.kernels(name)));
    found = giveKernel(std::move(kernel));
  });
}

GeStatus geKernelList(GeRegistry *registry, GeStringRef op, GeKernel *out, size_t capacity,
                      size_t *count) {
  return guarded([&] {
    size_t &all = result(count, "count");
    needArray(out, capacity, "out");
    std::vector<KernelRef> kernels = registryOf(registry).kernels(text(op, "op"));
    all = kernels.size();
    for (size_t i = 0; i < kernels.size() && i < capacity; ++i)
      out[i] = giveKernel(std::move(kernels[i]));
  });
}

void geKernelRetain(GeKernel kernel) {
  if (kernel)
    kernel->refs.fetch_add(1, std::memory_order_relaxed);
}
void geKernelRelease(GeKernel kernel) {
  if (kernel && kernel->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete kernel;
}

GeStatus geKernelGetInfo(GeKernel kernel, GeKernelInfo *out) {
  return guarded([&] {
    if (!kernel)
      throwNull("kernel");
    const Kernel &k = *kernel->kernel;
    GeKernelInfo info{};
    info.op = stringRef(k.op());
    info.backend = stringRef(k.backend());
    info.file = stringRef(k.source().file);
    info.line = k.source().line;
    info.flags = k.flags();
    info.function = reinterpret_cast<GeKernelFn>(k.function());
    info.self = k.self();
    giveSized(info, out, "GeKernelInfo");
  });
}

GeStatus geKernelCall(GeKernel kernel, const GeAny *args, size_t numArgs, GeAny *out) {
  return guarded([&] {
    GeAny &given = result(out, "result");
    if (!kernel)
      throwNull("kernel");
    needArray(args, numArgs, "args");
    if (numArgs > INT32_MAX)
      throwError(ErrorKind::Overflow, "a kernel takes at most ", INT32_MAX, " arguments");
    KernelRef pinned = kernel->kernel; // the caller may release its handle during the call
    std::string fault = callKernel(*pinned, {args, numArgs}, given);
    if (!fault.empty())
      throwError(ErrorKind::General, pinned->op(), ": kernel ", pinned->backend(), " (",
                 pinned->source().str(), ") ", fault);
  });
}

GeStatus geKernelBackends(GeStringCallback callback, void *userData) {
  return guarded([&] {
    if (!callback)
      throwNull("callback");
    for (std::string_view word : backendWords())
      give(word, callback, userData);
  });
}

GeStringRef geKernelBackendOfDevice(int32_t deviceType) {
  return stringRef(backendOfDevice(deviceType));
}

GeStatus geOpInferTypes(GeOpDef op, GeContext *context, uint32_t opset, const GeType *operandTypes,
                        size_t numOperands, const GeNamedAttribute *attributes,
                        size_t numAttributes, GeType *results, size_t numResults, bool *known) {
  return geOpInferTypesWithSegments(op, context, opset, operandTypes, numOperands, nullptr, 0,
                                    attributes, numAttributes, results, numResults, known);
}

GeStatus geOpInferTypesWithSegments(GeOpDef op, GeContext *context, uint32_t opset,
                                    const GeType *operandTypes, size_t numOperands,
                                    const int32_t *operandSegments, size_t numOperandSegments,
                                    const GeNamedAttribute *attributes, size_t numAttributes,
                                    GeType *results, size_t numResults, bool *known) {
  return interruptible(context, [&] {
    bool &answered = result(known, "known");
    const OpDef *def = need(op, "op");
    Context &owner = need(context);
    needArray(operandTypes, numOperands, "operandTypes");
    needArray(operandSegments, numOperandSegments, "operandSegments");
    std::span<const int32_t> segments(operandSegments, numOperandSegments);
    checkSegments(segments, numOperands, "operand");
    needArray(attributes, numAttributes, "attributes");
    needArray(results, numResults, "results");
    std::vector<const Type *> types;
    for (size_t i = 0; i < numOperands; ++i)
      types.push_back(nullOrIn(owner, operandTypes[i], "operandTypes"));
    for (size_t i = 0; i < numAttributes; ++i) {
      needIn(owner, attributes[i].name, "attributes");
      needIn(owner, attributes[i].value, "attributes");
    }
    std::string full = cat(def->ns, '.', def->name);
    InferArgs args;
    args.context = &owner;
    args.op = owner.operatorName(full);
    args.def = def;
    args.opset = opset;
    args.operands = types;
    args.attributes = {reinterpret_cast<const NamedAttribute *>(attributes), numAttributes};
    args.operandSegments = segments;
    args.checksElementTypes = true;
    std::vector<const Type *> found(numResults);
    InferOutcome outcome = infer(args, found);
    if (outcome.status == InferStatus::Failed)
      throwError(ErrorKind::Verify, def->qualifiedName(), ": ", outcome.message);
    answered = outcome.status == InferStatus::Inferred;
    for (size_t i = 0; i < numResults; ++i)
      results[i] = wrap(found[i]);
  });
}
