//===- DLPack.h - element types and tensors in DLPack's form -----------------------------------===//
#ifndef GE_RUN_VALUE_DLPACK_H
#define GE_RUN_VALUE_DLPACK_H

#include "ge-c/Values.h"
#include "ge/IR/Tensor.h"

namespace ge {

constexpr int32_t kCpuDevice = 1; ///< DLPack's kDLCPU

/// `bits` is 0 if DLPack lacks the type.
DLDataType dlpackType(DType dtype);
/// Throws Error(Type) if DLPack lacks the type.
DLDataType needDlpackType(DType dtype);
/// Undefined if GE has no such type.
DType dtypeOf(DLDataType type);
/// Throws Error(Type) if GE has no such type.
DType needDtypeOf(DLDataType type);

/// Whether the elements are one after another in row-major order.
bool isCompact(const DLTensor &tensor);
/// Copies the elements of a tensor of a possible shape, on the CPU, one after another.
void copyCompact(const DLTensor &tensor, void *out);

/// Takes ownership of `managed`, which must be on the CPU: the tensor borrows its data; data that
/// is not compact is copied. On failure the caller keeps ownership: throws Error(Value) for
/// another device or major version and impossible shapes, Error(Type) for other element types.
TensorPtr importTensor(Context &context, DLManagedTensorVersioned *managed);
/// A read-only view of the tensor's data, which retains the tensor until its deleter is called. A
/// splat has strides of 0. Throws Error(Type) for types that DLPack lacks.
DLManagedTensorVersioned *exportTensor(const Tensor &tensor);

} // namespace ge

#endif // GE_RUN_VALUE_DLPACK_H
