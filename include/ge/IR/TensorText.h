//===- TensorText.h - tensors as dense<...> ---------------------------------------------------===//
#ifndef GE_IR_TENSORTEXT_H
#define GE_IR_TENSORTEXT_H

#include "ge/IR/Tensor.h"

#include <string>

namespace ge {

/// True when the text of the tensor is `dense<...>`: strings always; splats, tensors without
/// elements and those of at most 16 when MLIR knows the element type. The others need a resource.
bool printsInline(const Tensor &tensor);

/// Appends `dense<...> : type` for a tensor that printsInline().
void appendDense(std::string &out, const Tensor &tensor);

/// Appends one element from the bytes that Tensor::copyElements() gives: `1.0`, `-1`, `true`,
/// `(1.0,0.0)`. Only of types with DTypeInfo::mlirBuiltin.
void appendElement(std::string &out, DType dtype, const void *element);

} // namespace ge

#endif // GE_IR_TENSORTEXT_H
