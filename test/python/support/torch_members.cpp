// Prints what the members that docs/torch-headers.md lists compute: sizes, strides, values,
// aliasing, or "throws". The same source is compiled with GE's headers and with PyTorch's own; both
// print the same lines.
#include <torch/all.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>

using at::Tensor;
using MF = at::MemoryFormat;

namespace {

std::string text(at::IntArrayRef list) {
  std::ostringstream out;
  for (size_t i = 0; i < list.size(); ++i)
    out << (i ? "," : "") << list[i];
  return out.str();
}
std::string number(double value) {
  if (std::isnan(value))
    return "nan";
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}
/// The elements in row-major order, by select() and item(), so that no member hides a wrong one.
void elements(const Tensor &t, std::string &out) {
  if (t.dim() > 0) {
    for (int64_t i = 0; i < t.size(0); ++i)
      elements(t.select(0, i), out);
    return;
  }
  out += out.empty() ? "" : " ";
  if (t.is_complex()) {
    auto z = t.item<c10::complex<double>>();
    out += number(z.real()) + "+" + number(z.imag()) + "i";
  } else if (t.is_floating_point()) {
    out += number(t.item<double>());
  } else if (t.scalar_type() == at::kUInt64) {
    out += std::to_string(t.item().to<uint64_t>());
  } else {
    out += std::to_string(t.item<int64_t>());
  }
}
/// Type, sizes, strides.
std::string layout(const Tensor &t) {
  return std::string(c10::toString(t.scalar_type())) + " [" + text(t.sizes()) + "] / [" +
         text(t.strides()) + "]";
}
std::string show(const Tensor &t) {
  std::string values;
  elements(t, values);
  return layout(t) + " : " + values;
}
/// What a result shares with the tensor that it is made of.
std::string shared(const Tensor &a, const Tensor &b) {
  std::string how = a.is_same(b) ? "same" : a.data_ptr() == b.data_ptr() ? "alias" : "copy";
  if (!b.numel() && !a.is_same(b))
    how = "empty"; // whether it has memory is not promised
  return how + " " + layout(b) + " offset " + std::to_string(b.storage_offset());
}
const char *yes(bool value) { return value ? "true" : "false"; }

template <typename F> void print(const char *what, const F &body) {
  std::string result;
  try {
    result = body();
  } catch (const std::exception &) {
    result = "throws";
  }
  std::cout << what << " = " << result << "\n";
}
#define LAYOUT(...) print(#__VA_ARGS__, [&] { return layout(__VA_ARGS__); })
#define ALL(...) print(#__VA_ARGS__, [&] { return show(__VA_ARGS__); })
#define SHARED(base, ...)                                                                          \
  print(#base " -> " #__VA_ARGS__, [&] { return shared(base, __VA_ARGS__); })
#define NUMBER(...) print(#__VA_ARGS__, [&] { return number(double(__VA_ARGS__)); })
#define BOOL(...) print(#__VA_ARGS__, [&] { return std::string(yes(__VA_ARGS__)); })
#define TEXT(...) print(#__VA_ARGS__, [&] { return std::string(__VA_ARGS__); })
#define TYPE(...) print(#__VA_ARGS__, [&] { return std::string(c10::toString(__VA_ARGS__)); })
#define DONE(...)                                                                                  \
  print(#__VA_ARGS__, [&] {                                                                        \
    __VA_ARGS__;                                                                                   \
    return std::string("done");                                                                    \
  })

/// 2 x 3 x 4 with the values 0 to 23.
Tensor grid() {
  Tensor x = at::empty({2, 3, 4}, at::kFloat);
  for (int64_t i = 0; i < 24; ++i)
    x.data_ptr<float>()[i] = float(i);
  return x;
}
Tensor longs(std::vector<int64_t> values) {
  Tensor x = at::empty({int64_t(values.size())}, at::kLong);
  for (size_t i = 0; i < values.size(); ++i)
    x.data_ptr<int64_t>()[i] = values[i];
  return x;
}
Tensor doubles(std::vector<double> values) {
  Tensor x = at::empty({int64_t(values.size())}, at::kDouble);
  for (size_t i = 0; i < values.size(); ++i)
    x.data_ptr<double>()[i] = values[i];
  return x;
}

void copies() {
  Tensor x = grid(), p = x.permute({2, 0, 1}), gaps = x.slice(2, 0, 4, 2);
  Tensor wide = x.narrow(1, 0, 1).expand({2, 7, 4}), one = x.narrow(0, 1, 1),
         column = x.select(1, 1);
  Tensor odd = at::empty_strided({2, 1, 3}, {3, 100, 1}, at::kFloat).fill_(1);
  Tensor none = at::empty({0, 3}, at::kFloat), point = at::full({}, 2.5, at::kFloat);
  Tensor turnedGaps = gaps.permute({2, 1, 0}), turnedNone = at::empty({3, 0, 2}).transpose(0, 2);
  for (const Tensor *t :
       {&x, &p, &gaps, &wide, &one, &column, &odd, &none, &point, &turnedGaps, &turnedNone}) {
    SHARED(*t, t->clone());
    SHARED(*t, t->clone(MF::Contiguous));
    SHARED(*t, t->clone(MF::Preserve));
    SHARED(*t, t->contiguous());
    SHARED(*t, t->to(at::kFloat));
    SHARED(*t, t->to(at::kFloat, false, true));
    SHARED(*t, t->to(at::kDouble));
    SHARED(*t, t->to(at::kDouble, false, false, MF::Contiguous));
    SHARED(*t, t->toType(at::kInt));
    SHARED(*t, t->to(at::TensorOptions().dtype(at::kHalf)));
    SHARED(*t, t->to(at::kCPU, at::kLong));
    SHARED(*t, t->to(at::zeros({1}, at::kByte)));
    SHARED(*t, t->cpu());
    LAYOUT(at::empty_like(*t));
    LAYOUT(at::empty_like(*t, at::TensorOptions(at::kLong)));
    LAYOUT(at::zeros_like(*t));
    LAYOUT(at::ones_like(*t, at::kDouble));
    LAYOUT(at::full_like(*t, 3));
    LAYOUT(t->new_empty({2, 2}));
    ALL(t->new_full({2}, 3));
    ALL(t->new_zeros({1, 2}, at::kInt));
    ALL(t->new_ones({2}, at::TensorOptions(at::kBool)));
    BOOL(t->is_contiguous());
    NUMBER(t->numel());
    NUMBER(t->nbytes());
    NUMBER(t->dim());
    if (t->numel()) {
      ALL(t->clone());
      ALL(t->contiguous());
      ALL(t->to(at::kByte));
    }
  }
  DONE(x.contiguous(MF::Preserve));
  Tensor y = p.clone();
  for (int64_t i = 0; i < p.numel(); ++i)
    y.data_ptr<float>()[i] = -p.data_ptr<float>()[i];
  ALL(y);
  ALL(at::zeros({2, 3}).copy_(doubles({1, 2, 3})));
  ALL(at::zeros({2, 2}, at::kInt).copy_(at::full({}, 7.9)));
  DONE(at::zeros({2, 3}).copy_(doubles({1, 2})));
  DONE(at::zeros({3}).copy_(at::zeros({2, 3})));
  DONE(wide.copy_(x.narrow(1, 0, 1)));
  DONE(wide.fill_(1));
  DONE(wide.zero_());
  DONE(at::zeros({3}).expand({2, 3}).copy_(at::zeros({3})));
  Tensor v = doubles({1, 2, 3, 4, 5});
  DONE(v.slice(0, 0, 4).copy_(v.slice(0, 1, 5)));
  ALL(v.slice(0, 0, 3).copy_(v.slice(0, 0, 3)));
  ALL(v.copy_(v));
  ALL(at::zeros({3, 3}).t().copy_(longs({1, 2, 3})));
}

void views() {
  Tensor x = grid(), t = x.transpose(0, 1), gaps = x.slice(2, 0, 4, 2);
  Tensor wide = x.narrow(1, 0, 1).expand({2, 7, 4}), none = at::empty({0, 3}, at::kFloat);
  Tensor point = at::full({}, 2.5, at::kFloat),
         ones = at::empty_strided({1, 3, 1}, {7, 2, 9}, at::kFloat);
  SHARED(x, x.view({6, 4}));
  SHARED(x, x.view({-1}));
  SHARED(x, x.view({2, 3, 4}));
  SHARED(x, x.view({4, -1, 2}));
  DONE(x.view({5, -1}));
  DONE(x.view({-1, -1}));
  DONE(x.view({-2, 12}));
  DONE(x.view({7}));
  DONE(x.view({0, -1}));
  SHARED(t, t.view({3, 2, 2, 2}));
  DONE(t.view({6, 4}));
  DONE(t.view({-1}));
  SHARED(t, t.view({3, 1, 2, 4}));
  SHARED(t, t.view({3, 2, 4}));
  SHARED(gaps, gaps.view({6, 2}));
  SHARED(gaps, gaps.view({12}));
  SHARED(gaps, gaps.view({2, 3, 2}));
  SHARED(gaps, gaps.view({1, 6, 2, 1}));
  SHARED(wide, wide.view({2, 7, 2, 2}));
  DONE(wide.view({14, 4}));
  SHARED(none, none.view({3, 0}));
  SHARED(none, none.view({0, 3}));
  SHARED(none, none.view({5, 0, 2}));
  SHARED(none, none.view({-1, 3}));
  DONE(none.view({-1, 0}));
  DONE(none.view({-1}));
  SHARED(point, point.view({1, 1}));
  SHARED(point, point.view({-1}));
  SHARED(ones, ones.view({3}));
  SHARED(ones, ones.view({1, 1, 3}));
  SHARED(x, x.reshape({6, 4}));
  SHARED(x, x.reshape({2, 3, 4}));
  SHARED(t, t.reshape({3, 2, 2, 2}));
  SHARED(t, t.reshape({6, 4}));
  ALL(t.reshape({-1}));
  SHARED(gaps, gaps.reshape({6, 2}));
  SHARED(wide, wide.reshape({2, 7, 4}));
  SHARED(wide, wide.reshape({14, 4}));
  SHARED(none, none.reshape({3, 0}));
  SHARED(point, point.reshape({1}));
  DONE(x.reshape({5, 5}));
  SHARED(x, x.flatten());
  SHARED(x, x.flatten(1));
  SHARED(x, x.flatten(0, 1));
  SHARED(x, x.flatten(1, 1));
  SHARED(x, x.flatten(-2, -1));
  SHARED(t, t.flatten());
  SHARED(t, t.flatten(1, 2));
  SHARED(t, t.flatten(2, 2));
  SHARED(gaps, gaps.flatten(0, 1));
  SHARED(wide, wide.flatten(0, 1));
  SHARED(point, point.flatten());
  SHARED(none, none.flatten());
  DONE(x.flatten(2, 1));
  DONE(x.flatten(0, 3));
  DONE(x.flatten(-4));
  SHARED(x, x.expand({2, 3, 4}));
  SHARED(x, x.expand({-1, -1, -1}));
  SHARED(x, x.expand({5, 2, 3, 4}));
  SHARED(x, x.expand({1, 2, 3, 4}));
  SHARED(x, x.expand({6, 1, -1, 3, -1}));
  SHARED(x, x.narrow(1, 0, 1).expand({2, 7, -1}));
  SHARED(x, x.narrow(1, 0, 1).expand({3, -1, 7, 4}));
  SHARED(x, x.narrow(1, 0, 1).expand({2, 1, 4}));
  SHARED(x, x.narrow(1, 0, 1).expand({2, 0, 4}));
  SHARED(point, point.expand({2, 3}));
  SHARED(point, point.expand({1}));
  SHARED(point, point.expand({}));
  SHARED(none, none.expand({4, -1, 3}));
  DONE(x.expand({-1, 2, 3, 4}));
  DONE(x.expand({3, 4}));
  DONE(x.expand({2, 5, 4}));
  DONE(x.expand({2, 3, 4, 1}));
  DONE(x.narrow(1, 0, 1).expand({2, -2, 4}));
  DONE(x.expand({0, 3, 4}));
  SHARED(x, x.select(1, -1));
  SHARED(x, x[1]);
  SHARED(x, x[-1][2]);
  DONE(x.select(0, 2));
  DONE(x.select(0, -3));
  DONE(x.select(3, 0));
  DONE(point.select(0, 0));
  DONE(point[0]);
  DONE(none.select(0, 0));
  SHARED(x, x.slice(1, 1));
  SHARED(x, x.slice(2, -3, -1));
  SHARED(x, x.slice(2, 3, 1));
  SHARED(x, x.slice(2, 0, 4, 3));
  SHARED(x, x.slice(2, -100, 100, 2));
  SHARED(x, x.slice(1, 5, 9));
  SHARED(x, x.slice());
  DONE(x.slice(0, 0, 1, 0));
  DONE(x.slice(0, 0, 1, -1));
  DONE(point.slice(0));
  SHARED(x, x.narrow(2, 1, 2));
  SHARED(x, x.narrow(-1, -2, 2));
  SHARED(x, x.narrow(1, 3, 0));
  DONE(x.narrow(2, 1, 4));
  DONE(x.narrow(2, 1, -1));
  DONE(x.narrow(2, 5, 0));
  DONE(point.narrow(0, 0, 1));
  SHARED(x, x.permute({2, 0, 1}));
  SHARED(x, x.permute({-1, 0, 1}));
  SHARED(point, point.permute({}));
  DONE(x.permute({0, 1}));
  DONE(x.permute({0, 1, 1}));
  DONE(x.permute({0, 1, 3}));
  SHARED(x, x.transpose(0, -1));
  SHARED(x, x.transpose(1, 1));
  SHARED(point, point.transpose(0, 0));
  DONE(x.transpose(0, 3));
  DONE(x.t());
  SHARED(x, x[0].t());
  SHARED(x, x[0][0].t());
  SHARED(point, point.t());
  SHARED(x, x.unsqueeze(0));
  SHARED(x, x.unsqueeze(-1));
  SHARED(x, x.unsqueeze(1));
  SHARED(t, t.unsqueeze(2));
  SHARED(point, point.unsqueeze(0));
  DONE(x.unsqueeze(4));
  DONE(x.unsqueeze(-5));
  SHARED(ones, ones.squeeze());
  SHARED(ones, ones.squeeze(0));
  SHARED(ones, ones.squeeze(1));
  SHARED(ones, ones.squeeze(-1));
  SHARED(point, point.squeeze(0));
  SHARED(point, point.squeeze());
  DONE(ones.squeeze(3));
  NUMBER(x.size(-1));
  NUMBER(x.stride(0));
  DONE(x.size(3));
  DONE(point.size(0));
  DONE(point.stride(0));
  NUMBER(x.slice(2, 1).storage_offset());
  NUMBER((x.accessor<float, 3>()[1][2][3]));
  Tensor turned = x.permute({2, 0, 1});
  NUMBER((turned.accessor<float, 3>()[3][1][2]));
  DONE((void)x.accessor<float, 2>());
  DONE((void)x.accessor<double, 3>());
  DONE((void)x.data_ptr<double>());
  DONE((void)x.const_data_ptr<int>());
  DONE((void)x.mutable_data_ptr<at::Half>());
  BOOL(x.data_ptr<float>() == x.const_data_ptr<float>());
}

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

void assignments() {
  Tensor x = grid(), y = x;
  DONE(y[0][1] = 7.5);
  ALL(x.select(0, 0));
  DONE(y[1] = at::ones({4}));
  ALL(x.select(0, 1));
  DONE(y.select(0, 1).select(0, 2) = x[0][0]);
  ALL(x.select(0, 1));
  DONE(y[0] = at::ones({5}));
  Tensor z = at::zeros({2});
  z = y[0][2];
  SHARED(y, z);
  ALL(z);
  BOOL(y.is_same(x));
  y = at::zeros({1});
  BOOL(y.is_same(x));
  ALL(torch::cat({x, x.narrow(1, 0, 1)}, 1));
  ALL(torch::cat({x.transpose(0, 2), x.transpose(0, 2)}, -1));
  ALL(torch::cat({at::zeros({0}), at::ones({2})}));
  LAYOUT(torch::cat({at::zeros({0, 3}), at::ones({2, 3})}));
  LAYOUT(torch::cat({at::zeros({0})}));
  DONE(torch::cat({x, at::zeros({2, 3})}));
  DONE(torch::cat({x, at::zeros({2, 4, 4})}, 2));
  DONE(torch::cat({at::zeros({}), at::zeros({})}));
  DONE(torch::cat({x, x}, 3));
  DONE(torch::cat(std::vector<Tensor>()));
  ALL(torch::tensor(1.5));
  ALL(torch::tensor(3));
  ALL(torch::tensor(true));
  ALL(torch::tensor(1.5, torch::kFloat64));
  ALL(torch::tensor(2, at::kHalf));
  ALL(at::tensor(1.5));
  ALL(at::tensor(3, at::kFloat));
}

void checks() {
  int one = 1, two = 2;
  THROWN(TORCH_CHECK(one == two, "values ", one, " and ", 2.5, " differ"));
  THROWN(TORCH_CHECK(true, "no"));
  THROWN(TORCH_CHECK_VALUE(false, "value"));
  THROWN(TORCH_CHECK_INDEX(false, "index"));
  THROWN(TORCH_CHECK_TYPE(false, "type"));
  THROWN(TORCH_CHECK_NOT_IMPLEMENTED(false, "later"));
  THROWN(C10_THROW_ERROR(ValueError, "thrown"));
  THROWN(if (one == two) { TORCH_CHECK(false, "a") } else { TORCH_CHECK(false, "b") });
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

// --- Random tensors: what views and copies of them look like

struct Draw {
  uint64_t state;
  int64_t operator()(int64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return int64_t((state >> 33) % uint64_t(below));
  }
};
/// Permuted, cut, broadcast and reshaped some times.
Tensor drawn(Draw &draw) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (int64_t rank = draw(5); rank > 0; --rank)
    sizes.push_back(draw(12) == 0 ? 0 : 1 + draw(4));
  for (int64_t size : sizes)
    count *= size;
  Tensor t = at::empty(sizes, at::kFloat);
  for (int64_t i = 0; i < count; ++i)
    t.data_ptr<float>()[i] = float(i);
  for (int64_t turns = draw(4); turns > 0; --turns) {
    int64_t rank = t.dim(), dim = rank ? draw(rank) : 0;
    switch (draw(6)) {
    case 0:
      t = rank ? t.transpose(dim, draw(rank)) : t;
      break;
    case 1:
      t = rank ? t.slice(dim, draw(2), t.size(dim) - draw(2), 1 + draw(2)) : t;
      break;
    case 2:
      t = t.unsqueeze(draw(rank + 1));
      break;
    case 3:
      t = rank && t.size(dim) > 1 ? t.select(dim, 0) : t;
      break;
    case 4: {
      std::vector<int64_t> wanted(size_t(rank) + size_t(draw(2)), -1);
      for (size_t i = 0; i < wanted.size(); ++i) {
        size_t added = wanted.size() - size_t(rank);
        if (i < added)
          wanted[i] = 1 + draw(3);
        else if (t.size(int64_t(i - added)) == 1)
          wanted[i] = 1 + draw(3);
      }
      t = t.expand(wanted);
      break;
    }
    default:
      t = draw(2) ? t.squeeze() : rank ? t.squeeze(dim) : t;
    }
  }
  return t;
}
/// Sizes with the product of the tensor's, often with one of -1.
std::vector<int64_t> otherSizes(const Tensor &t, Draw &draw) {
  std::vector<int64_t> sizes;
  int64_t rest = t.numel();
  if (rest == 0)
    return {draw(3), 0, 1 + draw(2)};
  for (int64_t part = 2; rest > 1;)
    if (rest % part == 0) {
      rest /= part;
      if (!sizes.empty() && draw(2))
        sizes.back() *= part;
      else
        sizes.push_back(part);
    } else {
      ++part;
    }
  if (draw(2))
    sizes.insert(sizes.begin() + draw(int64_t(sizes.size()) + 1), 1);
  if (!sizes.empty() && draw(3) == 0)
    sizes[size_t(draw(int64_t(sizes.size())))] = -1;
  return sizes;
}
void random(int count) {
  for (int seed = 0; seed < count; ++seed) {
    Draw draw{uint64_t(seed) * 7919 + 17};
    Tensor t = drawn(draw);
    std::vector<int64_t> sizes = otherSizes(t, draw), same = t.sizes().vec();
    std::cout << "-- " << seed << ": " << layout(t) << " to [" << text(sizes) << "]\n";
    SHARED(t, t.clone());
    SHARED(t, t.to(at::kDouble));
    SHARED(t, t.contiguous());
    LAYOUT(at::empty_like(t));
    SHARED(t, t.view(sizes));
    SHARED(t, t.view(same));
    SHARED(t, t.reshape(sizes));
    SHARED(t, t.flatten());
    int64_t first = t.dim() ? draw(t.dim()) : 0;
    SHARED(t, t.flatten(first));
    BOOL(t.is_contiguous());
    BOOL(t.is_non_overlapping_and_dense());
    ALL(t.reshape(sizes));
    ALL(t.clone());
  }
}

} // namespace

int main(int count, char **arguments) {
  copies();
  views();
  numbers();
  scalars();
  halves<at::Half>("Half");
  halves<at::BFloat16>("BFloat16");
  undefined();
  makers();
  assignments();
  checks();
  stableTensors();
  random(count > 1 ? std::atoi(arguments[1]) : 20);
}
