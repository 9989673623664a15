//===- ATen/Tensor.h - at::Tensor --------------------------------------------------------------===//
#ifndef GE_TORCH_ATEN_TENSOR_H
#define GE_TORCH_ATEN_TENSOR_H

#include <ATen/core/Tensor.h>

#endif // GE_TORCH_ATEN_TENSOR_H
