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
/// One element in one dimension; torch::tensor makes it without dimensions.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
Tensor tensor(T value, const TensorOptions &options = {}) {
  return tensor(ArrayRef<T>(value), options);
}
inline Tensor scalar_tensor(const Scalar &value, const TensorOptions &options = {}) {
  return empty({}, options).fill_(value);
}
/// Tensors of one element type; those of the only size 0 are left out, as in PyTorch.
inline Tensor cat(TensorList tensors, int64_t dim = 0) {
  std::vector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    TORCH_CHECK(tensor.scalar_type() == tensors[0].scalar_type(),
                "cat: torch's headers of GE join tensors of one element type, not of ",
                tensors[0].scalar_type(), " and ", tensor.scalar_type());
    if (tensor.dim() != 1 || tensor.size(0) != 0)
      parts.push_back(tensor);
  }
  TORCH_CHECK(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  if (parts.empty())
    return tensors[0].clone();
  const Tensor &first = parts[0];
  TORCH_CHECK(first.dim() > 0, "zero-dimensional tensor (at position 0) cannot be concatenated");
  auto axis = size_t(detail::wrapped(dim, first.dim()));
  std::vector<int64_t> sizes = first.sizes().vec();
  sizes[axis] = 0;
  for (const Tensor &part : parts) {
    std::vector<int64_t> own = part.sizes().vec();
    TORCH_CHECK(own.size() == sizes.size(), "Tensors must have same number of dimensions: got ",
                sizes.size(), " and ", own.size());
    int64_t size = own[axis];
    own[axis] = sizes[axis];
    TORCH_CHECK(own == sizes, "Sizes of tensors must match except in dimension ", axis, ": got ",
                part.sizes(), " beside ", first.sizes());
    sizes[axis] += size;
  }
  Tensor result = empty(sizes, first.options());
  int64_t start = 0;
  for (const Tensor &part : parts) {
    int64_t size = part.sizes()[axis];
    result.narrow(int64_t(axis), start, size).copy_(part);
    start += size;
  }
  return result;
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
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
at::Tensor tensor(T value, const at::TensorOptions &options = {}) {
  return tensor(at::ArrayRef<T>(value), options).view({});
}

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_FUNCTIONS_H
