// Registration code beyond the tutorial: schemas, types, dispatch keys, classes.
#include <torch/extension.h>

#include <c10/util/irange.h>

using at::Tensor;

namespace {

/// Examples of argument binding: the kernels return the arguments that they receive.
Tensor nms(const Tensor &boxes, const Tensor &, double iou, int64_t topk, bool normalized) {
  return torch::tensor({double(boxes.numel()), iou, double(topk), double(normalized)});
}
std::tuple<Tensor, Tensor> topk(const Tensor &x, int64_t k, int64_t axis, bool largest,
                                bool sorted) {
  return {torch::tensor({k, axis}), torch::full_like(x, largest * 2 + sorted)};
}
Tensor clamp(Tensor x, const c10::optional<double> &low, c10::optional<double> high) {
  Tensor result = at::empty_like(x);
  AT_DISPATCH_ALL_TYPES(x.scalar_type(), "clamp", [&] {
    Tensor from = x.contiguous();
    for (auto i : c10::irange(x.numel())) {
      auto value = double(from.const_data_ptr<scalar_t>()[i]);
      value = low ? std::max(value, *low) : value;
      result.mutable_data_ptr<scalar_t>()[i] = scalar_t(high ? std::min(value, *high) : value);
    }
  });
  return result;
}
Tensor blend(std::tuple<Tensor, Tensor> inputs, double alpha) {
  const auto &[a, b] = inputs;
  Tensor result = torch::zeros({a.size(0)}, torch::TensorOptions().dtype(torch::kFloat64));
  auto to = result.accessor<double, 1>();
  for (int64_t i = 0; i < a.size(0); ++i)
    to[i] = alpha * a[i].item<double>() + (1 - alpha) * b[i].item<double>();
  return result;
}
void add_stream(Tensor &decoder, std::optional<std::tuple<Tensor, Tensor, Tensor>> mappings) {
  decoder.fill_(mappings ? std::get<2>(*mappings).numel() : -1);
}
Tensor &normalize_(Tensor &x, double eps) {
  double sum = eps;
  for (int64_t i = 0; i < x.numel(); ++i)
    sum += x.flatten()[i].item<double>();
  x.copy_(x.to(at::kDouble).fill_(1 / sum));
  return x;
}

std::string all(int64_t a, double b, bool c, c10::string_view d, at::ScalarType e,
                at::IntArrayRef f, at::ArrayRef<double> g, at::TensorList h,
                const std::optional<Tensor> &i, at::Scalar j, std::array<bool, 2> k,
                const c10::List<std::optional<Tensor>> &l) {
  return c10::str(a, " ", b, " ", c, " ", d, " ", e, " ", f, " ", g, " ", h.size(), " ",
                  i.has_value(), " ", j, " ", k[1], " ", l.size());
}

Tensor kept;

struct Stack : torch::CustomClassHolder {
  explicit Stack(std::vector<int64_t> given) : items(std::move(given)) { ++alive; }
  ~Stack() override { --alive; }
  void push(int64_t item) { items.push_back(item); }
  int64_t pop() {
    TORCH_CHECK_INDEX(!items.empty(), "pop from an empty stack");
    int64_t last = items.back();
    items.pop_back();
    return last;
  }
  c10::intrusive_ptr<Stack> copy() const { return c10::make_intrusive<Stack>(items); }
  Tensor tensor() const { return torch::tensor(items); }
  std::vector<int64_t> items;
  double factor = 2.0;
  static inline int64_t alive = 0;
};
struct Bare : torch::CustomClassHolder {};

} // namespace

TORCH_LIBRARY(kinds, m) {
  m.class_<Stack>("Stack")
      .def(torch::init<std::vector<int64_t>>(), "A stack of numbers.",
           {torch::arg("items") = std::vector<int64_t>{}})
      .def("push", &Stack::push, "", {torch::arg("item") = 7})
      .def("pop", &Stack::pop)
      .def("copy", &Stack::copy)
      .def("tensor", &Stack::tensor)
      .def("__len__",
           [](const c10::intrusive_ptr<Stack> &self) { return int64_t(self->items.size()); })
      .def_static("of", [](int64_t one) { return c10::make_intrusive<Stack>(std::vector{one}); })
      .def_static("alive", [] { return Stack::alive; })
      .def_readwrite("factor", &Stack::factor)
      .def_property("top", [](const c10::intrusive_ptr<Stack> &self) { return self->items.at(0); })
      .def_pickle(
          [](const c10::intrusive_ptr<Stack> &self) { return self->items; },
          [](std::vector<int64_t> state) { return c10::make_intrusive<Stack>(std::move(state)); });
  m.class_<Bare>("Bare").def_static("make", [] { return c10::make_intrusive<Bare>(); });
  m.def("sum(__torch__.torch.classes.kinds.Stack s, Tensor x) -> Tensor",
        [](const c10::intrusive_ptr<Stack> &s, const Tensor &x) {
          Tensor result = x.clone();
          for (int64_t item : s->items)
            result.fill_(result.flatten()[0].item<double>() + double(item) * s->factor);
          return result;
        });
  m.def("same", [](c10::intrusive_ptr<Stack> s) { return s; });
  m.def("count(SymInt n, SymInt[] sizes) -> SymInt", [](c10::SymInt n, c10::SymIntArrayRef sizes) {
    for (const c10::SymInt &size : sizes)
      n *= size;
    return n;
  });

  m.def("nms(Tensor boxes, Tensor scores, float iou=0.5, int topk=-1, *, bool normalized=False) -> "
        "Tensor",
        nms);
  m.def("topk(Tensor x, int k=1, int axis=-1, bool largest=True, bool sorted=True) -> (Tensor, "
        "Tensor)");
  m.def("clamp(Tensor x, float? min=None, float? max=None) -> Tensor",
        {at::Tag::pt2_compliant_tag});
  m.def(torch::schema("blend((Tensor, Tensor) inputs, float alpha=0.5) -> Tensor"), &blend);
  m.def("add_stream(Tensor(a!) decoder, *, (Tensor, Tensor, Tensor)? mappings=None) -> ()",
        &add_stream);
  m.def("normalize_(Tensor(a!) x, float eps=1e-5) -> Tensor(a!)", TORCH_FN(normalize_));
  m.def("all(int a, float b, bool c, str d, ScalarType e, int[] f, float[2] g, Tensor[] h, Tensor? "
        "i, Scalar j, bool[2] k, Tensor?[] l) -> str",
        all);
  m.def("add1", [](int64_t x) { return x + 1; });
  m.def("pair", [](const Tensor &x, std::optional<std::string> y) {
    return std::make_tuple(x.clone(), y.value_or("none"), std::vector<Tensor>{x.clone()});
  });
  m.def("cast(Tensor x, ScalarType t) -> Tensor",
        [](const Tensor &x, at::ScalarType t) { return x.to(t, false, true); });
  m.def("maybe(Tensor? x, Device? d=None) -> Tensor?",
        [](const std::optional<Tensor> &x, std::optional<at::Device> d) {
          TORCH_CHECK(!d || d->is_cuda(), "d is ", *d);
          return x ? std::optional<Tensor>(x->clone()) : std::nullopt;
        });
  m.def("copy.out(Tensor a, *, Tensor(a!) out) -> Tensor(a!)",
        [](const Tensor &a, Tensor &out) -> Tensor & { return out.copy_(a), out; });
  m.def("copy(Tensor a) -> Tensor", [](const Tensor &a) { return a.clone(); });
  m.def("keep", [](const Tensor &x) { kept = x; });
  m.def("kept", [] { return kept.clone(); });
  m.def("drop", [] { kept.reset(); });
  m.def("itself", [](const Tensor &x) { return x; });
  int64_t captured = 40;
  m.def("plus", [captured](int64_t x) { return captured + x; });
  m.def("throws(int kind) -> int", [](int64_t kind) -> int64_t {
    TORCH_CHECK(kind != 0, "kind is ", kind);
    TORCH_CHECK_VALUE(kind != 1, "value");
    TORCH_CHECK_TYPE(kind != 2, "type");
    TORCH_CHECK_NOT_IMPLEMENTED(kind != 3, "later");
    TORCH_INTERNAL_ASSERT(kind != 4);
    if (kind == 5)
      throw std::runtime_error("plain");
    if (kind == 6)
      throw 6;
    TORCH_CHECK_EQ(kind, 8);
    return kind;
  });
  m.set_python_module("kinds.fakes");
}

TORCH_LIBRARY_IMPL(kinds, CPU, m) {
  m.impl("topk", &topk);
  m.impl("clamp", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(kinds, CompositeExplicitAutograd, m) { m.impl("clamp", clamp); }
TORCH_LIBRARY_IMPL(kinds, Meta, m) { m.impl("topk", &topk); }
TORCH_LIBRARY_IMPL(kinds, Autograd, m) {
  m.impl("topk", torch::CppFunction::makeFallthrough());
  m.impl("nms", &nms);
}
TORCH_LIBRARY_FRAGMENT(kinds, m) {
  m.def("late(Tensor x) -> Tensor");
  m.impl("late", torch::dispatch(torch::kCPU, [](const Tensor &x) { return x.t().contiguous(); }));
  m.impl("late", torch::kCUDA, [](const Tensor &x) { return x; });
}
