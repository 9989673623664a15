//===- torch/headeronly/util/Half.h - the 16-bit floating types --------------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_UTIL_HALF_H
#define GE_TORCH_TORCH_HEADERONLY_UTIL_HALF_H

#include <c10/util/Half.h>

namespace torch::headeronly {
using c10::BFloat16;
using c10::Half;
} // namespace torch::headeronly

#endif // GE_TORCH_TORCH_HEADERONLY_UTIL_HALF_H
