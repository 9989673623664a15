//===- ATen/Functions.h - new tensors ----------------------------------------------------------===//
#ifndef GE_TORCH_ATEN_FUNCTIONS_H
#define GE_TORCH_ATEN_FUNCTIONS_H

#include <ATen/core/Tensor.h>

#include <functional>

GE_TORCH_OPEN(at)

inline Tensor empty(IntArrayRef sizes, const TensorOptions &options = {}) {
  return Tensor(detail::allocate(sizes, options));
}
inline Tensor full(IntArrayRef sizes, const Scalar &value, const TensorOptions &options) {
  return empty(sizes, options).fill_(value);
}
/// Of the value's own type.
inline Tensor full(IntArrayRef sizes, const Scalar &value) {
  return full(sizes, value, value.isFloatingPoint() ? kFloat : value.type());
}
inline Tensor zeros(IntArrayRef sizes, const TensorOptions &options = {}) {
  return full(sizes, 0, options);
}
inline Tensor ones(IntArrayRef sizes, const TensorOptions &options = {}) {
  return full(sizes, 1, options);
}
/// With the strides of a tensor whose elements have no gaps between them.
inline Tensor empty_like(const Tensor &like, const TensorOptions &options = {}) {
  Tensor made = like.new_empty(like.sizes(), options);
  std::vector<size_t> order(size_t(like.dim()));
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return like.strides()[a] > like.strides()[b]; });
  int64_t step = 1;
  bool isDense = true;
  for (size_t i = order.size(); i-- > 0;) {
    isDense &= like.sizes()[order[i]] == 1 || like.strides()[order[i]] == step;
    step *= like.sizes()[order[i]];
  }
  if (isDense && !like.is_contiguous())
    made.impl()->strides = like.strides().vec();
  return made;
}
inline Tensor full_like(const Tensor &like, const Scalar &value,
                        const TensorOptions &options = {}) {
  return empty_like(like, options).fill_(value);
}
inline Tensor zeros_like(const Tensor &like, const TensorOptions &options = {}) {
  return full_like(like, 0, options);
}
inline Tensor ones_like(const Tensor &like, const TensorOptions &options = {}) {
  return full_like(like, 1, options);
}
inline Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                            const TensorOptions &options = {}) {
  TORCH_CHECK(sizes.size() == strides.size(), "mismatch in length of strides and shape");
  int64_t extent = detail::productOf(sizes) ? 1 : 0;
  for (size_t i = 0; i < sizes.size() && extent; ++i) {
    TORCH_CHECK(strides[i] >= 0, "as_strided: negative strides are not supported, got ", strides);
    extent += (sizes[i] - 1) * strides[i];
  }
  Tensor memory(detail::allocate({extent}, options));
  return Tensor(detail::viewOf(memory, sizes.vec(), strides.vec()));
}

/// Over memory that `deleter` gives back with the last tensor that has it; without one, borrowed.
inline Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides,
                        const std::function<void(void *)> &deleter,
                        const TensorOptions &options = {}) {
  TORCH_CHECK(sizes.size() == strides.size(), "mismatch in length of strides and shape");
  auto made = std::make_shared<TensorImpl>();
  if (deleter)
    made->owner = std::shared_ptr<void>(data, deleter);
  detail::productOf(sizes);
  made->sizes = sizes.vec();
  made->strides = strides.vec();
  made->type = options.dtype().toScalarType();
  made->device = options.device();
  made->data = static_cast<char *>(data);
  return Tensor(made);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, const std::function<void(void *)> &deleter,
                        const TensorOptions &options = {}) {
  return from_blob(data, sizes, detail::compactStrides(sizes), deleter, options);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides,
                        const TensorOptions &options = {}) {
  return from_blob(data, sizes, strides, nullptr, options);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options = {}) {
  return from_blob(data, sizes, detail::compactStrides(sizes), nullptr, options);
}

template <typename T> Tensor tensor(ArrayRef<T> values, const TensorOptions &options) {
  Tensor own = empty({int64_t(values.size())}, CppTypeToScalarType<T>::value);
  if (!values.empty())
    std::memcpy(own.data_ptr(), values.data(), own.nbytes());
  return options.has_dtype() ? own.to(options) : own;
}
template <typename T> Tensor tensor(ArrayRef<T> values) { return tensor(values, TensorOptions()); }
template <typename T>
Tensor tensor(const std::vector<T> &values, const TensorOptions &options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
template <typename T>
Tensor tensor(std::initializer_list<T> values, const TensorOptions &options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
inline Tensor scalar_tensor(const Scalar &value, const TensorOptions &options = {}) {
  return full({}, value, options);
}

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_FUNCTIONS_H
