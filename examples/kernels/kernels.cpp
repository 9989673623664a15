// Operators of the namespace `acme`, with kernels for the CPU.
#include "ge/library.h"

#include <algorithm>

namespace {

/// A kernel is a function of tensor views and numbers; what it returns is a new tensor.
ge::Tensor scale(ge::TensorView x, double factor) {
  ge::Tensor out = ge::Tensor::emptyLike(x);
  const float *in = x.data<float>(); // an error for tensors of another element type
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    out.data<float>()[i] = in[i] * float(factor);
  return out;
}

/// With ge::Out the caller allocates the result, from the inferred type.
void clamp(ge::TensorView x, double low, std::optional<double> high, ge::Out out) {
  for (int64_t i = 0, n = x.numel(); i < n; ++i) {
    float value = std::max(x.data<float>()[i], float(low));
    out.data<float>()[i] = high ? std::min(value, float(*high)) : value;
  }
}

/// `Tensor(a!)` is written in place.
void addInPlace(ge::MutableTensorView x, int64_t k) {
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    x.data<float>()[i] += float(k);
}

/// Several results are a tuple.
std::tuple<ge::Tensor, double> normalise(ge::TensorView x) {
  double sum = 0;
  for (int64_t i = 0, n = x.numel(); i < n; ++i)
    sum += x.data<float>()[i];
  if (sum == 0)
    throw ge::Error("the sum of x is 0");
  return {scale(x, 1 / sum), sum};
}

} // namespace

GE_LIBRARY(acme, m) {
  m.def("scale(Tensor x, *, float factor=1.0) -> Tensor",
        {.doc = "Multiply by a factor.", .traits = GE_TRAIT_PURE});
  m.infer("scale", ge::sameAs(0));
  m.def("clamp(Tensor x, *, float low=0.0, float? high=None) -> Tensor");
  m.infer("clamp", ge::sameAs(0));
  m.def("add_(Tensor(a!) x, int k=1) -> ()", addInPlace);
  m.def("normalise(Tensor x) -> (Tensor y, float sum)", normalise);
  // Without a schema it is inferred from the function: "join(str[] _0, str? _1) -> str".
  m.def("join", [](std::vector<std::string> words, std::optional<std::string> by) {
    std::string all;
    for (const std::string &word : words)
      all += (all.empty() ? "" : by.value_or(", ")) + word;
    return all;
  });
}

GE_LIBRARY_IMPL(acme, cpu, m) {
  m.impl("scale", scale);
  m.impl("clamp", clamp);
}
