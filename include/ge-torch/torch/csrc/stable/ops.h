//===- torch/csrc/stable/ops.h - new tensors, copies and views ---------------------------------===//
//
// What moves memory. Operators of ATen that compute (matmul, sum, ...) are not here.
//
#ifndef GE_TORCH_TORCH_CSRC_STABLE_OPS_H
#define GE_TORCH_TORCH_CSRC_STABLE_OPS_H

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/stable/tensor_struct.h>

namespace torch::stable {
inline namespace ge_torch_headers {

using headeronly::IntHeaderOnlyArrayRef;
using headeronly::Layout;
using headeronly::MemoryFormat;
using headeronly::ScalarType;

namespace detail {
inline c10::TensorOptions options(std::optional<ScalarType> type, std::optional<Device> device,
                                  std::optional<bool> pinned) {
  return c10::TensorOptions().dtype(type).device(device).pinned_memory(pinned);
}
inline at::Tensor aten(const Tensor &tensor) { return at::Tensor(tensor); }
inline Tensor own(const at::TensorBase &tensor) { return Tensor(tensor.impl()); }
} // namespace detail

inline Tensor empty(IntHeaderOnlyArrayRef sizes, std::optional<ScalarType> type = std::nullopt,
                    std::optional<Layout> = std::nullopt,
                    std::optional<Device> device = std::nullopt,
                    std::optional<bool> pinned = std::nullopt,
                    std::optional<MemoryFormat> = std::nullopt) {
  return detail::own(at::empty(sizes, detail::options(type, device, pinned)));
}
inline Tensor full(IntHeaderOnlyArrayRef sizes, double value,
                   std::optional<ScalarType> type = std::nullopt,
                   std::optional<Layout> = std::nullopt,
                   std::optional<Device> device = std::nullopt,
                   std::optional<bool> pinned = std::nullopt) {
  return detail::own(at::full(sizes, value, detail::options(type, device, pinned)));
}
inline Tensor empty_like(const Tensor &like) {
  return detail::own(at::empty_like(detail::aten(like)));
}
inline Tensor new_empty(const Tensor &self, IntHeaderOnlyArrayRef sizes,
                        std::optional<ScalarType> type = std::nullopt,
                        std::optional<Layout> = std::nullopt,
                        std::optional<Device> device = std::nullopt,
                        std::optional<bool> pinned = std::nullopt) {
  return detail::own(detail::aten(self).new_empty(sizes, detail::options(type, device, pinned)));
}
inline Tensor new_zeros(const Tensor &self, IntHeaderOnlyArrayRef sizes,
                        std::optional<ScalarType> type = std::nullopt,
                        std::optional<Layout> = std::nullopt,
                        std::optional<Device> device = std::nullopt,
                        std::optional<bool> pinned = std::nullopt) {
  return detail::own(detail::aten(self).new_zeros(sizes, detail::options(type, device, pinned)));
}
inline Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides,
                        Device device, ScalarType type) {
  return detail::own(at::from_blob(data, sizes, strides, c10::TensorOptions(type).device(device)));
}
template <typename F>
Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides,
                 Device device, ScalarType type, F &&deleter) {
  return detail::own(at::from_blob(data, sizes, strides,
                                   std::function<void(void *)>(std::forward<F>(deleter)),
                                   c10::TensorOptions(type).device(device)));
}

inline Tensor fill_(const Tensor &self, double value) {
  at::detail::fill(self, value);
  return self;
}
inline Tensor zero_(Tensor &self) { return fill_(self, 0); }
inline Tensor copy_(Tensor &self, const Tensor &from, std::optional<bool> = std::nullopt) {
  at::detail::copyInto(self, from);
  return self;
}
inline Tensor clone(const Tensor &self) { return detail::own(detail::aten(self).clone()); }
inline Tensor contiguous(const Tensor &self, MemoryFormat = MemoryFormat::Contiguous) {
  return Tensor(at::detail::contiguousOf(self));
}
inline Tensor to(const Tensor &self, std::optional<ScalarType> type = std::nullopt,
                 std::optional<Layout> = std::nullopt, std::optional<Device> device = std::nullopt,
                 std::optional<bool> pinned = std::nullopt, bool = false, bool copy = false,
                 std::optional<MemoryFormat> = std::nullopt) {
  return detail::own(detail::aten(self).to(detail::options(type, device, pinned), false, copy));
}
inline Tensor to(const Tensor &self, Device device, bool = false, bool copy = false) {
  return detail::own(detail::aten(self).to(c10::TensorOptions(device), false, copy));
}

inline Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length) {
  return Tensor(at::detail::narrowed(self, dim, start, length));
}
inline Tensor select(const Tensor &self, int64_t dim, int64_t index) {
  return Tensor(at::detail::selected(self, dim, index));
}
inline Tensor transpose(const Tensor &self, int64_t a, int64_t b) {
  return Tensor(at::detail::transposed(self, a, b));
}
inline Tensor unsqueeze(const Tensor &self, int64_t dim) {
  return Tensor(at::detail::unsqueezed(self, dim));
}
inline Tensor squeeze(const Tensor &self, int64_t dim) {
  return Tensor(at::detail::squeezed(self, dim));
}
inline Tensor view(const Tensor &self, IntHeaderOnlyArrayRef sizes) {
  return Tensor(at::detail::viewed(self, sizes));
}
inline Tensor reshape(const Tensor &self, IntHeaderOnlyArrayRef sizes) {
  return Tensor(at::detail::reshaped(self, sizes));
}
inline Tensor flatten(const Tensor &self, int64_t first = 0, int64_t last = -1) {
  return Tensor(at::detail::flattened(self, first, last));
}

inline uint32_t get_num_threads() { return uint32_t(at::get_num_threads()); }
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t grain, const F &body) {
  at::parallel_for(begin, end, grain, body);
}

} // namespace ge_torch_headers
} // namespace torch::stable

#endif // GE_TORCH_TORCH_CSRC_STABLE_OPS_H
