//===- torch/all.h - all of torch:: that is here -----------------------------------------------===//
#ifndef GE_TORCH_TORCH_ALL_H
#define GE_TORCH_TORCH_ALL_H

#include <torch/types.h>

#endif // GE_TORCH_TORCH_ALL_H
