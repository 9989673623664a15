//===- ATen/core/TensorBase.h - what at::Tensor and torch::stable::Tensor share ----------------===//
//
// A handle on sizes, strides and memory, which is counted. Operands keep what the caller owns;
// results are given to GE without a copy. New memory is of the CPU.
//
#ifndef GE_TORCH_ATEN_CORE_TENSORBASE_H
#define GE_TORCH_ATEN_CORE_TENSORBASE_H

#include <c10/core/Scalar.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>

#include "ge-torch/Strides.h"

#include <memory>

GE_TORCH_OPEN(at)
using namespace c10;

struct TensorImpl {
  std::vector<int64_t> sizes, strides; ///< in elements
  ScalarType type = ScalarType::Undefined;
  Device device = kCPU;
  char *data = nullptr;        ///< of the first element
  int64_t offset = 0;          ///< of that in its memory, in elements
  std::shared_ptr<void> owner; ///< of the memory; none: borrowed
};

class TensorBase {
public:
  TensorBase() = default;
  explicit TensorBase(std::shared_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  void reset() { impl_.reset(); }
  bool is_same(const TensorBase &other) const { return impl_ == other.impl_; }
  size_t use_count() const { return size_t(impl_.use_count()); }
  const std::shared_ptr<TensorImpl> &impl() const { return impl_; }

  // An undefined tensor has one size, 0, and no element type; all else of it is an error.
  int64_t dim() const { return int64_t(sizes().size()); }
  int64_t ndimension() const { return dim(); }
  IntArrayRef sizes() const {
    static constexpr int64_t kUndefined[] = {0};
    return impl_ ? IntArrayRef(impl_->sizes) : IntArrayRef(kUndefined, 1);
  }
  IntArrayRef strides() const { return own().strides; }
  int64_t size(int64_t dim) const {
    TORCH_CHECK_INDEX(this->dim() > 0, "Dimension specified as ", dim,
                      " but tensor has no dimensions");
    return sizes()[size_t(detail::wrapped(dim, this->dim()))];
  }
  int64_t stride(int64_t dim) const {
    TORCH_CHECK_INDEX(this->dim() > 0, "Dimension specified as ", dim,
                      " but tensor has no dimensions");
    return own().strides[size_t(detail::wrapped(dim, this->dim()))];
  }
  int64_t numel() const { return detail::productOf(sizes()); }
  size_t element_size() const { return elementSize(own().type); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return size_t(numel()) * element_size(); }
  int64_t storage_offset() const { return own().offset; }
  ScalarType scalar_type() const { return impl_ ? impl_->type : ScalarType::Undefined; }
  caffe2::TypeMeta dtype() const { return scalar_type(); }
  Device device() const { return own().device; }
  Layout layout() const { return kStrided; }
  TensorOptions options() const { return TensorOptions(own().type).device(own().device); }
  int64_t get_device() const { return own().device.index(); }
  DeviceIndex get_device_index() const { return own().device.index(); }
  bool is_cpu() const { return own().device.is_cpu(); }
  bool is_cuda() const { return own().device.is_cuda(); }
  bool is_privateuseone() const { return own().device.is_privateuseone(); }
  bool is_floating_point() const { return isFloatingType(own().type); }
  bool is_complex() const { return isComplexType(own().type); }
  bool is_signed() const { return isSignedType(own().type); }
  bool requires_grad() const { return false; } ///< there is no autograd
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const {
    return !impl_ || detail::isContiguous(impl_->sizes, impl_->strides);
  }
  bool is_non_overlapping_and_dense() const {
    return !impl_ || detail::isDense(impl_->sizes, impl_->strides);
  }

  void *data_ptr() const { return own().data; }
  const void *const_data_ptr() const { return own().data; }
  void *mutable_data_ptr() const { return own().data; }
  template <typename T> T *data_ptr() const { return reinterpret_cast<T *>(checked<T>()); }
  template <typename T> const std::remove_const_t<T> *const_data_ptr() const {
    return reinterpret_cast<const T *>(checked<T>());
  }
  template <typename T> T *mutable_data_ptr() const { return reinterpret_cast<T *>(checked<T>()); }

protected:
  TensorImpl &own() const {
    TORCH_CHECK(impl_, "tensor does not have an element type: it is undefined");
    return *impl_;
  }
  template <typename T> char *checked() const {
    constexpr ScalarType type = CppTypeToScalarType<std::remove_const_t<T>>::value;
    TORCH_CHECK(own().type == type, "expected scalar type ", type, " but found ", own().type);
    return own().data;
  }
  std::shared_ptr<TensorImpl> impl_;
};

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_CORE_TENSORBASE_H
