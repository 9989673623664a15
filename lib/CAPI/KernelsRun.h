//===- KernelsRun.h - one operator on tensors -------------------------------------------------===//
#ifndef GE_LIB_CAPI_KERNELSRUN_H
#define GE_LIB_CAPI_KERNELSRUN_H

#include "Live.h"

#include "ge-c/Kernels.h"
#include "ge/IR/Mutation.h"
#include "ge/IR/Tensor.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Registry/Registry.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge::capi {

/// One call of an operator.
struct OpCall {
  Context &context;
  const OperatorName *op;
  const OpDef *def;
  uint32_t opset;
  std::span<const Tensor *const> operands;
  std::span<const NamedAttribute> attributes;
  std::string_view nodeName;
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
  const bool isTvmFfi; ///< what such a function returns from tag 64 on is an object
};

/// By the kernel, else by the installed evaluator.
void runOp(const OpCall &call, std::span<TensorPtr> results);

/// Calls a kernel. Empty: it succeeded; else how it went wrong, "failed: x must be f32", and
/// `result` is none.
std::string callKernel(const Kernel &kernel, std::span<const GeAny> args, GeAny &result);

/// The same for a kernel that may call operators itself, up to a limit. Interrupts wait meanwhile.
std::string callFromHere(const Kernel &kernel, std::span<const GeAny> args, GeAny &result);

/// The definition of a node's operator; null when it is not registered.
OpDefRef recordOf(const OperatorName *op, uint32_t opset);

/// Tensors of a caller, which must be of the context; null where one is.
std::vector<const Tensor *> tensorsIn(Context &context, GeTensor *const *tensors, size_t count,
                                      const char *what);

} // namespace ge::capi

#endif // GE_LIB_CAPI_KERNELSRUN_H
