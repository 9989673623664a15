//===- torch/torch.h - all of torch:: that is here ---------------------------------------------===//
#ifndef GE_TORCH_TORCH_TORCH_H
#define GE_TORCH_TORCH_TORCH_H

#include <torch/types.h>

#endif // GE_TORCH_TORCH_TORCH_H
