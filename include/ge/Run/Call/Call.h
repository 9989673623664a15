//===- Call.h - one operator on tensors --------------------------------------------------------===//
#ifndef GE_RUN_CALL_CALL_H
#define GE_RUN_CALL_CALL_H

#include "ge/IR/Mutation.h"
#include "ge/IR/Tensor.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Run/Value/RunValue.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// One call of an operator.
struct OpCall {
  Context &context;
  const OperatorName *op;
  const OpDef *def;
  uint32_t opset;
  std::span<const Tensor *const> operands;
  std::span<const NamedAttribute> attributes;
  std::string_view nodeName;
  /// The lengths of operand lists that the record does not imply.
  std::span<const int32_t> operandSegments = {};
};

/// The aliases of an operator's results according to its schema.
struct ResultPlan {
  explicit ResultPlan(const OpDef &def, size_t numResults = 0);
  std::vector<std::optional<uint32_t>> owners; ///< by result: the written parameter that it is
  std::vector<size_t> fresh;                   ///< results that the kernel creates
  /// For each created result: the parameters whose memory it may share.
  std::vector<std::vector<uint32_t>> lenders;
};

/// What a kernel returned; released unless it is taken.
struct KernelResult {
  explicit KernelResult(const Kernel &kernel)
      : isTvmFfi((kernel.flags() & GE_KERNEL_TVM_FFI) != 0) {}
  KernelResult(const KernelResult &) = delete;
  ~KernelResult() {
    if (geAnyIsObject(&value) || (isTvmFfi && value.tag >= 64 && value.o))
      geObjectRelease(value.o);
  }

  GeAny value{};
  const bool isTvmFfi; ///< tags from 64 on are objects in results of tvm-ffi
};

/// Types of the results that inference knows from the types of the operands alone; null: unknown.
/// Throws Error(Verify) when the operands do not fit.
std::vector<const Type *> typesByTypes(const OpCall &call, size_t numResults);

/// Calls the operator's kernel with bound arguments. Throws Error(General) if the kernel fails.
void runKernel(const OpCall &call, const Kernel &kernel, const ResultPlan &plan,
               std::span<const CallArg> bound, std::span<const Type *const> types,
               std::span<TensorPtr> results);

/// Computes a call with the core's own functions (ge/Ops/Eval/TensorEvaluation.h). Returns false,
/// without effect, if they do not support it.
bool runNatively(const OpCall &call, std::span<TensorPtr> results);

/// Runs the kernel, else the installed evaluator, else the native functions.
void runOp(const OpCall &call, std::span<TensorPtr> results);

/// Finds tvm-ffi's runtime in the process. Called whenever one of its functions is registered.
void findTvmFfi();

/// Calls a kernel. Returns an empty text, or how it failed, "failed: x must be f32", with an empty
/// `result`.
std::string callKernel(const Kernel &kernel, std::span<const GeAny> args, GeAny &result);

/// The same for a kernel that may call operators itself, up to a depth limit. Interrupts are
/// deferred meanwhile.
std::string callFromHere(const Kernel &kernel, std::span<const GeAny> args, GeAny &result);

/// Reads the tensors that a kernel returned for the results of `fresh`: one tensor, an array of
/// these results, or an array of all. Returns an empty text and sets `results`, or an error, "gave
/// 2 results, ...".
std::string takeResults(GeAny &given, std::span<const size_t> fresh, std::span<RunValue> results);

/// What is wrong with a kernel's results that are operands themselves, or "". `owners`: by result,
/// the counted operand that the kernel wrote, or null. Returned values must be in its memory, else
/// their numbers would be lost.
std::string writtenFault(const GeAny &given, std::span<GeObject *const> owners);

/// What is wrong with a created result in memory of an operand, or "". `lenders`: the parameters
/// that may lend it. `arguments`: in schema order.
std::string aliasFault(const OpDef &def, std::span<const uint32_t> lenders,
                       std::span<const GeAny> arguments, const DLTensor &made, size_t result);

/// The definition of a node's operator; null when it is not registered.
OpDefRef recordOf(const OperatorName *op, uint32_t opset);

} // namespace ge

#endif // GE_RUN_CALL_CALL_H
