//===- torch/headeronly/util/BFloat16.h - the 16-bit floating types ----------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_UTIL_BFLOAT16_H
#define GE_TORCH_TORCH_HEADERONLY_UTIL_BFLOAT16_H

#include <torch/headeronly/util/Half.h>

#endif // GE_TORCH_TORCH_HEADERONLY_UTIL_BFLOAT16_H
