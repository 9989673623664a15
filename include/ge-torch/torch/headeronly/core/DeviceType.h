//===- torch/headeronly/core/DeviceType.h - kinds of devices -----------------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_CORE_DEVICETYPE_H
#define GE_TORCH_TORCH_HEADERONLY_CORE_DEVICETYPE_H

#include <c10/core/Device.h>

namespace torch::headeronly {
using c10::DeviceIndex;
using c10::DeviceType;
#define GE_TORCH_DEVICE(Name, number, word, dlpack) using c10::k##Name;
GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
} // namespace torch::headeronly

#endif // GE_TORCH_TORCH_HEADERONLY_CORE_DEVICETYPE_H
