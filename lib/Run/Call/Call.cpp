//===- Call.cpp - one operator on tensors ------------------------------------------------------===//
#include "ge/Run/Call/Call.h"

#include "ge/IR/Context.h"
#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Schema/Effects.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Run/Call/KernelArguments.h"
#include "ge/Support/InterruptPause.h"

#include <algorithm>
#include <optional>

namespace ge {

namespace {

constexpr int kMostCalls = 1000; ///< nesting depth of calls on this thread

std::string shown(const OpCall &call) {
  std::string name = call.def ? call.def->qualifiedName() : std::string(call.op->str());
  return call.nodeName.empty() ? name : cat("node '", call.nodeName, "' (", name, ")");
}

class KernelRun {
public:
  KernelRun(const OpCall &call, const Kernel &kernel)
      : call_(call), kernel_(kernel), isOut_((kernel.flags() & GE_KERNEL_OUT) != 0),
        arguments_((kernel.flags() & (GE_KERNEL_TVM_FFI | GE_KERNEL_KEEPS | GE_KERNEL_FOREIGN)) !=
                   0) {}

  void run(const ResultPlan &plan, std::span<const CallArg> bound,
           std::span<const Type *const> types, std::span<TensorPtr> results) {
    std::vector<GeObject *> copies = gather(plan, bound);
    std::vector<GeObject *> buffers;
    struct Release {
      std::vector<GeObject *> &all;
      ~Release() {
        for (GeObject *one : all)
          if (one)
            geObjectRelease(one);
      }
    } guard{buffers};
    for (size_t i : isOut_ ? std::span(plan.fresh) : std::span<const size_t>()) {
      if (!types[i] || !types[i]->isTensor() || types[i]->numElements() < 0)
        fail("writes into arrays of the caller, and inference does not say the type of result ", i);
      buffers.push_back(arguments_.addBuffer(types[i]));
    }
    KernelResult given(kernel_);
    invoke(given.value);
    std::vector<GeObject *> owners(results.size());
    for (size_t i = 0; i < owners.size(); ++i)
      owners[i] = plan.owners[i] ? copies[*plan.owners[i]] : nullptr;
    if (std::string fault = writtenFault(given.value, owners); !fault.empty())
      fail(fault);
    for (size_t k = 0; k < buffers.size(); ++k) {
      size_t i = plan.fresh[k];
      results[i] = overBuffer(buffers[k], types[i]);
    }
    if (!isOut_)
      take(given.value, plan, results);
    for (size_t i = 0; i < results.size(); ++i)
      if (owners[i]) {
        geObjectRetain(owners[i]);
        results[i] = tensorOf(call_.context, owners[i]);
      }
    for (size_t i = 0; i < results.size(); ++i)
      if (types[i] && results[i] && !meetTypes(types[i], results[i]->type()))
        fail("gave ", text(results[i]->type()), " for result ", i, ", inference says ",
             text(types[i]));
  }

private:
  /// A tensor over a buffer of this run; takes the reference out of `buffer`.
  TensorPtr overBuffer(GeObject *&buffer, const Type *type) {
    if (type->format() || type->originFormat() || type->hasOriginShape())
      return tensorOf(call_.context, std::exchange(buffer, nullptr));
    const DLTensor &t = tensorIn(buffer);
    TensorPtr made = TensorPtr::adopt(Tensor::borrow(
        type, t.data, bytesOf(t.dtype, {t.shape, size_t(t.ndim)}),
        [](void *owner) { geObjectRelease(static_cast<GeObject *>(owner)); }, buffer));
    buffer = nullptr; // the tensor's now
    return made;
  }
  static std::string text(const Type *type) {
    std::string out;
    type->print(out);
    return out;
  }
  template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) const {
    throwError(ErrorKind::General, shown(call_), ": kernel ", kernel_.backend(), " (",
               kernel_.source().str(), ") ", parts...);
  }

  static bool lends(const ResultPlan &plan, size_t parameter) {
    return std::ranges::any_of(plan.lenders, [&](const std::vector<uint32_t> &all) {
      return std::ranges::find(all, parameter) != all.end();
    });
  }

  /// By parameter, the copy that the kernel writes.
  std::vector<GeObject *> gather(const ResultPlan &plan, std::span<const CallArg> bound) {
    const OpDef &def = *call_.def;
    std::vector<GeObject *> copies(def.params.size());
    for (size_t i = 0; i < def.params.size(); ++i) {
      const Param &param = def.params[i];
      if (param.isOperand())
        copies[i] = arguments_.addTensors(bound[i].tensors, param,
                                          param.alias && isWrite(*param.alias), lends(plan, i));
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

  void take(GeAny &given, const ResultPlan &plan, std::span<TensorPtr> results) {
    std::vector<RunValue> made(results.size());
    if (std::string fault = takeResults(given, plan.fresh, made); !fault.empty())
      fail(fault);
    for (size_t i : plan.fresh) {
      if (!made[i])
        continue;
      if (std::string fault =
              aliasFault(*call_.def, plan.lenders[i], arguments_.list, tensorIn(made[i].get()), i);
          !fault.empty())
        fail(fault);
      std::vector<GeAny> lenders;
      for (uint32_t parameter : plan.lenders[i])
        lenders.push_back(arguments_.list[parameter]);
      if (!lenders.empty())
        made[i] = heldWith(made[i], lenders);
      results[i] = taken(made[i].take(), i);
    }
  }

  /// A result, over the object whose reference it takes over.
  TensorPtr taken(GeObject *object, size_t index) {
    try {
      return tensorOf(call_.context, object);
    } catch (const Error &error) {
      fail("gave a result ", index, " that GE does not take: ", error.what());
    }
  }

  const OpCall &call_;
  const Kernel &kernel_;
  bool isOut_;
  KernelArguments arguments_;
};

} // namespace

std::vector<const Type *> typesByTypes(const OpCall &call, size_t numResults) {
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
  args.operandSegments = call.operandSegments;
  InferOutcome outcome = infer(args, results);
  if (outcome.status == InferStatus::Failed)
    throwError(ErrorKind::Verify, shown(call), ": ", outcome.message);
  for (const Type *&type : results)
    if (outcome.status != InferStatus::Inferred || !type || !type->isTensor())
      type = nullptr;
  return results;
}

void runKernel(const OpCall &call, const Kernel &kernel, const ResultPlan &plan,
               std::span<const CallArg> bound, std::span<const Type *const> types,
               std::span<TensorPtr> results) {
  KernelRun(call, kernel).run(plan, bound, types, results);
}

namespace {

/// All names of an alias set, including those of its elements.
void addNames(const AliasInfo &alias, std::vector<std::string> &names) {
  names.insert(names.end(), alias.before.begin(), alias.before.end());
  names.insert(names.end(), alias.after.begin(), alias.after.end());
  for (const AliasInfo &element : alias.contained)
    addNames(element, names);
}

bool isShared(const Param &param, const Result &result) {
  if (!result.alias)
    return false;
  std::vector<std::string> of, in;
  addNames(*result.alias, of);
  if (std::ranges::find(of, "*") != of.end())
    return true;
  if (param.alias)
    addNames(*param.alias, in);
  return std::ranges::any_of(
      in, [&](const std::string &name) { return std::ranges::find(of, name) != of.end(); });
}

/// Whether the result is the operand itself.
bool isSame(const Param &param, const Result &result) {
  if (!param.alias || !result.alias || param.isVariadic() || !isWrite(*param.alias))
    return false;
  return std::ranges::any_of(result.alias->before, [&](const std::string &name) {
    return name == "*" || std::ranges::find(param.alias->before, name) != param.alias->before.end();
  });
}

/// Whether a result lies in memory of an argument, elements of lists included.
bool isIn(const DLTensor &made, const GeAny &argument) {
  if (argument.tag == GE_ANY_ARRAY_OBJECT) {
    auto &array = *reinterpret_cast<GeArrayObject *>(argument.o);
    return std::ranges::any_of(std::span(array.items, size_t(array.size)),
                               [&](const GeAny &item) { return isIn(made, item); });
  }
  return (argument.tag == GE_ANY_TENSOR && overlaps(made, *argument.t)) ||
         (argument.tag == GE_ANY_TENSOR_OBJECT && overlaps(made, tensorIn(argument.o)));
}

/// Returns the error of a result; empty if it is valid.
std::string faultOf(const DLTensor &t, size_t index) {
  constexpr int32_t kMostDims = 64;
  if (t.device.device_type != kCpuDevice)
    return cat("gave result ", index, " on another device than the CPU");
  if (dtypeOf(t.dtype) == DType::Undefined)
    return cat("gave result ", index, " of an element type that GE does not have");
  if (isPossible(t))
    return {};
  std::string shape;
  for (int32_t i = 0; t.shape && i < std::min(t.ndim, kMostDims); ++i)
    shape += cat(i ? ", " : "", t.shape[i]);
  return cat("gave a tensor of shape [", shape, "] for result ", index,
             !t.data ? ": it has no data" : ": no tensor has that shape");
}

} // namespace

ResultPlan::ResultPlan(const OpDef &def, size_t numResults)
    : owners(def.results.size()), lenders(def.results.size()) {
  for (size_t i = 0; i < def.results.size(); ++i) {
    for (uint32_t index : def.operands())
      if (!owners[i] && isSame(def.params[index], def.results[i]))
        owners[i] = index;
    if (owners[i])
      continue;
    fresh.push_back(i);
    for (uint32_t index : def.operands())
      if (isShared(def.params[index], def.results[i]))
        lenders[i].push_back(index);
  }
  // Results of a varret operator beyond its schema are the kernel's.
  for (size_t i = owners.size(); i < numResults; ++i)
    fresh.push_back(i);
  if (numResults > owners.size()) {
    owners.resize(numResults);
    lenders.resize(numResults);
  }
}

std::string takeResults(GeAny &given, std::span<const size_t> fresh, std::span<RunValue> results) {
  if (given.tag >= 64 && !geAnyIsObject(&given))
    return cat("gave a value of tag ", given.tag, ", which is not a valid result");
  if (fresh.empty())
    return given.tag != GE_ANY_NONE && results.empty()
               ? cat("gave a value of tag ", given.tag, ", the schema has no results")
               : std::string();
  if (fresh.size() == 1 && given.tag == GE_ANY_TENSOR_OBJECT) {
    RunValue &made = results[fresh[0]];
    made = RunValue::adopt(std::exchange(given, GeAny{}).o);
    return faultOf(tensorIn(made.get()), fresh[0]);
  }
  if (given.tag != GE_ANY_ARRAY_OBJECT)
    return cat("gave a value of tag ", given.tag, ", the schema has ", results.size(),
               " results that are tensors");
  auto &array = *reinterpret_cast<GeArrayObject *>(given.o);
  bool isAll = size_t(array.size) == results.size();
  if (!isAll && size_t(array.size) != fresh.size())
    return cat("gave ", array.size, " results, the schema has ", results.size());
  for (size_t k = 0; k < fresh.size(); ++k) {
    const GeAny &item = array.items[isAll ? fresh[k] : k];
    if (item.tag != GE_ANY_TENSOR_OBJECT || !geAnyIsObject(&item))
      return cat("gave a value of tag ", item.tag, " for result ", fresh[k], ", which is a tensor");
    results[fresh[k]] = RunValue(item.o);
    if (std::string fault = faultOf(tensorIn(item.o), fresh[k]); !fault.empty())
      return fault;
  }
  return {};
}

std::string writtenFault(const GeAny &given, std::span<GeObject *const> owners) {
  auto fault = [&](const GeAny &item, size_t i) -> std::string {
    if (!owners[i] || item.tag != GE_ANY_TENSOR_OBJECT || !geAnyIsObject(&item))
      return {};
    const DLTensor &made = tensorIn(item.o);
    if (!isPossible(made) || boundsOf(made) == boundsOf(tensorIn(owners[i])))
      return {};
    return cat(
        "gave other memory than that of the operand as result ", i,
        ", which the schema says is the operand itself (Tensor(a!)): write into the operand");
  };
  if (owners.size() == 1)
    return fault(given, 0);
  if (given.tag != GE_ANY_ARRAY_OBJECT || !geAnyIsObject(&given))
    return {};
  auto &array = *reinterpret_cast<GeArrayObject *>(given.o);
  std::string found;
  for (size_t i = 0; size_t(array.size) == owners.size() && i < owners.size() && found.empty(); ++i)
    found = fault(array.items[i], i);
  return found;
}

std::string aliasFault(const OpDef &def, std::span<const uint32_t> lenders,
                       std::span<const GeAny> arguments, const DLTensor &made, size_t result) {
  for (uint32_t index : def.operands())
    if (std::ranges::find(lenders, index) == lenders.end() && isIn(made, arguments[index]))
      return cat("gave the memory of operand '", def.params[index].name, "' as result ", result,
                 ", which the schema does not declare (Tensor(a)); return a copy");
  return {};
}

std::string callFromHere(const Kernel &kernel, std::span<const GeAny> args, GeAny &result) {
  static thread_local int depth = 0;
  struct Depth {
    Depth() { ++depth; }
    ~Depth() { --depth; }
  } entered;
  if (depth > kMostCalls)
    return cat("calls itself, ", kMostCalls, " times");
  InterruptPause pause; // the kernel may call anything
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
      std::vector<CallArg> bound =
          bindCall(*call.def, where, call.operands, call.attributes, call.operandSegments);
      std::vector<const Type *> types = typesByTypes(call, results.size());
      runKernel(call, *kernel, ResultPlan(*call.def, results.size()), bound, types, results);
      return;
    }
  }
  if (std::shared_ptr<Evaluator> installed = evaluator()) {
    if (nativeInference(*call.op))
      typesByTypes(call, results.size()); // evaluators crash on calls that inference rejects
    EvalCall asked;
    asked.context = &call.context;
    asked.op = call.op;
    asked.def = call.def;
    asked.opset = call.opset;
    asked.operands = call.operands;
    asked.attributes = call.attributes;
    asked.nodeName = call.nodeName;
    asked.operandSegments = call.operandSegments;
    if (installed->evaluate(asked, results))
      return;
  }
  if (call.def && runNatively(call, results))
    return;
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

} // namespace ge
