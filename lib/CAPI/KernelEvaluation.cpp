//===- KernelEvaluation.cpp - constants computed by kernels in C --------------------------------===//
//
// Constant folding calls one operator on constants of the same types many times. The bound
// arguments and the inferred result types of a signature are cached, so that a call costs little
// more than its kernel.
//
#include "KernelsRun.h"

#include "ge/Ops/Eval/CallSignature.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Support/StringUtil.h"

#include <unordered_map>

namespace ge::capi {

namespace {

/// A call whose arguments are known to bind.
struct KernelBinding {
  CallSignature signature;
  struct Argument {
    size_t first, count; ///< of the operands
    Attribute attribute; ///< one of the signature, or of the operator's definition
  };
  std::vector<Argument> arguments;
  std::vector<const Type *> resultTypes; ///< null: unknown
  ResultPlan plan;
  KernelRef kernel;
};

class NativeKernels final : public KernelEvaluator {
public:
  bool has(const OpDef &def) override { return kernelOf(def) != nullptr; }

  bool evaluate(const EvalCall &asked, std::span<TensorPtr> results) override {
    OpCall call{*asked.context, asked.op,         asked.def, asked.opset,
                asked.operands, asked.attributes, {},        asked.operandSegments};
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
  /// Null if the operator has no kernel that the core can call. Kernels in Python, functions of
  /// tvm-ffi and kernels that hold the GIL are called by the installed evaluator.
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
    uint64_t hash = CallSignature::hash(asked);
    auto found = calls_.find(hash);
    if (found != calls_.end() && found->second.signature == asked &&
        found->second.resultTypes.size() == numResults)
      return &found->second;
    std::vector<CallArg> bound;
    std::vector<const Type *> types;
    try {
      bound = bindCall(*call.def, {}, asked.operands, asked.attributes, asked.operandSegments);
      types = typesByTypes(call, numResults);
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Verify)
        throw;
      return nullptr; // it is not a call of that record
    }
    KernelBinding made{
        CallSignature(asked), {}, std::move(types), ResultPlan(*call.def, numResults), kernel};
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
    OpDefRef def; ///< held, so that its address is not reused
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
