//===- c10/macros/Macros.h - words that torch's sources are written with -----------------------===//
#ifndef GE_TORCH_C10_MACROS_MACROS_H
#define GE_TORCH_C10_MACROS_MACROS_H

#include <cstddef>
#include <cstdint>

/// Everything is in an inline namespace of ours, so that a library of these headers and real torch
/// can be in one process.
#define GE_TORCH_OPEN(ns)                                                                          \
  namespace ns {                                                                                   \
  inline namespace ge_torch_headers {
#define GE_TORCH_CLOSE                                                                             \
  }                                                                                                \
  }

#define C10_API
#define C10_EXPORT __attribute__((visibility("default")))
#define C10_HIDDEN __attribute__((visibility("hidden")))
#define TORCH_API
#define C10_HOST_DEVICE
#define C10_HOST
#define C10_DEVICE
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_NOINLINE __attribute__((noinline))
#define C10_RESTRICT __restrict
#define C10_UNUSED __attribute__((unused))
#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))
#define C10_STRINGIZE_(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_(x)
#define C10_CONCATENATE_(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_(a, b)
#define C10_UID __COUNTER__
#define C10_ANONYMOUS_VARIABLE(name) C10_CONCATENATE(name, __COUNTER__)

#endif // GE_TORCH_C10_MACROS_MACROS_H
