//===- torch/types.h - tensors under torch:: ---------------------------------------------------===//
#ifndef GE_TORCH_TORCH_TYPES_H
#define GE_TORCH_TORCH_TYPES_H

#include <torch/library.h>

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#endif // GE_TORCH_TORCH_TYPES_H
