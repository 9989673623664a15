//===- torch/headeronly/util/Exception.h - STD_TORCH_CHECK -------------------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_UTIL_EXCEPTION_H
#define GE_TORCH_TORCH_HEADERONLY_UTIL_EXCEPTION_H

// STD_TORCH_CHECK(x) leaves the rest of a variadic macro out.
#pragma GCC system_header

#include <c10/util/Exception.h>

#define STD_TORCH_CHECK(condition, ...)                                                            \
  GE_TORCH_CHECK(::c10::Error, GE_TORCH_EXPECTED(condition), condition, ##__VA_ARGS__)

#endif // GE_TORCH_TORCH_HEADERONLY_UTIL_EXCEPTION_H
