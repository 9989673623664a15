// Tests values of torch's headers without a library: views, copies and results. Run with
// sanitizers; exits with status 0 if all checks pass.
#include <torch/all.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using at::Tensor;
namespace headers = ge::torch_headers;

namespace {

void need(bool holds, const char *what, int line = __builtin_LINE()) {
  if (holds)
    return;
  std::fprintf(stderr, "line %d: %s\n", line, what);
  std::exit(1);
}

/// Calls a kernel as GE does; with `error`, it must fail with a message that contains it.
template <typename F>
GeAny run(F function, std::vector<GeAny> args, const char *error = nullptr,
          int line = __builtin_LINE()) {
  headers::Boxed kernel = headers::boxed(std::move(function));
  GeAny result{};
  int status = kernel.function(kernel.self, args.data(), int32_t(args.size()), &result);
  kernel.release(kernel.self);
  need((status == 0) == !error, status ? result.s : "it does not fail", line);
  if (!error)
    return result;
  need(std::strstr(result.s, error), result.s, line);
  return {};
}
void drop(GeAny value) {
  if (value.tag >= 64)
    geObjectRelease(value.o);
}
GeAny anyOf(const Tensor &tensor) {
  GeAny any{};
  headers::putTensor(tensor, any);
  return any;
}
GeAny anyOf(int64_t value) {
  GeAny any{};
  headers::Value<int64_t>::put(value, any);
  return any;
}

struct Holder : torch::CustomClassHolder {
  explicit Holder(Tensor t) : tensor(std::move(t)) {}
  Tensor tensor;
};

} // namespace

int main() {
  Tensor x = at::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}).view({2, 3});
  GeAny a = anyOf(x);

  // Views share memory and keep it alive.
  GeAny turned = run([](const Tensor &t) { return t.t(); }, {a});
  Tensor y(headers::tensorOf(turned));
  drop(turned);
  need(y.size(0) == 3 && y[2][1].item<double>() == 6 && !y.is_contiguous(), "t()");
  need(y.contiguous().data_ptr<double>()[1] == 4, "contiguous()");
  need(at::empty_like(y).strides() == y.strides(), "empty_like()");
  need(y.reshape({-1}).numel() == 6 && y.slice(0, -2, std::nullopt, 2).size(0) == 1, "slice()");
  need(y.unsqueeze(-1).squeeze().sizes() == y.sizes(), "squeeze()");
  need(x.permute({1, 0}).strides() == y.strides(), "permute()");
  need(x.expand({4, 2, 3}).clone()[3][1][2].item<double>() == 6, "expand()");
  need(x.is_same(x.contiguous()) && !x.is_same(x.clone()), "is_same()");
  y.select(1, 0).fill_(9);
  need(x.accessor<double, 2>()[0][2] == 9 && x[1][0].item<double>() == 4, "fill_()");
  drop(run([](Tensor t) { return std::vector<Tensor>{t, t.narrow(1, 1, 2)}; }, {a}));
  drop(run([](int64_t n) { return at::zeros({n, 0}); }, {anyOf(3)}));

  // Errors are returned as messages.
  drop(run([](const Tensor &t) { return t.item<double>(); }, {a}, "a Tensor with 6 elements"));
  drop(run([](const Tensor &t) { return t[5]; }, {a}, "IndexError: select(): index 5"));
  drop(run([](const Tensor &t) { return t.size(2); }, {a}, "IndexError: Dimension out of range"));
  drop(run([](const Tensor &t) { return t.view({4, -1}); }, {a}, "invalid for input of size 6"));
  drop(run([](const Tensor &t) { return t.t().view({6}); }, {a}, "Use .reshape(...) instead"));
  drop(run([](const Tensor &t) { return t.data_ptr<float>()[0] > 0; }, {a},
           "expected scalar type Float but found Double"));
  drop(run([](int64_t n) { return at::zeros({n}); }, {anyOf(-3)}, "negative dimension -3"));
  drop(run([](int64_t n) { return at::empty({n, n}); }, {anyOf(int64_t(1) << 40)},
           "does not fit the memory"));
  drop(run([](const Tensor &t) { return at::empty({2}, t.options().device(at::kCUDA)); }, {a},
           "NotImplementedError: torch's headers of GE make tensors on the CPU only, not on cuda"));
  drop(run([](std::string text) { return text; }, {a}, "argument 1: expected a str"));
  drop(run([](const Tensor &) { return Tensor().clone(); }, {a}, "undefined"));
  drop(run([](int64_t k) { return at::Scalar(k).to<int8_t>() > 0; }, {anyOf(300)},
           "without overflow"));

  // An object keeps its members alive as long as it is referenced.
  headers::ClassOf<Holder>::key() = "n.Holder";
  GeAny object = run([](Tensor t) { return c10::make_intrusive<Holder>(std::move(t)); }, {a});
  drop(a);
  x.reset();
  y.reset();
  GeAny back = run([](const c10::intrusive_ptr<Holder> &held) { return held->tensor; }, {object});
  drop(run([](const c10::intrusive_ptr<Holder> &held) { return int64_t(held.use_count()); },
           {anyOf(3)}, "argument 1: expected a n.Holder of this library, got a value of tag 1"));
  drop(object);
  Tensor z(headers::tensorOf(back));
  drop(back);
  need(z[1][1].item<double>() == 5, "a tensor of an object");
  return 0;
}
