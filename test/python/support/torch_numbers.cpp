// Which numbers tensors, scalars and the 16-bit types hold, what makes tensors, checks, and
// torch::stable (torch_probe.h).
#include "torch_probe.h"

#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

namespace {

template <typename T> Tensor filled(at::ScalarType type, T value) {
  return at::zeros({1}, type).fill_(value);
}

void numbers() {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  // Each element type by what may not fit it.
  for (at::ScalarType type :
       {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat,
        at::kDouble, at::kBool, at::kUInt16, at::kUInt32, at::kUInt64, at::kComplexFloat}) {
    std::cout << "-- " << c10::toString(type) << "\n";
    for (int64_t value : {int64_t(0),
                          int64_t(1),
                          int64_t(-1),
                          int64_t(127),
                          int64_t(-128),
                          int64_t(-129),
                          int64_t(128),
                          int64_t(255),
                          int64_t(-255),
                          int64_t(-256),
                          int64_t(256),
                          int64_t(32767),
                          int64_t(-32768),
                          int64_t(40000),
                          int64_t(65504),
                          int64_t(65519),
                          int64_t(65535),
                          int64_t(65536),
                          int64_t(-65535),
                          int64_t(-65536),
                          int64_t(2147483647),
                          int64_t(2147483648),
                          int64_t(-2147483649),
                          int64_t(16777217),
                          int64_t(9007199254740993)}) {
      if (value < 0 && type == at::kUInt64)
        continue;
      ALL(filled(type, value));
      ALL(at::full({1}, value, type));
    }
    for (double value :
         {0.5, 2.5, -2.5, 300.0, -129.5, 1e20, -1e20, 65519.0, 65520.0, 3.5e38, 1e300, -1e300}) {
      if (value < 0 &&
          (type == at::kUInt64 || type == at::kUInt32 || type == at::kUInt16 || type == at::kByte))
        continue;
      ALL(filled(type, value));
      ALL(at::full_like(at::zeros({1}, type), value));
    }
    ALL(filled(type, inf));
    ALL(filled(type, -inf));
    ALL(filled(type, nan));
    ALL(filled(type, true));
    ALL(at::scalar_tensor(256, type));
    ALL(at::zeros({1}, type).new_full({1}, 70000));
    ALL(at::zeros({1}, type).new_full({1}, 2, at::kInt));
    ALL(longs({0, 1, 3}).to(type));
    ALL(doubles({0, 0.25, 1.5, 3.9}).to(type));
    BOOL(c10::isFloatingType(type));
    BOOL(c10::isIntegralType(type, true));
    BOOL(c10::isIntegralType(type, false));
    BOOL(c10::isComplexType(type));
    BOOL(c10::isSignedType(type));
    NUMBER(c10::elementSize(type));
    BOOL(at::zeros({1}, type).is_signed());
  }
  ALL(longs({300, -1, 255, 1 << 20}).to(at::kByte));
  ALL(longs({300, -1, 128, -129}).to(at::kChar));
  ALL(doubles({3.9, -3.9, 127.5}).to(at::kInt));
  ALL(doubles({0, -0.0, 0.1, nan}).to(at::kBool));
  // One rounding: 2^53 + 2^29 + 1 is above the middle of two numbers of f32, and in f64 it is the
  // middle.
  ALL(longs({(int64_t(1) << 53) + (int64_t(1) << 29) + 1, 16777217, -16777217, 9007199254740993})
          .to(at::kFloat));
  ALL(longs({2049, 65504, 65519, 65520, -70000}).to(at::kHalf));
  ALL(longs({257, 259, 1000001}).to(at::kBFloat16));
  ALL(doubles({65519.9, 65520, 1e-8, 2049, 2051, 5.9604644775390625e-8}).to(at::kHalf));
  ALL(doubles({1e39, 16777217}).to(at::kFloat));
  ALL(at::full({1}, 3));
  ALL(at::full({1}, 3.5));
  ALL(at::full({1}, true));
  ALL(at::full({1}, 3, at::device(at::kCPU)));
  ALL(at::full({1}, 2.5, at::TensorOptions()));
  ALL(at::scalar_tensor(3));
  ALL(at::scalar_tensor(2.5, at::kInt));
  ALL(at::full({2, 0}, 3));
  ALL(at::ones({2}, at::kHalf));
  ALL(at::zeros({}));
  DONE(at::empty({-1}));
  DONE(at::empty({int64_t(1) << 40, int64_t(1) << 40}));
  NUMBER(at::full({1}, 300, at::kInt).item<int64_t>());
  DONE(at::full({1}, 300, at::kInt).item<uint8_t>());
  DONE(at::full({1}, 300, at::kInt).item<int8_t>());
  NUMBER(at::full({1}, -1, at::kInt).item<uint8_t>());
  DONE(at::full({1}, 1e39, at::kDouble).item<float>());
  NUMBER(at::full({1}, 2.9, at::kDouble).item<int64_t>());
  BOOL(at::full({1}, 2, at::kInt).item<bool>());
  DONE(at::zeros({2}).item());
  DONE(at::zeros({0}).item());
  TYPE(at::full({1}, 3, at::kInt).item().type());
  TYPE(at::full({1}, 3, at::kHalf).item().type());
  TYPE(at::full({1}, 1, at::kBool).item().type());
}

void scalars() {
  for (at::Scalar s :
       {at::Scalar(3), at::Scalar(-1), at::Scalar(300), at::Scalar(2.5), at::Scalar(1e300),
        at::Scalar(true), at::Scalar(std::nan("")), at::Scalar(c10::complex<double>(1, 2)),
        at::Scalar(c10::complex<double>(1, 0)), at::Scalar(at::Half(1.5f)),
        at::Scalar(at::BFloat16(2.f))}) {
    NUMBER(s.to<int64_t>());
    NUMBER(s.to<int>());
    NUMBER(s.to<int8_t>());
    NUMBER(s.to<uint8_t>());
    NUMBER(s.to<float>());
    NUMBER(s.to<double>());
    NUMBER(s.to<at::Half>());
    BOOL(s.to<bool>());
    NUMBER(s.toLong());
    NUMBER(s.toDouble());
    BOOL(s.isFloatingPoint());
    BOOL(s.isIntegral(true));
    BOOL(s.isIntegral(false));
    BOOL(s.isBoolean());
    BOOL(s.isComplex());
    TYPE(s.type());
  }
  NUMBER(at::Scalar().toLong());
}

template <typename H> void halves(const char *name) {
  std::cout << "-- " << name << "\n";
  H a(0.1f), b(0.2f), c(3.0f);
  NUMBER(sizeof(a + b));
  NUMBER(float(a + b));
  NUMBER(float(a - b));
  NUMBER(float(a * b));
  NUMBER(float(a / c));
  NUMBER(float(-a));
  NUMBER(sizeof(-a));
  NUMBER(sizeof(a + 1.0f));
  NUMBER(sizeof(1.0f + a));
  NUMBER(sizeof(a * 2.0));
  NUMBER(sizeof(2.0 - a));
  NUMBER(sizeof(a + 1));
  NUMBER(sizeof(1 - a));
  NUMBER(sizeof(a * int64_t(3)));
  NUMBER(sizeof(int64_t(3) / c));
  NUMBER(a + 1.0f);
  NUMBER(a * 2.0);
  NUMBER(a + 1);
  NUMBER(1 - a);
  NUMBER(c / 7);
  NUMBER(2049 + c);
  NUMBER(a * int64_t(3));
  NUMBER(H(60000.0f) + H(60000.0f));
  NUMBER(a += b);
  NUMBER(a -= H(0.05f));
  NUMBER(a *= c);
  NUMBER(a /= c);
  NUMBER(a += 1.0f);
  float f = 1;
  NUMBER(f += b);
  NUMBER(f *= b);
  BOOL(b < c);
  BOOL(b == H(0.2f));
  BOOL(b > 0.1f);
  NUMBER(c == 3 ? 1 : 0);
  NUMBER(std::max(b, c));
  H sum(0.0f);
  for (int i = 0; i < 3000; ++i)
    sum += H(1.0f);
  NUMBER(sum);
  std::vector<H> many(3000, H(1.0f));
  NUMBER(std::accumulate(many.begin(), many.end(), H(0.0f)));
  using Limits = std::numeric_limits<H>;
  BOOL(Limits::is_specialized);
  NUMBER(Limits::max());
  NUMBER(Limits::lowest());
  NUMBER(Limits::min());
  NUMBER(Limits::epsilon());
  NUMBER(Limits::infinity());
  NUMBER(Limits::quiet_NaN());
  NUMBER(Limits::denorm_min());
  NUMBER(Limits::digits);
  BOOL(Limits::is_signed);
  BOOL(Limits::is_integer);
  BOOL(Limits::has_infinity);
}

void undefined() {
  Tensor u;
  BOOL(u.defined());
  NUMBER(u.numel());
  NUMBER(u.dim());
  TEXT(text(u.sizes()));
  DONE(u.strides());
  TYPE(u.scalar_type());
  BOOL(u.dtype() == caffe2::TypeMeta());
  DONE(u.device());
  BOOL(u.is_same(Tensor()));
  DONE(u.size(0));
  DONE(u.stride(0));
  DONE(u.clone());
  DONE(u.contiguous());
  DONE(u.to(at::kFloat));
  DONE(u.view({1}));
  DONE(u.reshape({1}));
  DONE(u.fill_(1));
  DONE(u.item());
  DONE(u.select(0, 0));
  DONE(u.data_ptr<float>());
  DONE(at::empty_like(u));
  DONE(at::zeros({1}).copy_(u));
  DONE(u.copy_(at::zeros({1})));
  Tensor v = at::zeros({1});
  v.reset();
  BOOL(v.defined());
}

void makers() {
  ALL(torch::tensor({1.5, 2.5}));
  ALL(torch::tensor({1, 2}));
  ALL(torch::tensor({1.5, 2.5}, at::kInt));
  ALL(torch::tensor({int64_t(1) << 40}, at::kLong));
  ALL(torch::tensor(std::vector<double>{1.5}));
  ALL(torch::tensor(std::vector<float>{1.5f}));
  ALL(torch::tensor(std::vector<int>{1, 2}));
  ALL(torch::tensor(std::vector<int64_t>{1, 2}, at::kDouble));
  ALL(torch::tensor({true, false}));
  ALL(at::tensor({1.5, 2.5}));
  ALL(at::tensor({1, 2}));
  ALL(at::tensor(std::vector<double>{1.5}));
  ALL(at::tensor(std::vector<int>{1, 2}));
  LAYOUT(at::empty_strided({2, 3}, {1, 2}));
  LAYOUT(at::empty_strided({2, 3}, {0, 1}));
  LAYOUT(at::empty_strided({0, 3}, {5, 1}));
  DONE(at::empty_strided({2}, {1, 1}));
  DONE(at::empty_strided({2}, {-1}));
  float memory[6] = {0, 1, 2, 3, 4, 5};
  ALL(at::from_blob(memory, {2, 3}, at::kFloat));
  ALL(at::from_blob(memory, {2, 3}));
  ALL(at::from_blob(memory, {3, 2}, {1, 3}, at::kFloat));
  int freed = 0;
  {
    Tensor t = at::from_blob(memory, {6}, [&](void *) { ++freed; }, at::kFloat);
    Tensor part = t.slice(0, 2);
    t.reset();
    NUMBER(freed);
    ALL(part);
  }
  NUMBER(freed);
  TYPE(at::TensorOptions().dtype().toScalarType());
  BOOL(at::TensorOptions().has_dtype());
  TYPE(at::TensorOptions().dtype(at::kInt).dtype().toScalarType());
  TYPE(at::dtype(at::kHalf).dtype().toScalarType());
  BOOL(at::TensorOptions(at::kFloat).device() == at::Device(at::kCPU));
  TEXT(at::Device("cuda:1").str());
  TEXT(at::Device(at::kCPU).str());
  BOOL(at::Device("cpu").is_cpu());
  NUMBER(at::Device("cuda:3").index());
  DONE(at::Device("nowhere"));
  DONE(at::Device("cuda:x"));
  DONE(at::Device("cuda:-1"));
}

/// What a check throws: its text, without a trace.
template <typename F> std::string thrown(const F &body) {
  try {
    body();
    return "nothing";
  } catch (const c10::Error &error) {
    return error.what_without_backtrace();
  }
}
#define THROWN(...) print(#__VA_ARGS__, [&] { return thrown([&] { __VA_ARGS__; }); })

void checks() {
  int one = 1, two = 2;
  THROWN(TORCH_CHECK(one == two, "values ", one, " and ", 2.5, " differ"));
  THROWN(TORCH_CHECK(true, "no"));
  THROWN(TORCH_CHECK_VALUE(false, "value"));
  THROWN(TORCH_CHECK_INDEX(false, "index"));
  THROWN(TORCH_CHECK_TYPE(false, "type"));
  THROWN(TORCH_CHECK_NOT_IMPLEMENTED(false, "later"));
  THROWN(C10_THROW_ERROR(ValueError, "thrown"));
  THROWN(if (one == two) { TORCH_CHECK(false, "a") } else {TORCH_CHECK(false, "b")});
  THROWN(TORCH_CHECK_EQ(one, one) << "no");
  DONE(TORCH_CHECK_LT(two, one) << "text");
  TEXT(c10::str("a", 1, 2.5, true, at::kFloat, at::IntArrayRef({1, 2})));
  TEXT(c10::str());
  BOOL(at::IntArrayRef({1, 2}).equals({1, 2}));
  std::vector<int64_t> list{3, 4, 5, 6};
  at::IntArrayRef view(list);
  TEXT(text(view.slice(1)));
  TEXT(text(view.slice(1, 2)));
  DONE((void)view.slice(3, 2));
  DONE((void)view.at(4));
  NUMBER(view.front() * 10 + view.back());
  NUMBER(view.vec().size());
  BOOL(view == at::IntArrayRef(list));
  BOOL(view != list);
  NUMBER(std::accumulate(view.begin(), view.end(), 0));
  int64_t sum = 0;
  for (auto i : c10::irange(3))
    sum = sum * 10 + i;
  for (auto i : c10::irange(2, 5))
    sum = sum * 10 + i;
  for (auto i : c10::irange(5, 2))
    sum += 1000 * i;
  NUMBER(sum);
  c10::List<int64_t> items({1, 2});
  items.push_back(7);
  NUMBER(items.size());
  NUMBER(items.get(2));
  DONE((void)items.get(3));
  std::vector<int64_t> hits(10);
  at::parallel_for(0, 10, 2, [&](int64_t a, int64_t b) {
    for (int64_t i = a; i < b; ++i)
      hits[size_t(i)] += i;
  });
  TEXT(text(hits));
  for (at::ScalarType type : {at::kFloat, at::kInt, at::kBool, at::kHalf, at::kComplexFloat}) {
    auto size = [&] {
      return AT_DISPATCH_ALL_TYPES(type, "size", [&] { return sizeof(scalar_t); });
    };
    NUMBER(size());
    NUMBER(AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, "f", [&] { return sizeof(scalar_t); }));
    NUMBER(AT_DISPATCH_ALL_TYPES_AND2(at::kBool, at::kHalf, type, "f",
                                      [&] { return sizeof(scalar_t); }));
    NUMBER(AT_DISPATCH_INTEGRAL_TYPES(type, "f", [&] { return sizeof(scalar_t); }));
    NUMBER(AT_DISPATCH_COMPLEX_TYPES(type, "f", [&] { return sizeof(scalar_t); }));
  }
  c10::complex<float> z(1, 2);
  NUMBER((z * z).real());
  NUMBER((z * 2.0f).imag());
  NUMBER(std::abs(c10::complex<double>(3, 4)));
}

// --- torch::stable

namespace stable = torch::stable;
std::string layout(const stable::Tensor &t) {
  return std::string(c10::toString(t.scalar_type())) + " [" +
         text(at::IntArrayRef(t.sizes().data(), t.sizes().size())) + "] / [" +
         text(at::IntArrayRef(t.strides().data(), t.strides().size())) + "]";
}
/// The elements of a float tensor in row-major order.
std::string show(const stable::Tensor &t) {
  stable::Tensor rows = stable::contiguous(t);
  std::string result = layout(t) + " :";
  for (int64_t i = 0; i < rows.numel(); ++i)
    result += " " + number(static_cast<const float *>(rows.data_ptr())[i]);
  return result;
}
std::string shared(const stable::Tensor &a, const stable::Tensor &b) {
  return std::string(a.data_ptr() == b.data_ptr() ? "alias " : "copy ") + layout(b);
}

void stableTensors() {
  float memory[24];
  std::iota(memory, memory + 24, 0.0F);
  stable::Device cpu(torch::headeronly::DeviceType::CPU);
  stable::Tensor x = stable::from_blob(memory, {2, 3, 4}, {12, 4, 1}, cpu, at::kFloat);
  stable::Tensor t = stable::transpose(x, 0, 1);
  ALL(x);
  ALL(t);
  SHARED(x, stable::clone(x));
  SHARED(t, stable::clone(t));
  SHARED(t, stable::contiguous(t));
  SHARED(x, stable::contiguous(x));
  SHARED(t, stable::empty_like(t));
  LAYOUT(stable::empty({2, 3}, at::kHalf));
  LAYOUT(stable::empty({2, 3}));
  ALL(stable::full({2}, 2.5, at::kFloat));
  ALL(stable::new_zeros(x, {2, 2}));
  LAYOUT(stable::new_empty(x, {2, 2}));
  LAYOUT(stable::new_empty(x, {2, 2}, at::kLong));
  SHARED(t, stable::to(t, at::kDouble));
  SHARED(t, stable::to(t, at::kFloat));
  SHARED(t, stable::to(t, cpu));
  SHARED(t, stable::to(t, cpu, false, true));
  ALL(stable::narrow(t, 2, 1, 2));
  ALL(stable::select(t, 0, 2));
  ALL(stable::unsqueeze(t, 1));
  ALL(stable::squeeze(stable::unsqueeze(t, 1), 1));
  SHARED(t, stable::view(t, {3, 2, 2, 2}));
  DONE(stable::view(t, {6, 4}));
  SHARED(t, stable::reshape(t, {6, 4}));
  SHARED(t, stable::reshape(t, {3, 2, 2, 2}));
  SHARED(t, stable::flatten(t));
  SHARED(x, stable::flatten(x, 1));
  SHARED(t, stable::flatten(t, 2, 2));
  stable::Tensor to = stable::empty({3, 4}, at::kFloat);
  ALL(stable::copy_(to, stable::select(x, 0, 1)));
  ALL(stable::fill_(to, 1.5));
  ALL(stable::zero_(to));
  DONE(stable::select(x, 0, 2));
  DONE(stable::narrow(x, 0, 1, 2));
  NUMBER(x.dim());
  NUMBER(x.size(-1));
  NUMBER(x.stride(1));
  NUMBER(x.numel());
  BOOL(t.is_contiguous());
  BOOL(x.is_cpu());
  BOOL(x.defined());
  BOOL(stable::Tensor().defined());
}

} // namespace

int main() {
  numbers();
  scalars();
  halves<at::Half>("Half");
  halves<at::BFloat16>("BFloat16");
  undefined();
  makers();
  checks();
  stableTensors();
}
