// Prints what expressions with torch's headers compute, a line each: "expression = result". The
// same sources are compiled with GE's headers and with PyTorch's own, and print the same lines.
#pragma once

#include <torch/all.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>

using at::Tensor;
using MF = at::MemoryFormat;

inline std::string text(at::IntArrayRef list) {
  std::ostringstream out;
  for (size_t i = 0; i < list.size(); ++i)
    out << (i ? "," : "") << list[i];
  return out.str();
}
inline std::string number(double value) {
  if (std::isnan(value))
    return "nan";
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}
/// The elements in row-major order, by select() and item(), so that no member hides a wrong one.
inline void elements(const Tensor &t, std::string &out) {
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
inline std::string layout(const Tensor &t) {
  return std::string(c10::toString(t.scalar_type())) + " [" + text(t.sizes()) + "] / [" +
         text(t.strides()) + "]";
}
inline std::string show(const Tensor &t) {
  std::string values;
  elements(t, values);
  return layout(t) + " : " + values;
}
/// What a result shares with the tensor that it is made of.
inline std::string shared(const Tensor &a, const Tensor &b) {
  std::string how = a.is_same(b) ? "same" : a.data_ptr() == b.data_ptr() ? "alias" : "copy";
  if (!b.numel() && !a.is_same(b))
    how = "empty"; // whether it has memory is not promised
  return how + " " + layout(b) + " offset " + std::to_string(b.storage_offset());
}
inline const char *yes(bool value) { return value ? "true" : "false"; }

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
inline Tensor grid() {
  Tensor x = at::empty({2, 3, 4}, at::kFloat);
  for (int64_t i = 0; i < 24; ++i)
    x.data_ptr<float>()[i] = float(i);
  return x;
}
inline Tensor longs(std::vector<int64_t> values) {
  Tensor x = at::empty({int64_t(values.size())}, at::kLong);
  for (size_t i = 0; i < values.size(); ++i)
    x.data_ptr<int64_t>()[i] = values[i];
  return x;
}
inline Tensor doubles(std::vector<double> values) {
  Tensor x = at::empty({int64_t(values.size())}, at::kDouble);
  for (size_t i = 0; i < values.size(); ++i)
    x.data_ptr<double>()[i] = values[i];
  return x;
}
