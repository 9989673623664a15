//===- c10/core/Device.h - where tensors are ---------------------------------------------------===//
#ifndef GE_TORCH_C10_CORE_DEVICE_H
#define GE_TORCH_C10_CORE_DEVICE_H

#include <c10/util/Exception.h>

#include "ge-c/Values.h"

#include <functional>

GE_TORCH_OPEN(c10)

/// Word, number, name, type of DLPack.
#define GE_TORCH_FORALL_DEVICES(_)                                                                 \
  _(CPU, 0, "cpu", 1)                                                                              \
  _(CUDA, 1, "cuda", 2)                                                                            \
  _(HIP, 6, "hip", 10)                                                                             \
  _(XPU, 12, "xpu", 14)                                                                            \
  _(MPS, 13, "mps", 8)                                                                             \
  _(PrivateUse1, 20, "privateuseone", 12)

#define GE_TORCH_DEVICE(Name, number, word, dlpack) Name = number,
enum class DeviceType : int8_t { GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE) };
#undef GE_TORCH_DEVICE
#define GE_TORCH_DEVICE(Name, number, word, dlpack) constexpr DeviceType k##Name = DeviceType::Name;
GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
using DeviceIndex = int8_t;

inline std::string DeviceTypeName(DeviceType type, bool isLower = false) {
  switch (type) {
#define GE_TORCH_DEVICE(Name, number, word, dlpack)                                                \
  case DeviceType::Name:                                                                           \
    return isLower ? word : #Name;
    GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
  }
  return "unknown";
}
inline std::ostream &operator<<(std::ostream &out, DeviceType type) {
  return out << DeviceTypeName(type, true);
}

class Device {
public:
  using Type = DeviceType;
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  /// "cpu", "cuda:1"
  Device(const std::string &text) : type_(DeviceType::CPU) {
    size_t colon = text.find(':');
    std::string word = text.substr(0, colon);
    bool isKnown = false;
#define GE_TORCH_DEVICE(Name, number, own, dlpack)                                                 \
  if (word == (own)) {                                                                             \
    type_ = DeviceType::Name;                                                                      \
    isKnown = true;                                                                                \
  }
    GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
    if (colon != std::string::npos) {
      std::string digits = text.substr(colon + 1);
      isKnown &= !digits.empty() && digits.size() <= 2 &&
                 digits.find_first_not_of("0123456789") == std::string::npos;
      if (isKnown)
        index_ = DeviceIndex(std::stoi(digits));
    }
    TORCH_CHECK(isKnown, "Invalid device string: '", text, "'");
  }
  Device(const char *text) : Device(std::string(text)) {}
  bool operator==(const Device &other) const {
    return type_ == other.type_ && index_ == other.index_;
  }
  bool operator!=(const Device &other) const { return !(*this == other); }
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  void set_index(DeviceIndex index) { index_ = index; }
  bool is_cpu() const { return type_ == DeviceType::CPU; }
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  bool is_privateuseone() const { return type_ == DeviceType::PrivateUse1; }
  std::string str() const {
    return DeviceTypeName(type_, true) + (has_index() ? ":" + std::to_string(index_) : "");
  }
  friend std::ostream &operator<<(std::ostream &out, const Device &device) {
    return out << device.str();
  }

private:
  DeviceType type_;
  DeviceIndex index_ = -1;
};

namespace detail {

inline DLDevice dlpackOf(const Device &device) {
  int32_t type = 0;
  switch (device.type()) {
#define GE_TORCH_DEVICE(Name, number, word, own)                                                   \
  case DeviceType::Name:                                                                           \
    type = own;                                                                                    \
    break;
    GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
  }
  return {type, device.has_index() ? device.index() : 0};
}
/// As tensors have it: that of the CPU has no index.
inline Device deviceOf(DLDevice device) {
  int32_t type = device.device_type == 3 || device.device_type == 11 ? 1 : device.device_type;
  if (type == 13)
    type = 2; // memory that CUDA manages
  if (type == 1)
    return DeviceType::CPU;
#define GE_TORCH_DEVICE(Name, number, word, own)                                                   \
  if (type == (own))                                                                               \
    return {DeviceType::Name, DeviceIndex(device.device_id)};
  GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
  raise<Error>("", "torch has no device for DLPack's type ", device.device_type);
}

} // namespace detail

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_DEVICE_H
