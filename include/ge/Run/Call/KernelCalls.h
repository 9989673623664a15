//===- KernelCalls.h - calls of kernels in C on constants ---------------------------------------===//
#ifndef GE_RUN_CALL_KERNELCALLS_H
#define GE_RUN_CALL_KERNELCALLS_H

#include "ge/Ops/Eval/CallSignature.h"
#include "ge/Run/Call/Call.h"

#include <unordered_map>
#include <vector>

namespace ge {

/// Evaluates calls with the kernels in C that are registered for the CPU. For one thread and one
/// run of constant folding, which calls an operator on constants of the same types many times:
/// kernels, bound arguments and inferred types of a signature are kept, so that a call costs little
/// more than its kernel.
class KernelCalls {
public:
  /// Whether the operator has such a kernel.
  bool has(const OpDef &def) { return kernelOf(def) != nullptr; }
  /// Fills `results`. False: the operator has no such kernel, or this is no call of its record.
  /// Throws Error(Verify) if the kernel fails.
  bool evaluate(const EvalCall &asked, std::span<TensorPtr> results);

private:
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
  struct Found {
    OpDefRef def; ///< held, so that its address is not reused
    KernelRef kernel;
  };

  const KernelRef &kernelOf(const OpDef &def);
  const KernelBinding *find(const OpCall &call, const EvalCall &asked, size_t numResults);

  uint64_t generation_ = 0;
  std::unordered_map<const OpDef *, Found> kernels_;
  std::unordered_map<uint64_t, KernelBinding> calls_;
};

} // namespace ge

#endif // GE_RUN_CALL_KERNELCALLS_H
