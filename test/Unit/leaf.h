//===- leaf.h - texts, errors and contexts in tests of what graphs are made from ----------------===//

#ifndef GE_TEST_UNIT_LEAF_H
#define GE_TEST_UNIT_LEAF_H

#include "check.h"
#include "context.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

using namespace ge;

inline void checkText(const std::string &got, std::string_view expected, int line) {
  if (got == expected)
    return;
  std::fprintf(stderr, "%s:%d: got      %s\n%*sexpected %.*s\n", __FILE__, line, got.c_str(), 4, "",
               int(expected.size()), expected.data());
  ++failures;
}
#define CHECK_TEXT(got, expected) checkText(got, expected, __LINE__)

/// The message of the error that `action` must throw, of this kind.
template <typename Action> std::string errorOf(ErrorKind kind, const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    CHECK(error.kind() == kind);
    return error.message();
  }
  CHECK(!"no error was thrown");
  return {};
}
#define CHECK_ERROR(kind, text, ...)                                                               \
  CHECK(errorOf(kind, [&] { __VA_ARGS__; }).find(text) != std::string::npos)

inline std::string text(Attribute attr) {
  std::string out;
  attr.print(out);
  return out;
}
inline std::string text(const AttrRef &attr) { return text(attr.get()); }

inline const Type *shaped(Context &c, DType dtype, std::vector<int64_t> sizes) {
  std::vector<Dim> dims;
  for (int64_t size : sizes)
    dims.push_back({size, nullptr});
  return c.tensorType({dtype, true, dims});
}

template <typename T>
TensorPtr tensorOf(Context &c, DType dtype, std::vector<int64_t> sizes, std::vector<T> data) {
  return TensorPtr::adopt(
      Tensor::copy(shaped(c, dtype, sizes), data.data(), data.size() * sizeof(T)));
}

#endif // GE_TEST_UNIT_LEAF_H
