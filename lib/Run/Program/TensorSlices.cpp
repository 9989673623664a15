//===- TensorSlices.cpp - parts of tensors, which loops take and put together ------------------===//
#include "TensorSlices.h"

#include "ge/IR/Context.h"
#include "ge/IR/Types.h"

#include <cstring>
#include <vector>

namespace ge {

namespace {

int64_t product(std::span<const Dim> shape) {
  int64_t all = 1;
  for (const Dim &dim : shape)
    all *= dim.size;
  return all;
}

const Type *typeOf(Context &context, DType dtype, std::span<const Dim> shape) {
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  return context.tensorType(spec);
}

/// The elements of a tensor; strings, too.
class TensorElements {
public:
  explicit TensorElements(const Tensor &tensor) : tensor_(tensor), size_(tensor.elementSize()) {}
  void copy(int64_t first, int64_t count, std::vector<char> &bytes,
            std::vector<std::string> &strings) const {
    if (!tensor_.isString()) {
      size_t at = bytes.size();
      bytes.resize(at + size_t(count) * size_);
      tensor_.copyElements(first, count, bytes.data() + at);
      return;
    }
    for (int64_t i = first; i < first + count; ++i)
      strings.push_back(tensor_.strings()[tensor_.isSplat() ? 0 : size_t(i)]);
  }

private:
  const Tensor &tensor_;
  size_t size_;
};

TensorPtr tensorOf(const Type *type, const std::vector<char> &bytes,
                   std::vector<std::string> strings) {
  if (type->dtype() == DType::String)
    return TensorPtr::adopt(Tensor::strings(type, std::move(strings)));
  return TensorPtr::adopt(Tensor::copy(type, bytes.data(), bytes.size()));
}

} // namespace

std::optional<int64_t> integerOf(const Tensor &tensor) {
  if (tensor.numElements() != 1)
    return std::nullopt;
  DType dtype = tensor.type()->dtype();
  auto as = [&]<typename T>(T value) {
    tensor.copyDense(&value);
    return int64_t(value);
  };
  switch (dtype) {
  case DType::Bool:
  case DType::U8:
    return as(uint8_t());
  case DType::I8:
    return as(int8_t());
  case DType::I16:
    return as(int16_t());
  case DType::U16:
    return as(uint16_t());
  case DType::I32:
    return as(int32_t());
  case DType::U32:
    return as(uint32_t());
  case DType::I64:
    return as(int64_t());
  default:
    return std::nullopt;
  }
}

TensorPtr scalarOf(Context &context, DType dtype, int64_t value) {
  const Type *type = typeOf(context, dtype, {});
  // Little-endian: the first bytes are the narrower number.
  size_t size = dtype == DType::I64                          ? 8
                : dtype == DType::I32 || dtype == DType::U32 ? 4
                : dtype == DType::I16 || dtype == DType::U16 ? 2
                                                             : 1;
  return TensorPtr::adopt(Tensor::copy(type, &value, size));
}

TensorPtr sliceOf(const Tensor &tensor, size_t axis, int64_t index) {
  std::span<const Dim> shape = tensor.type()->shape();
  std::vector<Dim> rest(shape.begin(), shape.end());
  rest.erase(rest.begin() + ptrdiff_t(axis));
  int64_t outer = product(shape.first(axis)), inner = product(shape.subspan(axis + 1));
  std::vector<char> bytes;
  std::vector<std::string> strings;
  TensorElements elements(tensor);
  for (int64_t i = 0; i < outer; ++i)
    elements.copy((i * shape[axis].size + index) * inner, inner, bytes, strings);
  const Type *type = typeOf(tensor.type()->context(), tensor.type()->dtype(), rest);
  return tensorOf(type, bytes, std::move(strings));
}

TensorPtr stackOf(std::span<const TensorPtr> parts, size_t axis) {
  const Type *part = parts[0]->type();
  std::vector<Dim> shape(part->shape().begin(), part->shape().end());
  shape.insert(shape.begin() + ptrdiff_t(axis), Dim{int64_t(parts.size()), nullptr});
  int64_t outer = product(part->shape().first(axis)), inner = product(part->shape().subspan(axis));
  std::vector<char> bytes;
  std::vector<std::string> strings;
  for (int64_t i = 0; i < outer; ++i)
    for (const TensorPtr &one : parts)
      TensorElements(*one).copy(i * inner, inner, bytes, strings);
  return tensorOf(typeOf(part->context(), part->dtype(), shape), bytes, std::move(strings));
}

TensorPtr emptyOf(Context &context, const Type *type, int64_t axis) {
  std::vector<Dim> shape;
  bool isTensor = type && type->isTensor();
  if (isTensor)
    for (const Dim &dim : type->shape())
      shape.push_back(Dim{dim.isStatic() ? dim.size : 0, nullptr});
  int64_t rank = int64_t(shape.size()) + 1;
  axis += axis < 0 ? rank : 0;
  shape.insert(shape.begin() + std::clamp<int64_t>(axis, 0, rank - 1), Dim{0, nullptr});
  return tensorOf(typeOf(context, isTensor ? type->dtype() : DType::F32, shape), {}, {});
}

} // namespace ge
