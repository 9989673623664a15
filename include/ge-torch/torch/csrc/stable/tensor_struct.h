//===- torch/csrc/stable/tensor_struct.h - torch::stable::Tensor -------------------------------===//
#ifndef GE_TORCH_TORCH_CSRC_STABLE_TENSOR_STRUCT_H
#define GE_TORCH_TORCH_CSRC_STABLE_TENSOR_STRUCT_H

#include <ATen/core/TensorBase.h>
#include <torch/csrc/stable/device_struct.h>
#include <torch/headeronly/core/Layout.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/HeaderOnlyArrayRef.h>

namespace torch::stable {
inline namespace ge_torch_headers {

class Tensor : public at::TensorBase {
public:
  using TensorBase::TensorBase;
};

} // namespace ge_torch_headers
} // namespace torch::stable

#endif // GE_TORCH_TORCH_CSRC_STABLE_TENSOR_STRUCT_H
