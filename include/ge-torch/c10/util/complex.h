//===- c10/util/complex.h - std::complex under torch's name ------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_COMPLEX_H
#define GE_TORCH_C10_UTIL_COMPLEX_H

#include <c10/macros/Macros.h>

#include <complex>

GE_TORCH_OPEN(c10)
template <typename T> using complex = std::complex<T>;
GE_TORCH_CLOSE

#endif // GE_TORCH_C10_UTIL_COMPLEX_H
