//===- ATen/Functions.h - new tensors ----------------------------------------------------------===//
#ifndef GE_TORCH_ATEN_FUNCTIONS_H
#define GE_TORCH_ATEN_FUNCTIONS_H

#include <ATen/core/Tensor.h>

#include <functional>

GE_TORCH_OPEN(at)

inline Tensor empty(IntArrayRef sizes, const TensorOptions &options = {}) {
  return Tensor(detail::allocate(sizes, options));
}
/// Without an element type in the options, of the value's own: Float of a floating-point number,
/// Long, Bool.
inline Tensor full(IntArrayRef sizes, const Scalar &value, const TensorOptions &options = {}) {
  ScalarType own = value.isFloatingPoint() ? kFloat
                   : value.isComplex()     ? kComplexFloat
                                           : value.type();
  return empty(sizes, options.has_dtype() ? options : options.dtype(own)).fill_(value);
}
inline Tensor zeros(IntArrayRef sizes, const TensorOptions &options = {}) {
  return empty(sizes, options).fill_(0);
}
inline Tensor ones(IntArrayRef sizes, const TensorOptions &options = {}) {
  return empty(sizes, options).fill_(1);
}
/// With the strides that a copy of the tensor has.
inline Tensor empty_like(const Tensor &like, const TensorOptions &options = {},
                         std::optional<MemoryFormat> format = std::nullopt) {
  return Tensor(detail::allocateLike(like, like.merged(options), format));
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

/// Of the type of the elements; torch::tensor has PyTorch's default types instead.
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
  return empty({}, options).fill_(value);
}

GE_TORCH_CLOSE

GE_TORCH_OPEN(torch)

namespace detail {
/// The element type of a tensor of numbers in a source: Float, Long, or their own if they are Bool
/// or complex.
template <typename T>
constexpr at::ScalarType kDefaultTypeOf = std::is_same_v<T, bool>           ? at::kBool
                                          : std::is_integral_v<T>           ? at::kLong
                                          : c10::detail::isComplexNumber<T> ? at::kComplexFloat
                                                                            : at::kFloat;
} // namespace detail

template <typename T>
at::Tensor tensor(std::initializer_list<T> values, const at::TensorOptions &options = {}) {
  at::ScalarType type = detail::kDefaultTypeOf<T>;
  return at::tensor(at::ArrayRef<T>(values), options.has_dtype() ? options : options.dtype(type));
}
template <typename T>
at::Tensor tensor(at::ArrayRef<T> values, const at::TensorOptions &options = {}) {
  at::ScalarType type = detail::kDefaultTypeOf<T>;
  return at::tensor(values, options.has_dtype() ? options : options.dtype(type));
}
template <typename T>
at::Tensor tensor(const std::vector<T> &values, const at::TensorOptions &options = {}) {
  return tensor(at::ArrayRef<T>(values), options);
}

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_FUNCTIONS_H
