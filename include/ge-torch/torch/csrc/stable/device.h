//===- torch/csrc/stable/device.h - torch::stable::Device --------------------------------------===//
#ifndef GE_TORCH_TORCH_CSRC_STABLE_DEVICE_H
#define GE_TORCH_TORCH_CSRC_STABLE_DEVICE_H

#include <torch/csrc/stable/device_struct.h>

#endif // GE_TORCH_TORCH_CSRC_STABLE_DEVICE_H
