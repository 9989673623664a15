//===- ge-torch/Elements.h - memory of tensors, and copies of elements -------------------------===//
#ifndef GE_TORCH_ELEMENTS_H
#define GE_TORCH_ELEMENTS_H

#include <ATen/core/TensorBase.h>

#include <cstdlib>
#include <cstring>

GE_TORCH_OPEN(at)

namespace detail {

using Impl = std::shared_ptr<TensorImpl>;

inline Impl allocate(IntArrayRef sizes, ScalarType type, const Device &device) {
  TORCH_CHECK_NOT_IMPLEMENTED(device.is_cpu(),
                              "torch's headers of GE make tensors on the CPU only, "
                              "not on ",
                              device);
  auto made = std::make_shared<TensorImpl>();
  size_t bytes;
  constexpr size_t kAlignment = 64;
  TORCH_CHECK(!__builtin_mul_overflow(size_t(productOf(sizes)), elementSize(type), &bytes) &&
                  bytes < SIZE_MAX - kAlignment,
              "a tensor of sizes ", sizes, " does not fit the memory");
  void *memory = std::aligned_alloc(kAlignment, std::max(bytes + kAlignment - 1, kAlignment) /
                                                    kAlignment * kAlignment);
  if (!memory)
    throw std::bad_alloc();
  made->owner = std::shared_ptr<void>(memory, [](void *p) { std::free(p); });
  made->sizes = sizes.vec();
  made->strides = compactStrides(sizes);
  made->type = type;
  made->data = static_cast<char *>(memory);
  return made;
}
inline Impl allocate(IntArrayRef sizes, const TensorOptions &options) {
  return allocate(sizes, options.dtype().toScalarType(), options.device());
}
/// The same memory, `shift` elements further.
inline Impl viewOf(const TensorBase &base, std::vector<int64_t> sizes, std::vector<int64_t> strides,
                   int64_t shift = 0) {
  auto made = std::make_shared<TensorImpl>(*base.impl());
  made->sizes = std::move(sizes);
  made->strides = std::move(strides);
  made->data += shift * int64_t(base.element_size());
  made->offset += shift;
  return made;
}

/// Calls `visit(offset in a, offset in b)` for each element, offsets in elements.
template <typename F>
void forEach(IntArrayRef sizes, IntArrayRef a, IntArrayRef b, const F &visit) {
  if (productOf(sizes) == 0)
    return;
  std::vector<int64_t> at(sizes.size());
  int64_t x = 0, y = 0;
  while (true) {
    visit(x, y);
    size_t i = sizes.size();
    while (i-- > 0) {
      x += a[i];
      y += b[i];
      if (++at[i] < sizes[i])
        break;
      x -= a[i] * sizes[i];
      y -= b[i] * sizes[i];
      at[i] = 0;
    }
    if (i == size_t(-1))
      return;
  }
}

inline Scalar load(ScalarType type, const char *from) {
  switch (type) {
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  case ScalarType::Name: {                                                                         \
    Type value;                                                                                    \
    std::memcpy(static_cast<void *>(&value), from, sizeof value);                                  \
    return value;                                                                                  \
  }
    GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
  default:
    c10::detail::raise<c10::Error>("a tensor without an element type has no elements");
  }
}
/// The 16-bit types overflow to infinity, as in PyTorch.
template <typename T>
inline constexpr bool isSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
/// `isChecked`: a number that the type cannot hold is an error; else it is converted as by
/// static_cast.
inline void store(ScalarType type, char *to, const Scalar &value, bool isChecked) {
  switch (type) {
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  case ScalarType::Name: {                                                                         \
    Type own = isChecked && !isSmallFloat<Type> ? value.to<Type>() : value.cast<Type>();           \
    std::memcpy(to, static_cast<const void *>(&own), sizeof own);                                  \
    return;                                                                                        \
  }
    GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
  default:
    c10::detail::raise<c10::Error>("a tensor without an element type has no elements");
  }
}

inline void needCpu(const TensorBase &tensor, const char *what) {
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.is_cpu(), what,
                              ": torch's headers of GE compute on the CPU "
                              "only, not on ",
                              tensor.device());
}
/// An element that several indices share cannot be written.
inline void needNoSharing(const TensorBase &to) {
  for (size_t i = 0; i < to.sizes().size(); ++i)
    TORCH_CHECK(
        to.sizes()[i] <= 1 || to.strides()[i] != 0 || to.numel() == 0,
        "unsupported operation: more than one element of the written-to tensor refers to a "
        "single memory location. Please clone() the tensor before performing the operation.");
}
/// Whether two dense tensors have a part of their memory in common, but not all in the same order.
inline bool overlapsPartly(const TensorBase &a, const TensorBase &b) {
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense() || !a.numel() ||
      !b.numel())
    return false;
  const auto *first = static_cast<const char *>(a.const_data_ptr());
  const auto *second = static_cast<const char *>(b.const_data_ptr());
  if (first == second && a.nbytes() == b.nbytes())
    return a.strides() != b.strides();
  return first < second + b.nbytes() && second < first + a.nbytes();
}
/// Converts and broadcasts.
inline void copyInto(const TensorBase &to, const TensorBase &from) {
  needCpu(to, "copy_");
  needCpu(from, "copy_");
  if (to.is_same(from))
    return;
  needNoSharing(to);
  Geometry broadcast = expanded(from.sizes(), from.strides(), to.sizes());
  TORCH_CHECK(!overlapsPartly(to, from),
              "unsupported operation: some elements of the input tensor and the written-to tensor "
              "refer to a single memory location. Please clone() the tensor before performing the "
              "operation.");
  char *target = to.impl()->data;
  const char *source = from.impl()->data;
  size_t width = to.element_size(), other = from.element_size();
  ScalarType a = to.scalar_type(), b = from.scalar_type();
  if (a == b && to.is_contiguous() && from.is_contiguous() && to.sizes() == from.sizes()) {
    if (to.nbytes())
      std::memmove(target, source, to.nbytes());
    return;
  }
  forEach(to.sizes(), to.strides(), broadcast.strides, [&](int64_t x, int64_t y) {
    char *one = target + x * int64_t(width);
    if (a == b)
      std::memcpy(one, source + y * int64_t(other), width);
    else
      store(a, one, load(b, source + y * int64_t(other)), false);
  });
}
inline void fill(const TensorBase &to, const Scalar &value) {
  needCpu(to, "fill_");
  alignas(16) char one[16];
  size_t width = to.element_size();
  store(to.scalar_type(), one, value, true);
  forEach(to.sizes(), to.strides(), to.strides(), [&](int64_t x, int64_t) {
    std::memcpy(to.impl()->data + x * int64_t(width), one, width);
  });
}
/// A new tensor of these sizes, by default with the strides that a copy keeps.
inline Impl allocateLike(const TensorBase &like, const TensorOptions &options,
                         std::optional<MemoryFormat> format) {
  std::vector<int64_t> strides = like.strides().vec(); // an error of undefined tensors
  Impl result = allocate(like.sizes(), options);
  if (format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve)
    result->strides = preservedStrides(like.sizes(), strides);
  return result;
}
inline Impl cloned(const TensorBase &tensor, ScalarType type,
                   std::optional<MemoryFormat> format = std::nullopt) {
  needCpu(tensor, "clone");
  Impl result = allocateLike(tensor, type, format);
  copyInto(TensorBase(result), tensor);
  return result;
}
inline Impl contiguousOf(const TensorBase &tensor, MemoryFormat format = MemoryFormat::Contiguous) {
  if (tensor.is_contiguous())
    return tensor.impl();
  TORCH_CHECK(format != MemoryFormat::Preserve,
              "preserve memory format is unsupported by the contiguous operator");
  return cloned(tensor, tensor.scalar_type(), MemoryFormat::Contiguous);
}

} // namespace detail

GE_TORCH_CLOSE

#endif // GE_TORCH_ELEMENTS_H
