//===- ATen/core/Tensor.h - at::Tensor ---------------------------------------------------------===//
//
// What registration code and simple kernels use: sizes, memory, views, copies. No operator of ATen
// computes here: an expression such as `a + b` does not compile.
//
#ifndef GE_TORCH_ATEN_CORE_TENSOR_H
#define GE_TORCH_ATEN_CORE_TENSOR_H

#include <ATen/core/TensorAccessor.h>
#include <ATen/core/TensorBase.h>

#include "ge-torch/Views.h"

GE_TORCH_OPEN(at)

class Tensor : public TensorBase {
public:
  using TensorBase::TensorBase;
  explicit Tensor(const TensorBase &base) : TensorBase(base) {}
  Tensor() = default;
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) noexcept = default;
  Tensor &operator=(const Tensor &) & = default;
  Tensor &operator=(Tensor &&) & noexcept = default;
  // Of a temporary, such as `x[i]`: into its elements.
  const Tensor &operator=(const Tensor &from) && { return copy_(from); }
  const Tensor &operator=(Tensor &&from) && { return copy_(from); }
  const Tensor &operator=(const Scalar &value) && { return fill_(value); }

  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return Tensor(detail::contiguousOf(*this, format));
  }
  Tensor clone(std::optional<MemoryFormat> format = std::nullopt) const {
    return Tensor(detail::cloned(*this, scalar_type(), format));
  }
  Tensor to(ScalarType type, bool = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const {
    bool isDone =
        type == scalar_type() && !copy && (format != MemoryFormat::Contiguous || is_contiguous());
    return isDone ? *this : Tensor(detail::cloned(*this, type, format));
  }
  Tensor to(caffe2::TypeMeta type, bool = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const {
    return to(type.toScalarType(), false, copy, format);
  }
  Tensor to(const TensorOptions &options, bool = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const {
    return to(options.device_opt().value_or(device()),
              options.has_dtype() ? options.dtype().toScalarType() : scalar_type(), false, copy,
              format);
  }
  Tensor to(Device where, ScalarType type, bool = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const {
    TORCH_CHECK_NOT_IMPLEMENTED(where.type() == device().type(),
                                "to(): torch's headers of GE do not "
                                "copy from ",
                                device(), " to ", where);
    return to(type, false, copy, format);
  }
  Tensor to(const Tensor &other, bool = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const {
    return to(other.device(), other.scalar_type(), false, copy, format);
  }
  Tensor toType(ScalarType type) const { return to(type); }
  Tensor cpu() const { return to(kCPU, scalar_type()); }
  const Tensor &copy_(const Tensor &from, bool = false) const {
    detail::copyInto(*this, from);
    return *this;
  }
  const Tensor &fill_(const Scalar &value) const {
    detail::fill(*this, value);
    return *this;
  }
  const Tensor &zero_() const { return fill_(0); }
  Scalar item() const {
    TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
    detail::needCpu(*this, "item");
    return detail::load(scalar_type(), own().data);
  }
  template <typename T> T item() const { return item().to<T>(); }

  Tensor select(int64_t dim, int64_t index) const {
    return Tensor(detail::selected(*this, dim, index));
  }
  Tensor operator[](int64_t index) const { return select(0, index); }
  Tensor slice(int64_t dim = 0, std::optional<int64_t> start = std::nullopt,
               std::optional<int64_t> end = std::nullopt, int64_t step = 1) const {
    return Tensor(detail::sliced(*this, dim, start, end, step));
  }
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const {
    return Tensor(detail::narrowed(*this, dim, start, length));
  }
  Tensor permute(IntArrayRef dims) const { return Tensor(detail::permuted(*this, dims)); }
  Tensor transpose(int64_t a, int64_t b) const { return Tensor(detail::transposed(*this, a, b)); }
  Tensor t() const {
    TORCH_CHECK(dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
    return transpose(0, dim() < 2 ? 0 : 1);
  }
  Tensor unsqueeze(int64_t dim) const { return Tensor(detail::unsqueezed(*this, dim)); }
  Tensor squeeze() const { return Tensor(detail::squeezed(*this, std::nullopt)); }
  Tensor squeeze(int64_t dim) const { return Tensor(detail::squeezed(*this, dim)); }
  Tensor view(IntArrayRef sizes) const { return Tensor(detail::viewed(*this, sizes)); }
  Tensor reshape(IntArrayRef sizes) const { return Tensor(detail::reshaped(*this, sizes)); }
  Tensor flatten(int64_t first = 0, int64_t last = -1) const {
    return Tensor(detail::flattened(*this, first, last));
  }
  Tensor expand(IntArrayRef sizes) const { return Tensor(detail::broadcastTo(*this, sizes)); }

  Tensor new_empty(IntArrayRef sizes, const TensorOptions &options = {}) const {
    return Tensor(detail::allocate(sizes, merged(options)));
  }
  Tensor new_full(IntArrayRef sizes, const Scalar &value, const TensorOptions &options = {}) const {
    return new_empty(sizes, options).fill_(value);
  }
  Tensor new_zeros(IntArrayRef sizes, const TensorOptions &options = {}) const {
    return new_full(sizes, 0, options);
  }
  Tensor new_ones(IntArrayRef sizes, const TensorOptions &options = {}) const {
    return new_full(sizes, 1, options);
  }

  template <typename T, size_t N> TensorAccessor<T, N> accessor() const & {
    TORCH_CHECK(dim() == int64_t(N), "TensorAccessor expected ", N, " dims but tensor has ", dim());
    return {data_ptr<T>(), own().sizes.data(), own().strides.data()};
  }
  template <typename T, size_t N> TensorAccessor<T, N> accessor() && = delete;

  /// The tensor's own where the options do not say.
  TensorOptions merged(const TensorOptions &options) const {
    TensorOptions all = this->options();
    if (options.has_dtype())
      all = all.dtype(options.dtype());
    return options.has_device() ? all.device(options.device()) : all;
  }
};

using TensorList = ArrayRef<Tensor>;

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_CORE_TENSOR_H
