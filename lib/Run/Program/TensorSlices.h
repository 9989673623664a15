//===- TensorSlices.h - parts of tensors, which loops take and put together --------------------===//
#ifndef GE_LIB_RUN_PROGRAM_TENSORSLICES_H
#define GE_LIB_RUN_PROGRAM_TENSORSLICES_H

#include "ge/IR/Tensor.h"

#include <optional>
#include <span>

namespace ge {

/// The value of a tensor with one integer or bool element; nullopt for other tensors.
std::optional<int64_t> integerOf(const Tensor &tensor);
/// A tensor of rank 0 of an integer type or bool.
TensorPtr scalarOf(Context &context, DType dtype, int64_t value);
/// The slice at `index` of `axis`, without that axis. Both must be in range.
TensorPtr sliceOf(const Tensor &tensor, size_t axis, int64_t index);
/// Stacks tensors of one type along a new axis; needs at least one.
TensorPtr stackOf(std::span<const TensorPtr> parts, size_t axis);
/// An empty stack of tensors of a type (null: unknown) along a new axis.
TensorPtr emptyOf(Context &context, const Type *type, int64_t axis);

} // namespace ge

#endif // GE_LIB_RUN_PROGRAM_TENSORSLICES_H
