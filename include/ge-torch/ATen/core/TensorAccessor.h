//===- ATen/core/TensorAccessor.h - elements of a tensor by index ------------------------------===//
#ifndef GE_TORCH_ATEN_CORE_TENSORACCESSOR_H
#define GE_TORCH_ATEN_CORE_TENSORACCESSOR_H

#include <c10/util/ArrayRef.h>

GE_TORCH_OPEN(at)
using namespace c10;

/// Borrowed from a tensor; indices are not checked.
template <typename T, size_t N> class TensorAccessor {
public:
  TensorAccessor(T *data, const int64_t *sizes, const int64_t *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  IntArrayRef sizes() const { return {sizes_, N}; }
  IntArrayRef strides() const { return {strides_, N}; }
  int64_t size(int64_t dim) const { return sizes_[dim]; }
  int64_t stride(int64_t dim) const { return strides_[dim]; }
  T *data() const { return data_; }
  decltype(auto) operator[](int64_t i) const {
    T *at = data_ + i * strides_[0];
    if constexpr (N == 1)
      return static_cast<T &>(*at);
    else
      return TensorAccessor<T, N - 1>(at, sizes_ + 1, strides_ + 1);
  }

private:
  T *data_;
  const int64_t *sizes_, *strides_;
};

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_CORE_TENSORACCESSOR_H
