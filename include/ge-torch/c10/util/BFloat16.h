//===- c10/util/BFloat16.h - the 16-bit floating types -----------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_BFLOAT16_H
#define GE_TORCH_C10_UTIL_BFLOAT16_H

#include <c10/util/Half.h>

#endif // GE_TORCH_C10_UTIL_BFLOAT16_H
