//===- c10/core/TensorOptions.h - what a new tensor is to be -----------------------------------===//
#ifndef GE_TORCH_C10_CORE_TENSOROPTIONS_H
#define GE_TORCH_C10_CORE_TENSOROPTIONS_H

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Optional.h>

GE_TORCH_OPEN(c10)

class TensorOptions {
public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(caffe2::TypeMeta type) : type_(type.toScalarType()) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType device) : device_(device) {}
  TensorOptions(Layout) {}

  [[nodiscard]] TensorOptions dtype(std::optional<ScalarType> type) const {
    TensorOptions other = *this;
    other.type_ = type;
    return other;
  }
  [[nodiscard]] TensorOptions dtype(ScalarType type) const {
    return dtype(std::optional<ScalarType>(type));
  }
  [[nodiscard]] TensorOptions dtype(caffe2::TypeMeta type) const {
    return dtype(type.toScalarType());
  }
  template <typename T> [[nodiscard]] TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  [[nodiscard]] TensorOptions device(std::optional<Device> device) const {
    TensorOptions other = *this;
    other.device_ = device;
    return other;
  }
  [[nodiscard]] TensorOptions device(Device given) const {
    return device(std::optional<Device>(given));
  }
  [[nodiscard]] TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  [[nodiscard]] TensorOptions layout(std::optional<Layout>) const { return *this; }
  [[nodiscard]] TensorOptions requires_grad(std::optional<bool> given) const {
    TORCH_CHECK(!given.value_or(false), "GE has no autograd: requires_grad(true)");
    return *this;
  }
  [[nodiscard]] TensorOptions pinned_memory(std::optional<bool> pinned) const {
    TORCH_CHECK(!pinned.value_or(false), "GE has no pinned memory");
    return *this;
  }
  caffe2::TypeMeta dtype() const { return type_.value_or(kFloat); }
  Device device() const { return device_.value_or(Device(kCPU)); }
  Layout layout() const { return kStrided; }
  bool requires_grad() const { return false; }
  bool has_dtype() const { return type_.has_value(); }
  bool has_device() const { return device_.has_value(); }
  std::optional<caffe2::TypeMeta> dtype_opt() const {
    return type_ ? std::optional<caffe2::TypeMeta>(*type_) : std::nullopt;
  }
  std::optional<Device> device_opt() const { return device_; }

private:
  std::optional<ScalarType> type_;
  std::optional<Device> device_;
};

inline TensorOptions dtype(ScalarType type) { return type; }
inline TensorOptions dtype(caffe2::TypeMeta type) { return type; }
template <typename T> TensorOptions dtype() { return CppTypeToScalarType<T>::value; }
inline TensorOptions device(Device given) { return given; }
inline TensorOptions layout(Layout given) { return given; }
inline TensorOptions requires_grad(bool given) { return TensorOptions().requires_grad(given); }

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_TENSOROPTIONS_H
