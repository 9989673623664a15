//===- ge-torch/Views.h - tensors over the memory of another one -------------------------------===//
#ifndef GE_TORCH_VIEWS_H
#define GE_TORCH_VIEWS_H

#include "ge-torch/Elements.h"

GE_TORCH_OPEN(at)

namespace detail {

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
inline Impl viewed(const TensorBase &t, IntArrayRef asked) {
  std::vector<int64_t> sizes = inferredSizes(t.numel(), asked);
  auto strides = viewStrides(t.sizes(), t.strides(), sizes);
  TORCH_CHECK(strides, "view size is not compatible with input tensor's size and stride (sizes ",
              t.sizes(), ", strides ", t.strides(), ", view ", asked,
              "): at least one dimension spans across two contiguous subspaces. Use .reshape(...) "
              "instead.");
  return viewOf(t, std::move(sizes), std::move(*strides));
}
/// A view where the strides allow it, else a copy.
inline Impl reshaped(const TensorBase &t, IntArrayRef asked) {
  std::vector<int64_t> sizes = inferredSizes(t.numel(), asked);
  if (auto strides = viewStrides(t.sizes(), t.strides(), sizes))
    return viewOf(t, std::move(sizes), std::move(*strides));
  return viewed(TensorBase(cloned(t, t.scalar_type(), MemoryFormat::Contiguous)), sizes);
}
inline Impl flattened(const TensorBase &t, int64_t first, int64_t last) {
  auto from = size_t(wrapped(first, t.dim())), to = size_t(wrapped(last, t.dim()));
  TORCH_CHECK(from <= to, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (t.dim() == 0)
    return reshaped(t, {1});
  if (from == to)
    return t.impl();
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < size_t(t.dim()); ++i)
    if (i <= from || i > to)
      sizes.push_back(t.sizes()[i]);
    else
      sizes.back() *= t.sizes()[i];
  return reshaped(t, sizes);
}
inline Impl broadcastTo(const TensorBase &t, IntArrayRef asked) {
  Geometry geometry = expanded(t.sizes(), t.strides(), asked);
  return viewOf(t, std::move(geometry.sizes), std::move(geometry.strides));
}

} // namespace detail

GE_TORCH_CLOSE

#endif // GE_TORCH_VIEWS_H
