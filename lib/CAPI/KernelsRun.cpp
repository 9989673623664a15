//===- KernelsRun.cpp - ge-c/Kernels.h: operators and graphs that run on tensors ----------------===//
#include "KernelsRun.h"

#include "KernelArguments.h"
#include "Ops.h"

#include "ge-c/Kernels.h"
#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Schema/Effects.h"

#include <algorithm>
#include <optional>

using namespace ge;
using namespace ge::capi;

namespace {

constexpr int kMostCalls = 1000; ///< of this thread inside one another

std::string shown(const OpCall &call) {
  std::string name = call.def ? call.def->qualifiedName() : std::string(call.op->str());
  return call.nodeName.empty() ? name : cat("node '", call.nodeName, "' (", name, ")");
}

/// Which results are operands that the kernel writes, and which it makes.
struct ResultPlan {
  std::vector<std::optional<uint32_t>> owners; ///< by result: the parameter that it is
  std::vector<size_t> fresh;                   ///< the others

  explicit ResultPlan(const OpDef &def) : owners(def.results.size()) {
    for (size_t i = 0; i < def.results.size(); ++i) {
      for (uint32_t index : def.operands())
        if (!owners[i] && isSame(def.params[index], def.results[i]))
          owners[i] = index;
      if (!owners[i])
        fresh.push_back(i);
    }
  }

private:
  static bool isSame(const Param &param, const Result &result) {
    if (!param.alias || !result.alias || param.isVariadic() || !isWrite(*param.alias))
      return false;
    const std::vector<std::string> &names = result.alias->before;
    return std::ranges::any_of(names, [&](const std::string &name) {
      return name == "*" ||
             std::ranges::find(param.alias->before, name) != param.alias->before.end();
    });
  }
};

class KernelRun {
public:
  KernelRun(const OpCall &call, const Kernel &kernel)
      : call_(call), kernel_(kernel), isOut_((kernel.flags() & GE_KERNEL_OUT) != 0),
        arguments_((kernel.flags() & (GE_KERNEL_TVM_FFI | GE_KERNEL_KEEPS | GE_KERNEL_FOREIGN)) !=
                   0) {}

  void run(std::span<const CallArg> bound, std::span<const Type *const> types,
           std::span<TensorPtr> results) {
    ResultPlan plan(*call_.def);
    // Of a varret operator, what the schema does not list is the kernel's.
    for (size_t i = plan.owners.size(); i < results.size(); ++i)
      plan.fresh.push_back(i);
    plan.owners.resize(results.size());
    std::vector<GeObject *> copies = gather(bound);
    std::vector<GeObject *> buffers;
    struct Release {
      std::vector<GeObject *> &all;
      ~Release() {
        for (GeObject *one : all)
          if (one)
            geObjectRelease(one);
      }
    } guard{buffers};
    for (size_t i : isOut_ ? plan.fresh : std::vector<size_t>()) {
      if (!types[i] || !types[i]->isTensor() || types[i]->numElements() < 0)
        fail("writes into arrays of the caller, and inference does not say the type of result ", i);
      buffers.push_back(arguments_.addBuffer(types[i]));
    }
    KernelResult given(kernel_);
    invoke(given.value);
    for (size_t k = 0; k < buffers.size(); ++k)
      results[plan.fresh[k]] = tensorOf(call_.context, std::exchange(buffers[k], nullptr));
    if (!isOut_)
      take(given.value, plan, results);
    for (size_t i = 0; i < results.size(); ++i)
      if (GeObject *copy = plan.owners[i] ? copies[*plan.owners[i]] : nullptr) {
        __atomic_fetch_add(&copy->refs, 1, __ATOMIC_RELAXED);
        results[i] = tensorOf(call_.context, copy);
      }
    for (size_t i = 0; i < results.size(); ++i)
      if (types[i] && results[i] && !meetTypes(types[i], results[i]->type()))
        fail("gave ", text(results[i]->type()), " for result ", i, ", inference says ",
             text(types[i]));
  }

private:
  static std::string text(const Type *type) {
    std::string out;
    type->print(out);
    return out;
  }
  template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) const {
    throwError(ErrorKind::General, shown(call_), ": kernel ", kernel_.backend(), " (",
               kernel_.source().str(), ") ", parts...);
  }

  /// By parameter, the copy that the kernel writes.
  std::vector<GeObject *> gather(std::span<const CallArg> bound) {
    const OpDef &def = *call_.def;
    std::vector<GeObject *> copies(def.params.size());
    for (size_t i = 0; i < def.params.size(); ++i) {
      const Param &param = def.params[i];
      if (param.isOperand())
        copies[i] =
            arguments_.addTensors(bound[i].tensors, param, param.alias && isWrite(*param.alias));
      else if (bound[i].attribute)
        arguments_.add(bound[i].attribute, param.type);
      else if (param.defaultValue)
        arguments_.add(param.defaultValue->value, param.type);
      else
        arguments_.add(Constant(), param.type); // None, which its type takes
    }
    if (bound.size() > def.params.size())
      for (const Tensor *one : bound.back().tensors)
        arguments_.addTensor(one);
    return copies;
  }

  void invoke(GeAny &result) {
    std::string fault = callFromHere(kernel_, arguments_.list, result);
    if (!fault.empty())
      fail(fault);
  }

  /// What a kernel gives: one tensor, or an array of the results that it makes, or of all.
  void take(GeAny &given, const ResultPlan &plan, std::span<TensorPtr> results) {
    const std::vector<size_t> &fresh = plan.fresh;
    if (given.tag >= 64 && !geAnyIsObject(&given))
      fail("gave a value of tag ", given.tag, ", which is no result");
    if (fresh.empty()) {
      if (given.tag != GE_ANY_NONE && results.empty())
        fail("gave a value of tag ", given.tag, ", the schema has no results");
      return;
    }
    if (fresh.size() == 1 && given.tag == GE_ANY_TENSOR_OBJECT) {
      results[fresh[0]] = taken(std::exchange(given, GeAny{}).o, fresh[0]);
      return;
    }
    if (given.tag != GE_ANY_ARRAY_OBJECT)
      fail("gave a value of tag ", given.tag, ", the schema has ", results.size(),
           " results that are tensors");
    auto &array = *reinterpret_cast<GeArrayObject *>(given.o);
    bool isAll = size_t(array.size) == results.size();
    if (!isAll && size_t(array.size) != fresh.size())
      fail("gave ", array.size, " results, the schema has ", results.size());
    for (size_t k = 0; k < fresh.size(); ++k) {
      const GeAny &item = array.items[isAll ? fresh[k] : k];
      if (item.tag != GE_ANY_TENSOR_OBJECT || !geAnyIsObject(&item))
        fail("gave a value of tag ", item.tag, " for result ", fresh[k], ", which is a tensor");
      __atomic_fetch_add(&item.o->refs, 1, __ATOMIC_RELAXED);
      results[fresh[k]] = taken(item.o, fresh[k]);
    }
  }

  /// A result, over the object whose reference it takes over.
  TensorPtr taken(GeObject *object, size_t index) {
    const DLTensor &t = reinterpret_cast<GeTensorObject *>(object)->tensor;
    std::string shape;
    for (int32_t i = 0; t.shape && i < std::min(t.ndim, 64); ++i)
      shape += cat(i ? ", " : "", t.shape[i]);
    try {
      return tensorOf(call_.context, object);
    } catch (const Error &error) {
      fail("gave a tensor of shape [", shape, "] for result ", index, ": ", error.what());
    }
  }

  const OpCall &call_;
  const Kernel &kernel_;
  bool isOut_;
  KernelArguments arguments_;
};

/// Types of results that inference knows; null: unknown.
std::vector<const Type *> typesOf(const OpCall &call, size_t numResults) {
  std::vector<const Type *> operands, results(numResults);
  for (const Tensor *operand : call.operands)
    operands.push_back(operand ? operand->type() : nullptr);
  while (!operands.empty() && !operands.back())
    operands.pop_back();
  InferArgs args;
  args.context = &call.context;
  args.op = call.op;
  args.def = call.def;
  args.opset = call.opset;
  args.operands = operands;
  args.attributes = call.attributes;
  InferOutcome outcome = infer(args, results);
  if (outcome.status == InferStatus::Failed)
    throwError(ErrorKind::Verify, shown(call), ": ", outcome.message);
  for (const Type *&type : results)
    if (outcome.status != InferStatus::Inferred || !type || !type->isTensor())
      type = nullptr;
  return results;
}

} // namespace

namespace ge::capi {

std::string callFromHere(const Kernel &kernel, std::span<const GeAny> args, GeAny &result) {
  static thread_local int depth = 0;
  struct Depth {
    Depth() { ++depth; }
    ~Depth() { --depth; }
  } entered;
  if (depth > kMostCalls)
    return cat("calls itself, ", kMostCalls, " times");
  InterruptPause pause; // it may call anything
  return callKernel(kernel, args, result);
}

void runOp(const OpCall &call, std::span<TensorPtr> results) {
  Registry &registry = Registry::global();
  if (call.def) {
    std::string name = call.def->qualifiedName();
    KernelRef kernel = registry.findKernel(name, "cpu");
    if (!kernel)
      kernel = registry.findKernel(name, "any");
    if (kernel) {
      std::string where = call.nodeName.empty() ? std::string() : shown(call);
      std::vector<CallArg> bound = bindCall(*call.def, where, call.operands, call.attributes);
      std::vector<const Type *> types = typesOf(call, results.size());
      KernelRun(call, *kernel).run(bound, types, results);
      return;
    }
  }
  if (std::shared_ptr<Evaluator> installed = evaluator()) {
    if (nativeInference(*call.op))
      typesOf(call, results.size()); // evaluators crash on what inference refuses
    EvalCall asked;
    asked.context = &call.context;
    asked.op = call.op;
    asked.def = call.def;
    asked.opset = call.opset;
    asked.operands = call.operands;
    asked.attributes = call.attributes;
    asked.nodeName = call.nodeName;
    if (installed->evaluate(asked, results))
      return;
  }
  if (!call.def)
    throwError(ErrorKind::NotImplemented, shown(call), " is not registered, so nothing runs it");
  throwError(
      ErrorKind::NotImplemented, shown(call), ": ",
      missingKernel(call.def->qualifiedName(), "cpu", registry.kernels(call.def->qualifiedName())));
}

OpDefRef recordOf(const OperatorName *op, uint32_t opset) {
  Registry &registry = Registry::global();
  uint32_t newest = opset ? opset : Registry::kNewest;
  OpDefRef def = registry.find(op->domain(), op->type(), op->overload(), newest);
  // CANN's operators are of two namespaces.
  for (const char *ns : {"math", "nn"})
    if (!def && op->domain() == "ge")
      def = registry.find(ns, op->type(), op->overload(), newest);
  return def;
}

std::vector<const Tensor *> tensorsIn(Context &context, GeTensor *const *tensors, size_t count,
                                      const char *what) {
  needArray(tensors, count, what);
  std::vector<const Tensor *> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back(unwrap(tensors[i]));
    if (all.back() && &all.back()->type()->context() != &context)
      throwForeign(what);
  }
  return all;
}

} // namespace ge::capi

GeStatus geOpCall(GeOpDef op, GeContext *context, uint32_t opset, GeTensor *const *operands,
                  size_t numOperands, const GeNamedAttribute *attributes, size_t numAttributes,
                  GeTensor **results, size_t numResults) {
  return interruptible(context, [&] {
    const OpDef *def = need(op, "op");
    Context &owner = need(context);
    std::vector<const Tensor *> tensors = tensorsIn(owner, operands, numOperands, "operands");
    needArray(attributes, numAttributes, "attributes");
    needArray(results, numResults, "results");
    std::fill_n(results, numResults, nullptr);
    for (size_t i = 0; i < numAttributes; ++i) {
      needIn(owner, attributes[i].name, "attributes");
      needIn(owner, attributes[i].value, "attributes");
    }
    if (!def->varret && numResults != def->results.size())
      throwError(ErrorKind::Value, def->qualifiedName(), " has ", def->results.size(),
                 " results, not ", numResults);
    OpDefRef held = OpDefRef(def);
    const OperatorName *name = owner.operatorName(def->ns, def->name, def->overload);
    std::vector<TensorPtr> made(numResults);
    runOp({owner,
           name,
           def,
           opset,
           tensors,
           {reinterpret_cast<const NamedAttribute *>(attributes), numAttributes},
           {}},
          made);
    for (size_t i = 0; i < numResults; ++i)
      results[i] = wrap(made[i].take());
  });
}
