// A registration file as PyTorch's tutorial on custom operators describes it: three operators with
// kernels for the CPU, one of which writes its last argument, in a module that Python could import.
#include <Python.h>

#include <ATen/Operators.h>
#include <torch/all.h>
#include <torch/library.h>

#include <vector>

#ifdef WITH_MODULE
extern "C" PyObject *PyInit__C(void) {
  static struct PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "_C", NULL, -1, NULL, NULL, NULL, NULL, NULL};
  return PyModule_Create(&definition);
}
#endif

namespace fused {

void need(const at::Tensor &a, const at::Tensor &b) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_CHECK(a.dtype() == at::kFloat);
  TORCH_CHECK(b.dtype() == at::kFloat, "b must be float, not ", b.dtype());
  TORCH_INTERNAL_ASSERT(a.device().type() == at::DeviceType::CPU);
  TORCH_INTERNAL_ASSERT(b.device().type() == at::DeviceType::CPU);
}

at::Tensor muladd(const at::Tensor &a, const at::Tensor &b, double c) {
  need(a, b);
  at::Tensor left = a.contiguous();
  at::Tensor right = b.contiguous();
  at::Tensor result = torch::empty(left.sizes(), left.options());
  const float *p = left.data_ptr<float>();
  const float *q = right.data_ptr<float>();
  float *r = result.data_ptr<float>();
  for (int64_t i = 0; i < result.numel(); i++)
    r[i] = p[i] * q[i] + c;
  return result;
}

at::Tensor mul(const at::Tensor &a, const at::Tensor &b) { return muladd(a, b, 0.0); }

void add_out(const at::Tensor &a, const at::Tensor &b, at::Tensor &out) {
  need(a, b);
  TORCH_CHECK(b.sizes() == out.sizes());
  TORCH_CHECK(out.is_contiguous());
  at::Tensor left = a.contiguous();
  at::Tensor right = b.contiguous();
  for (int64_t i = 0; i < out.numel(); i++)
    out.data_ptr<float>()[i] = left.data_ptr<float>()[i] + right.data_ptr<float>()[i];
}

TORCH_LIBRARY(fused, m) {
  // A "float" of the schema is a double of C++.
  m.def("muladd(Tensor a, Tensor b, float c) -> Tensor");
  m.def("mul(Tensor a, Tensor b) -> Tensor");
  m.def("add_out(Tensor a, Tensor b, Tensor(a!) out) -> ()");
}

TORCH_LIBRARY_IMPL(fused, CPU, m) {
  m.impl("muladd", &muladd);
  m.impl("mul", &mul);
  m.impl("add_out", &add_out);
}

} // namespace fused
