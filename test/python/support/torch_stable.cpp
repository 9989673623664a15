// The same operators with the stable ABI, as described in the tutorial.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/macros/Macros.h>

namespace fused_stable {

using torch::headeronly::DeviceType;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

void need(const Tensor &a, const Tensor &b) {
  STD_TORCH_CHECK(a.sizes().equals(b.sizes()));
  STD_TORCH_CHECK(a.scalar_type() == ScalarType::Float);
  STD_TORCH_CHECK(b.scalar_type() == ScalarType::Float, "b must be float");
  STD_TORCH_CHECK(a.device().type() == DeviceType::CPU);
  STD_TORCH_CHECK(b.device().type() == DeviceType::CPU);
}

Tensor muladd(const Tensor &a, const Tensor &b, double c) {
  need(a, b);
  Tensor left = torch::stable::contiguous(a);
  Tensor right = torch::stable::contiguous(b);
  Tensor result = torch::stable::empty_like(left);
  const float *p = left.const_data_ptr<float>();
  const float *q = right.const_data_ptr<float>();
  float *r = result.mutable_data_ptr<float>();
  for (int64_t i = 0; i < result.numel(); i++)
    r[i] = p[i] * q[i] + c;
  return result;
}

void add_out(const Tensor &a, const Tensor &b, Tensor &out) {
  need(a, b);
  STD_TORCH_CHECK(b.sizes().equals(out.sizes()));
  STD_TORCH_CHECK(out.is_contiguous());
  Tensor left = torch::stable::contiguous(a);
  Tensor right = torch::stable::contiguous(b);
  for (int64_t i = 0; i < out.numel(); i++)
    out.mutable_data_ptr<float>()[i] =
        left.const_data_ptr<float>()[i] + right.const_data_ptr<float>()[i];
}

/// Returns an opaque handle in a tensor, as libraries with their own state do.
Tensor open(std::string name, std::optional<std::string> mode) {
  auto *state = new std::string(name + ":" + mode.value_or("exact"));
  return torch::stable::from_blob(state, {int64_t(sizeof(void *))}, {1},
                                  torch::stable::Device(DeviceType::CPU), ScalarType::Byte,
                                  [](void *p) { delete static_cast<std::string *>(p); });
}
std::string nameOf(const Tensor &handle) {
  return *static_cast<const std::string *>(handle.const_data_ptr());
}

STABLE_TORCH_LIBRARY(fused_stable, m) {
  m.def("muladd(Tensor a, Tensor b, float c) -> Tensor");
  m.def("add_out(Tensor a, Tensor b, Tensor(a!) out) -> ()");
  m.def("open(str name, str? mode=None) -> Tensor");
  m.def("name_of(Tensor handle) -> str");
}
STABLE_TORCH_LIBRARY_FRAGMENT(fused_stable, m) {
  m.def("moves(Tensor x, int dim, int start, int length) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(fused_stable, CPU, m) {
  m.impl("muladd", TORCH_BOX(&muladd));
  m.impl("add_out", TORCH_BOX(&add_out));
  m.impl("name_of", TORCH_BOX(&nameOf));
  m.impl("moves", TORCH_BOX([](const Tensor &x, int64_t dim, int64_t start, int64_t length) {
           Tensor part = torch::stable::narrow(x, dim, start, length);
           return torch::stable::clone(torch::stable::transpose(part, 0, 1));
         }));
}
STABLE_TORCH_LIBRARY_IMPL(fused_stable, BackendSelect, m) { m.impl("open", TORCH_BOX(&open)); }

} // namespace fused_stable
