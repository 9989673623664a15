//===- torch/csrc/stable/device_struct.h - torch::stable::Device -------------------------------===//
#ifndef GE_TORCH_TORCH_CSRC_STABLE_DEVICE_STRUCT_H
#define GE_TORCH_TORCH_CSRC_STABLE_DEVICE_STRUCT_H

#include <torch/headeronly/core/DeviceType.h>

namespace torch::stable {
using Device = c10::Device;
using DeviceIndex = c10::DeviceIndex;
using DeviceType = c10::DeviceType;
} // namespace torch::stable

#endif // GE_TORCH_TORCH_CSRC_STABLE_DEVICE_STRUCT_H
