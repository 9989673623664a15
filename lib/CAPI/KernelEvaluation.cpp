//===- KernelEvaluation.cpp - constants computed by kernels in C --------------------------------===//
//
// Constant folding calls one operator on constants of the same types again and again. What binding
// and inference say of such a call is kept, so that a call costs little beside its kernel.
//
#include "KernelsRun.h"

#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Support/StringUtil.h"

#include <unordered_map>

namespace ge::capi {

namespace {

/// A call whose arguments are known to bind. Holds what it compares.
struct KernelBinding {
  const OperatorName *op;
  uint32_t opset;
  std::vector<const Type *> operandTypes; ///< null: absent
  std::vector<std::pair<const Identifier *, AttrRef>> attributes;
  struct Argument {
    size_t first, count; ///< of the operands
    Attribute attribute;
  };
  std::vector<Argument> arguments;
  std::vector<const Type *> resultTypes; ///< null: unknown
  ResultPlan plan;
  KernelRef kernel;

  bool is(const EvalCall &call, size_t numResults) const {
    return op == call.op && opset == call.opset && resultTypes.size() == numResults &&
           std::ranges::equal(operandTypes, call.operands,
                              [](const Type *type, const Tensor *operand) {
                                return type == (operand ? operand->type() : nullptr);
                              }) &&
           std::ranges::equal(attributes, call.attributes, [](const auto &a, const auto &b) {
             return a.first == b.name && a.second.get() == b.value;
           });
  }
};

class NativeKernels final : public KernelEvaluator {
public:
  bool has(const OpDef &def) override { return kernelOf(def) != nullptr; }

  bool evaluate(const EvalCall &asked, std::span<TensorPtr> results) override {
    OpCall call{*asked.context, asked.op,         asked.def, asked.opset,
                asked.operands, asked.attributes, {}};
    const KernelBinding *bound = find(call, asked, results.size());
    if (!bound)
      return false;
    std::vector<CallArg> arguments;
    arguments.reserve(bound->arguments.size());
    for (const KernelBinding::Argument &one : bound->arguments)
      arguments.push_back({asked.operands.subspan(one.first, one.count), one.attribute});
    try {
      runKernel(call, *bound->kernel, bound->plan, arguments, bound->resultTypes, results);
    } catch (const Error &error) {
      throw Error(ErrorKind::Verify, std::string(error.message()));
    }
    for (size_t i = 0; i < std::min(results.size(), asked.resultTypes.size()); ++i)
      if (const Type *type = asked.resultTypes[i];
          type && results[i] && !meetTypes(type, results[i]->type()))
        throwError(ErrorKind::Verify, asked.def->qualifiedName(), ": kernel ",
                   bound->kernel->backend(), " (", bound->kernel->source().str(), ") gave ",
                   results[i]->type()->str(), " for result ", i, ", the node says ", type->str());
    return true;
  }

private:
  /// Null: none that the core may call. Kernels in Python, functions of tvm-ffi and kernels that
  /// hold the GIL are the installed evaluator's.
  const KernelRef &kernelOf(const OpDef &def) {
    Registry &registry = Registry::global();
    if (uint64_t generation = registry.generation(); generation != generation_) {
      generation_ = generation;
      kernels_.clear();
      calls_.clear();
    }
    auto [found, isNew] = kernels_.try_emplace(&def);
    if (isNew) {
      found->second.def = OpDefRef(&def);
      KernelRef &kernel = found->second.kernel;
      std::string name = def.qualifiedName();
      kernel = registry.findKernel(name, "cpu");
      if (!kernel)
        kernel = registry.findKernel(name, "any");
      constexpr uint32_t kOthers = GE_KERNEL_FOREIGN | GE_KERNEL_TVM_FFI | GE_KERNEL_HOLDS_GIL;
      if (kernel && (kernel->flags() & kOthers))
        kernel = nullptr;
    }
    return found->second.kernel;
  }

  const KernelBinding *find(const OpCall &call, const EvalCall &asked, size_t numResults) {
    if (!call.def || !asked.subgraphs.empty())
      return nullptr;
    const KernelRef &kernel = kernelOf(*call.def);
    if (!kernel)
      return nullptr;
    uint64_t hash = hashCombine(asked.op->hash(), asked.opset);
    for (const Tensor *operand : asked.operands)
      hash = hashCombine(hash, reinterpret_cast<uintptr_t>(operand ? operand->type() : nullptr));
    for (const NamedAttribute &attribute : asked.attributes)
      hash = hashCombine(hash, attribute.value.bits());
    auto found = calls_.find(hash);
    if (found != calls_.end() && found->second.is(asked, numResults))
      return &found->second;
    std::vector<CallArg> bound;
    std::vector<const Type *> types;
    try {
      bound = bindCall(*call.def, {}, asked.operands, asked.attributes);
      types = typesByTypes(call, numResults);
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Verify)
        throw;
      return nullptr; // it is not a call of that record
    }
    KernelBinding made{
        asked.op, asked.opset, {}, {}, {}, std::move(types), ResultPlan(*call.def, numResults),
        kernel};
    for (const Tensor *operand : asked.operands)
      made.operandTypes.push_back(operand ? operand->type() : nullptr);
    for (const NamedAttribute &attribute : asked.attributes)
      made.attributes.emplace_back(attribute.name, attribute.value);
    size_t next = 0;
    for (const CallArg &one : bound) {
      made.arguments.push_back({next, one.tensors.size(), one.attribute});
      next += one.tensors.size();
    }
    constexpr size_t kMostCalls = 1024;
    if (calls_.size() >= kMostCalls)
      calls_.clear();
    return &calls_.insert_or_assign(hash, std::move(made)).first->second;
  }

  struct Found {
    OpDefRef def; ///< its address stays taken
    KernelRef kernel;
  };
  uint64_t generation_ = 0;
  std::unordered_map<const OpDef *, Found> kernels_;
  std::unordered_map<uint64_t, KernelBinding> calls_;
};

[[maybe_unused]] const bool isInstalled = [] {
  setKernelEvaluators(
      []() -> std::unique_ptr<KernelEvaluator> { return std::make_unique<NativeKernels>(); });
  return true;
}();

} // namespace

} // namespace ge::capi
