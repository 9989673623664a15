// Invalid registrations, selected by the environment variable TORCH_WRONG.
#include <torch/library.h>

#include <cstdlib>

namespace {
struct Unknown : torch::CustomClassHolder {};
bool is(const char *what) {
  const char *asked = std::getenv("TORCH_WRONG");
  return asked && std::string(asked) == what;
}
} // namespace

TORCH_LIBRARY(wrong, m) {
  m.def("fine", [](int64_t x) { return x; });
  m.class_<Unknown>("Known");
  if (is("signature")) {
    m.def("f(Tensor x, int k) -> Tensor");
    m.impl("f", [](at::Tensor, double) {});
  }
  if (is("results"))
    m.def("f(Tensor x) -> Tensor", [](at::Tensor x) { return std::make_tuple(x, x); });
  if (is("schema"))
    m.def("f(Tensr x) -> Tensor");
  if (is("twice"))
    m.def("fine(int x) -> int");
  if (is("kernel twice"))
    m.impl("fine", [](int64_t x) { return x; });
  if (is("throws"))
    TORCH_CHECK(false, "boo");
  if (is("throws an int"))
    throw 7;
  if (is("namespace"))
    m.def("other::f(int x) -> int");
  if (is("class twice"))
    m.class_<Unknown>("Known").def(torch::init<>());
  if (is("args"))
    m.class_<Unknown>("Args").def("f",
                                  [](const c10::intrusive_ptr<Unknown> &, int64_t x) { return x; },
                                  "", {torch::arg("x"), torch::arg("y")});
}
TORCH_LIBRARY_FRAGMENT(wrong, m) {
  if (is("second home"))
    TORCH_CHECK(false, "the second block");
  (void)m;
}
TORCH_LIBRARY_IMPL(wrong, CPU, m) {
  if (is("def in impl"))
    m.def("h(int x) -> int");
}
