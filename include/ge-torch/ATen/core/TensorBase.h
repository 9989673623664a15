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

#include <cstdlib>
#include <cstring>
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

namespace detail {

inline int64_t productOf(IntArrayRef sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) {
    TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
    TORCH_CHECK(!__builtin_mul_overflow(n, size, &n), "a tensor of sizes ", sizes,
                " does not fit the memory");
  }
  return n;
}
inline std::vector<int64_t> compactStrides(IntArrayRef sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}
inline int64_t wrapped(int64_t dim, int64_t rank, const char *what = "Dimension") {
  int64_t range = std::max<int64_t>(rank, 1);
  TORCH_CHECK_INDEX(dim >= -range && dim < range, what,
                    " out of range (expected to be in range of [", -range, ", ", range - 1,
                    "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

} // namespace detail

class TensorBase {
public:
  TensorBase() = default;
  explicit TensorBase(std::shared_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  void reset() { impl_.reset(); }
  bool is_same(const TensorBase &other) const { return impl_ == other.impl_; }
  size_t use_count() const { return size_t(impl_.use_count()); }
  const std::shared_ptr<TensorImpl> &impl() const { return impl_; }

  int64_t dim() const { return int64_t(own().sizes.size()); }
  int64_t ndimension() const { return dim(); }
  IntArrayRef sizes() const { return own().sizes; }
  IntArrayRef strides() const { return own().strides; }
  int64_t size(int64_t dim) const {
    TORCH_CHECK_INDEX(this->dim() > 0, "Dimension specified as ", dim,
                      " but tensor has no dimensions");
    return own().sizes[size_t(detail::wrapped(dim, this->dim()))];
  }
  int64_t stride(int64_t dim) const {
    TORCH_CHECK_INDEX(this->dim() > 0, "Dimension specified as ", dim,
                      " but tensor has no dimensions");
    return own().strides[size_t(detail::wrapped(dim, this->dim()))];
  }
  int64_t numel() const { return detail::productOf(own().sizes); }
  size_t element_size() const { return elementSize(own().type); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return size_t(numel()) * element_size(); }
  int64_t storage_offset() const { return own().offset; }
  ScalarType scalar_type() const { return own().type; }
  caffe2::TypeMeta dtype() const { return own().type; }
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
    const TensorImpl &t = own();
    int64_t step = 1;
    for (size_t i = t.sizes.size(); i-- > 0;) {
      if (t.sizes[i] == 0)
        return true;
      if (t.sizes[i] != 1 && t.strides[i] != step)
        break;
      step *= t.sizes[i];
      if (i == 0)
        return true;
    }
    return t.sizes.empty() || numel() == 0;
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
inline void store(ScalarType type, char *to, const Scalar &value) {
  switch (type) {
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  case ScalarType::Name: {                                                                         \
    Type own = value.cast<Type>();                                                                 \
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
inline std::vector<int64_t> expandedStrides(const TensorBase &base, IntArrayRef sizes) {
  size_t more = sizes.size() - size_t(base.dim());
  TORCH_CHECK(sizes.size() >= size_t(base.dim()), "the number of sizes provided (", sizes.size(),
              ") must be greater or equal to the number of dimensions in the tensor (", base.dim(),
              ")");
  std::vector<int64_t> strides(sizes.size());
  for (size_t i = more; i < sizes.size(); ++i) {
    int64_t own = base.sizes()[i - more];
    TORCH_CHECK(own == sizes[i] || own == 1, "The expanded size of the tensor (", sizes[i],
                ") must match the existing size (", own, ") at non-singleton dimension ", i,
                ".  Target sizes: ", sizes, ".  Tensor sizes: ", base.sizes());
    strides[i] = own == 1 && sizes[i] != 1 ? 0 : base.strides()[i - more];
  }
  return strides;
}
/// Converts and broadcasts.
inline void copyInto(const TensorBase &to, const TensorBase &from) {
  needCpu(to, "copy_");
  needCpu(from, "copy_");
  char *target = to.impl()->data;
  const char *source = from.impl()->data;
  size_t width = to.element_size(), other = from.element_size();
  ScalarType a = to.scalar_type(), b = from.scalar_type();
  if (a == b && to.is_contiguous() && from.is_contiguous() && to.sizes() == from.sizes()) {
    if (to.nbytes())
      std::memmove(target, source, to.nbytes());
    return;
  }
  std::vector<int64_t> strides = expandedStrides(from, to.sizes());
  forEach(to.sizes(), to.strides(), strides, [&](int64_t x, int64_t y) {
    char *one = target + x * int64_t(width);
    if (a == b)
      std::memcpy(one, source + y * int64_t(other), width);
    else
      store(a, one, load(b, source + y * int64_t(other)));
  });
}
inline void fill(const TensorBase &to, const Scalar &value) {
  needCpu(to, "fill_");
  alignas(16) char one[16];
  size_t width = to.element_size();
  store(to.scalar_type(), one, value);
  forEach(to.sizes(), to.strides(), to.strides(), [&](int64_t x, int64_t) {
    std::memcpy(to.impl()->data + x * int64_t(width), one, width);
  });
}
inline Impl cloned(const TensorBase &tensor, ScalarType type) {
  needCpu(tensor, "clone");
  Impl made = allocate(tensor.sizes(), type, kCPU);
  copyInto(TensorBase(made), tensor);
  return made;
}
inline Impl contiguousOf(const TensorBase &tensor) {
  return tensor.is_contiguous() ? tensor.impl() : cloned(tensor, tensor.scalar_type());
}

// --- Views

inline Impl selected(const TensorBase &t, int64_t dim, int64_t index) {
  TORCH_CHECK_INDEX(t.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  auto d = size_t(wrapped(dim, t.dim()));
  int64_t size = t.sizes()[d];
  TORCH_CHECK_INDEX(index >= -size && index < size, "select(): index ", index,
                    " out of range for tensor of size ", t.sizes(), " at dimension ", d);
  std::vector<int64_t> sizes = t.sizes().vec(), strides = t.strides().vec();
  sizes.erase(sizes.begin() + ptrdiff_t(d));
  strides.erase(strides.begin() + ptrdiff_t(d));
  return viewOf(t, std::move(sizes), std::move(strides),
                (index < 0 ? index + size : index) * t.strides()[d]);
}
inline Impl sliced(const TensorBase &t, int64_t dim, std::optional<int64_t> start,
                   std::optional<int64_t> end, int64_t step) {
  TORCH_CHECK(t.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK_VALUE(step > 0, "slice step must be positive");
  auto d = size_t(wrapped(dim, t.dim()));
  int64_t size = t.sizes()[d];
  auto bound = [&](int64_t at) {
    return std::min(std::max<int64_t>(at < 0 ? at + size : at, 0), size);
  };
  int64_t first = bound(start.value_or(0)), last = std::max(first, bound(end.value_or(size)));
  std::vector<int64_t> sizes = t.sizes().vec(), strides = t.strides().vec();
  sizes[d] = (last - first + step - 1) / step;
  int64_t shift = first * strides[d];
  strides[d] *= step;
  return viewOf(t, std::move(sizes), std::move(strides), shift);
}
inline Impl narrowed(const TensorBase &t, int64_t dim, int64_t start, int64_t length) {
  TORCH_CHECK(t.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  int64_t size = t.size(dim);
  TORCH_CHECK_INDEX(start >= -size && start <= size,
                    "start out of range (expected to be in range of [", -size, ", ", size,
                    "], but got ", start, ")");
  start = start < 0 ? start + size : start;
  TORCH_CHECK(length >= 0 && length <= size - start, "start (", start, ") + length (", length,
              ") exceeds dimension size (", size, ").");
  return sliced(t, dim, start, start + length, 1);
}
inline Impl permuted(const TensorBase &t, IntArrayRef dims) {
  TORCH_CHECK(int64_t(dims.size()) == t.dim(), "permute(): ", dims.size(),
              " dimensions for a tensor of ", t.dim());
  std::vector<int64_t> sizes, strides;
  std::vector<bool> seen(dims.size());
  for (int64_t dim : dims) {
    auto d = size_t(wrapped(dim, t.dim()));
    TORCH_CHECK(!seen[d], "permute(): duplicate dims are not allowed.");
    seen[d] = true;
    sizes.push_back(t.sizes()[d]);
    strides.push_back(t.strides()[d]);
  }
  return viewOf(t, std::move(sizes), std::move(strides));
}
inline Impl transposed(const TensorBase &t, int64_t a, int64_t b) {
  std::vector<int64_t> sizes = t.sizes().vec(), strides = t.strides().vec();
  auto x = size_t(wrapped(a, t.dim())), y = size_t(wrapped(b, t.dim()));
  if (!sizes.empty()) {
    std::swap(sizes[x], sizes[y]);
    std::swap(strides[x], strides[y]);
  }
  return viewOf(t, std::move(sizes), std::move(strides));
}
inline Impl unsqueezed(const TensorBase &t, int64_t dim) {
  auto d = ptrdiff_t(wrapped(dim, t.dim() + 1));
  std::vector<int64_t> sizes = t.sizes().vec(), strides = t.strides().vec();
  int64_t step = d < t.dim() ? sizes[size_t(d)] * strides[size_t(d)] : 1;
  sizes.insert(sizes.begin() + d, 1);
  strides.insert(strides.begin() + d, step);
  return viewOf(t, std::move(sizes), std::move(strides));
}
/// `only`: that dimension, if it is 1.
inline Impl squeezed(const TensorBase &t, std::optional<int64_t> only) {
  std::vector<int64_t> sizes, strides;
  int64_t chosen = only ? wrapped(*only, t.dim()) : -1;
  for (int64_t i = 0; i < t.dim(); ++i)
    if (t.sizes()[size_t(i)] != 1 || (only && i != chosen)) {
      sizes.push_back(t.sizes()[size_t(i)]);
      strides.push_back(t.strides()[size_t(i)]);
    }
  return viewOf(t, std::move(sizes), std::move(strides));
}
/// One size may be -1.
inline std::vector<int64_t> inferredSizes(const TensorBase &t, IntArrayRef asked) {
  std::vector<int64_t> sizes = asked.vec();
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    TORCH_CHECK(sizes[i] >= -1 && (sizes[i] != -1 || open == -1), "invalid shape dimension in ",
                asked);
    if (sizes[i] == -1)
      open = int64_t(i);
    else
      known *= sizes[i];
  }
  if (open >= 0 && known > 0 && t.numel() % known == 0)
    sizes[size_t(open)] = t.numel() / known;
  bool fits = open < 0 ? known == t.numel() : sizes[size_t(open)] >= 0;
  TORCH_CHECK(fits, "shape '", asked, "' is invalid for input of size ", t.numel());
  return sizes;
}
inline Impl viewed(const TensorBase &t, IntArrayRef asked) {
  std::vector<int64_t> sizes = inferredSizes(t, asked);
  TORCH_CHECK(t.is_contiguous(), "view(): the tensor is not contiguous (sizes ", t.sizes(),
              ", strides ", t.strides(), "). Use .reshape(...) instead.");
  std::vector<int64_t> strides = compactStrides(sizes);
  return viewOf(t, std::move(sizes), std::move(strides));
}
inline Impl reshaped(const TensorBase &t, IntArrayRef asked) {
  return viewed(TensorBase(contiguousOf(t)), asked);
}
inline Impl flattened(const TensorBase &t, int64_t first, int64_t last) {
  auto from = size_t(wrapped(first, t.dim())), to = size_t(wrapped(last, t.dim()));
  TORCH_CHECK(from <= to, "flatten() has invalid args: start_dim cannot come after end_dim");
  std::vector<int64_t> sizes;
  int64_t one = 1;
  for (size_t i = 0; i < size_t(t.dim()); ++i) {
    if (i < from || i > to)
      sizes.push_back(t.sizes()[i]);
    else
      one *= t.sizes()[i];
    if (i == to)
      sizes.push_back(one);
  }
  if (t.dim() == 0)
    sizes.push_back(1);
  return reshaped(t, sizes);
}

} // namespace detail

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_CORE_TENSORBASE_H
