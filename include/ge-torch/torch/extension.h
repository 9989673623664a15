//===- torch/extension.h - what extensions include ---------------------------------------------===//
#ifndef GE_TORCH_TORCH_EXTENSION_H
#define GE_TORCH_TORCH_EXTENSION_H

#include <torch/types.h>

#endif // GE_TORCH_TORCH_EXTENSION_H
