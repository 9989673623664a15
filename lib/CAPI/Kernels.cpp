//===- Kernels.cpp - ge-c/Kernels.h: registering, finding and inferring -----------------------===//

#include "KernelsRun.h"
#include "Ops.h"

#include "ge-c/Kernels.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Schema/OpSegments.h"

#include <atomic>
#include <optional>
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

using namespace ge;
using namespace ge::capi;

// A kernel gets the core's own values.
static_assert(sizeof(GeAny) == sizeof(KernelValue) && sizeof(GeAny) == 16);
static_assert(offsetof(GeAny, small) == offsetof(KernelValue, small));
static_assert(offsetof(GeAny, i) == offsetof(KernelValue, integer));

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

/// tvm-ffi's runtime has one slot per thread for the error of a failed function,
using MoveRaised = void (*)(GeObject **);
std::atomic<MoveRaised> moveRaised{nullptr};
/// and one for the allocator of tensors that a function creates.
using SetError = void (*)(void *, const char *kind, const char *message);
using Allocator = int (*)(DLTensor *like, DLManagedTensorVersioned **out, void *, SetError);
std::atomic<Allocator (*)()> getAllocator{nullptr};
std::atomic<int (*)(Allocator, int isGlobal, Allocator *before)> setAllocator{nullptr};

template <typename F> void findSymbol(std::atomic<F> &out, const char *name) {
#if !defined(_WIN32)
  if (!out.load(std::memory_order_relaxed))
    out = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
#endif
}

void findTvmFfi() {
  findSymbol(moveRaised, "TVMFFIErrorMoveFromRaised");
  findSymbol(getAllocator, "TVMFFIEnvGetDLPackManagedTensorAllocator");
  findSymbol(setAllocator, "TVMFFIEnvSetDLPackManagedTensorAllocator");
}

/// Allocates memory of the CPU, for callers without an allocator of a framework.
int allocate(DLTensor *like, DLManagedTensorVersioned **out, void *context, SetError setError) {
  constexpr int32_t kCpu = 1;
  try {
    if (like->device.device_type != kCpu)
      throwError(ErrorKind::Value, "no framework allocates on this device; pass its tensors");
    auto *object = reinterpret_cast<GeTensorObject *>(
        newTensorObject(like->dtype, {like->shape, size_t(like->ndim)},
                        bytesOf(like->dtype, {like->shape, size_t(like->ndim)})));
    auto *managed = new DLManagedTensorVersioned{};
    managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed->manager_ctx = object;
    managed->deleter = [](DLManagedTensorVersioned *self) {
      geObjectRelease(static_cast<GeObject *>(self->manager_ctx));
      delete self;
    };
    managed->dl_tensor = object->tensor;
    *out = managed;
    return 0;
  } catch (const std::exception &error) {
    setError(context, "RuntimeError", error.what());
    return -1;
  }
}

/// While a function of tvm-ffi runs there is an allocator: the caller's, else the one above.
class AllocatorScope {
public:
  AllocatorScope() {
    auto *get = getAllocator.load(std::memory_order_relaxed);
    auto *set = setAllocator.load(std::memory_order_relaxed);
    isSet_ = get && set && !get() && set(allocate, 0, nullptr) == 0;
  }
  ~AllocatorScope() {
    if (isSet_)
      setAllocator.load(std::memory_order_relaxed)(nullptr, 0, nullptr);
  }
  AllocatorScope(const AllocatorScope &) = delete;
  AllocatorScope &operator=(const AllocatorScope &) = delete;

private:
  bool isSet_;
};

/// Takes that error out of the slot; empty if there is none.
std::string takeRaised() {
  struct ErrorObject {
    GeObject header;
    GeStringRef kind, message; // data and size, as there
  };
  GeObject *error = nullptr;
  if (MoveRaised move = moveRaised.load(std::memory_order_relaxed))
    move(&error);
  if (!error)
    return {};
  auto *e = reinterpret_cast<ErrorObject *>(error);
  std::string text = cat(std::string_view(e->kind.data, e->kind.length), ": ",
                         std::string_view(e->message.data, e->message.length));
  geObjectRelease(error);
  return text;
}

} // namespace

std::string ge::capi::callKernel(const Kernel &kernel, std::span<const GeAny> args, GeAny &result) {
  bool isTvmFfi = (kernel.flags() & GE_KERNEL_TVM_FFI) != 0;
  if (isTvmFfi)
    takeRaised(); // clears an error that an earlier caller did not take
  result = {};
  auto function = reinterpret_cast<GeKernelFn>(kernel.function());
  std::optional<AllocatorScope> allocator;
  if (isTvmFfi)
    allocator.emplace();
  if (function(kernel.self(), args.data(), int32_t(args.size()), &result) == 0)
    return {};
  std::string why;
  if (isTvmFfi) {
    findTvmFfi();
    why = takeRaised();
  } else if (result.tag == GE_ANY_STR && result.s) {
    why = result.s;
  }
  if (geAnyIsObject(&result))
    geObjectRelease(result.o);
  result = {};
  return why.empty() ? "failed without a message" : "failed: " + why;
}

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
