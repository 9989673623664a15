//===- c10/core/DeviceType.h - kinds of devices ------------------------------------------------===//
#ifndef GE_TORCH_C10_CORE_DEVICETYPE_H
#define GE_TORCH_C10_CORE_DEVICETYPE_H

#include <c10/core/Device.h>

#endif // GE_TORCH_C10_CORE_DEVICETYPE_H
