//===- Contents.cpp - small tensors known element by element ----------------------------------===//
#include "ge/Ops/Infer/Contents.h"

#include <algorithm>
#include <cstring>

namespace ge {

Element Element::of(int64_t number) {
  Element e;
  e.kind = Kind::Int;
  e.number = number;
  return e;
}

Element Element::of(double real) {
  Element e;
  e.kind = Kind::Real;
  e.real = real;
  return e;
}

Element Element::of(const Dim &dim) {
  if (dim.isStatic())
    return of(dim.size);
  Element e;
  if (dim.symbol) {
    e.kind = Kind::Symbol;
    e.symbol = dim.symbol;
  }
  return e;
}

Dim Element::dim() const {
  if (kind == Kind::Int && number >= 0)
    return {number, nullptr};
  return {-1, kind == Kind::Symbol ? symbol : nullptr};
}

Contents Contents::vector(std::vector<Element> elements) {
  Contents contents;
  contents.shape = {int64_t(elements.size())};
  contents.elements = std::move(elements);
  return contents;
}

namespace {

template <typename T> Element elementAt(const std::byte *bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  if constexpr (std::is_floating_point_v<T>)
    return Element::of(double(value));
  else if constexpr (std::is_same_v<T, uint64_t>) // what does not fit is too large for any shape
    return value > uint64_t(INT64_MAX) ? Element{} : Element::of(int64_t(value));
  else
    return Element::of(int64_t(value));
}

using Read = Element (*)(const std::byte *, size_t);

Read readerOf(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return elementAt<int8_t>;
  case DType::I16:
    return elementAt<int16_t>;
  case DType::I32:
    return elementAt<int32_t>;
  case DType::I64:
    return elementAt<int64_t>;
  case DType::U8:
  case DType::Bool:
    return elementAt<uint8_t>;
  case DType::U16:
    return elementAt<uint16_t>;
  case DType::U32:
    return elementAt<uint32_t>;
  case DType::U64:
    return elementAt<uint64_t>;
  case DType::F32:
    return elementAt<float>;
  case DType::F64:
    return elementAt<double>;
  default:
    return nullptr;
  }
}

} // namespace

std::optional<Contents> Contents::of(const Tensor &tensor) {
  Read read = readerOf(tensor.type()->dtype());
  if (!read || tensor.numElements() > kMaxElements ||
      (tensor.numElements() == 0 && tensor.type()->shape().size() != 1))
    return std::nullopt;
  std::vector<std::byte> bytes(tensor.denseSize());
  tensor.copyDense(bytes.data());
  Contents contents;
  for (const Dim &dim : tensor.type()->shape())
    contents.shape.push_back(dim.size);
  contents.elements.reserve(size_t(tensor.numElements()));
  for (size_t i = 0; i != size_t(tensor.numElements()); ++i)
    contents.elements.push_back(read(bytes.data(), i));
  return contents;
}

bool Contents::allKnown() const {
  return std::ranges::all_of(elements, [](const Element &e) { return e.isKnown(); });
}

std::optional<std::vector<int64_t>> Contents::ints() const {
  std::vector<int64_t> values;
  values.reserve(elements.size());
  for (const Element &element : elements) {
    if (!element.isInt())
      return std::nullopt;
    values.push_back(element.number);
  }
  return values;
}

std::vector<Dim> Contents::dims() const {
  std::vector<Dim> dims;
  dims.reserve(elements.size());
  for (const Element &element : elements)
    dims.push_back(element.dim());
  return dims;
}

} // namespace ge
