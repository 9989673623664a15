//===- torch/headeronly/macros/Macros.h - words of headers that need no library ----------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_MACROS_MACROS_H
#define GE_TORCH_TORCH_HEADERONLY_MACROS_MACROS_H

#include <c10/macros/Macros.h>

#endif // GE_TORCH_TORCH_HEADERONLY_MACROS_MACROS_H
