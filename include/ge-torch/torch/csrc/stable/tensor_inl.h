//===- torch/csrc/stable/tensor_inl.h - torch::stable::Tensor ----------------------------------===//
#ifndef GE_TORCH_TORCH_CSRC_STABLE_TENSOR_INL_H
#define GE_TORCH_TORCH_CSRC_STABLE_TENSOR_INL_H

#include <torch/csrc/stable/tensor_struct.h>

#endif // GE_TORCH_TORCH_CSRC_STABLE_TENSOR_INL_H
