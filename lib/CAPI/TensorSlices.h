//===- TensorSlices.h - parts of tensors, which loops take and put together --------------------===//
#ifndef GE_LIB_CAPI_TENSORSLICES_H
#define GE_LIB_CAPI_TENSORSLICES_H

#include "ge/IR/Tensor.h"

#include <optional>
#include <span>

namespace ge::capi {

/// The value of a tensor of one integer or bool; none of another.
std::optional<int64_t> integerOf(const Tensor &tensor);
/// A tensor of rank 0 of an integer type or bool.
TensorPtr scalarOf(Context &context, DType dtype, int64_t value);
/// What is at `index` of `axis`, without that axis. Both must be there.
TensorPtr sliceOf(const Tensor &tensor, size_t axis, int64_t index);
/// Tensors of one type beside each other in a new axis; at least one.
TensorPtr stackOf(std::span<const TensorPtr> parts, size_t axis);
/// No tensors of a type (null: unknown) beside each other in a new first axis.
TensorPtr emptyOf(Context &context, const Type *type);

} // namespace ge::capi

#endif // GE_LIB_CAPI_TENSORSLICES_H
