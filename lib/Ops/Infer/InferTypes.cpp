//===- InferTypes.cpp - precision of types: meet, join, text ----------------------------------===//
#include "ge/Ops/Infer/Infer.h"

#include <algorithm>

namespace ge {

bool isKnownType(const Type *type) {
  if (!type)
    return false;
  switch (type->kind()) {
  case TypeKind::Unknown:
    return false;
  case TypeKind::Tensor:
    return type->isRanked() && type->dtype() != DType::Undefined;
  default: // an item may be of any shape
    return true;
  }
}

namespace {

/// `first` with another element type and shape; its layout is kept if the shape is unchanged.
const Type *tensorLike(const Type *first, DType dtype, bool ranked, std::span<const Dim> shape) {
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.ranked = ranked;
  spec.shape = shape;
  spec.format = first->format();
  spec.hasOriginShape = first->hasOriginShape();
  spec.originShape = first->originShape();
  spec.originFormat = first->originFormat();
  return first->context().tensorType(spec);
}

const Type *meetTensors(const Type *first, const Type *second) {
  DType dtype = first->dtype() != DType::Undefined ? first->dtype() : second->dtype();
  if (second->dtype() != DType::Undefined && second->dtype() != dtype)
    return nullptr;
  if (!second->isRanked())
    return dtype == first->dtype() ? first
                                   : tensorLike(first, dtype, first->isRanked(), first->shape());
  if (!first->isRanked())
    return tensorLike(first, dtype, true, second->shape());
  if (first->shape().size() != second->shape().size())
    return nullptr;
  bool changed = dtype != first->dtype();
  std::vector<Dim> dims(first->shape().begin(), first->shape().end());
  for (size_t i = 0; i != dims.size(); ++i) {
    Dim other = second->shape()[i];
    if (dims[i].isStatic()) {
      if (other.isStatic() && other.size != dims[i].size)
        return nullptr;
    } else if (other.isStatic() || (other.symbol && !dims[i].symbol)) {
      dims[i] = other;
      changed = true;
    }
  }
  return changed ? tensorLike(first, dtype, true, dims) : first;
}

const Type *container(const Type *like, const Type *element) {
  Context &context = like->context();
  switch (like->kind()) {
  case TypeKind::Sequence:
    return context.sequenceType(element);
  case TypeKind::Optional:
    return context.optionalType(element);
  default:
    return context.mapType(like->dtype(), element);
  }
}

bool isContainer(const Type *type) {
  return type->kind() == TypeKind::Sequence || type->kind() == TypeKind::Optional ||
         type->kind() == TypeKind::Map;
}

} // namespace

const Type *meetTypes(const Type *first, const Type *second) {
  if (first == second || !second || second->kind() == TypeKind::Unknown)
    return first;
  if (!first || first->kind() == TypeKind::Unknown)
    return second;
  if (first->kind() != second->kind())
    // Foreign types are opaque.
    return first->kind() == TypeKind::Opaque || second->kind() == TypeKind::Opaque ? first
                                                                                   : nullptr;
  if (first->isTensor())
    return meetTensors(first, second);
  if (!isContainer(first))
    return first;
  if (first->kind() == TypeKind::Map && first->dtype() != second->dtype())
    return nullptr;
  const Type *element = meetTypes(first->element(), second->element());
  if (!element)
    return nullptr;
  return element == first->element() ? first : container(first, element);
}

const Type *joinTypes(const Type *first, const Type *second) {
  if (first == second)
    return first;
  Context &context = first->context();
  if (first->kind() != second->kind())
    return context.unknownType();
  if (isContainer(first)) {
    if (first->dtype() != second->dtype())
      return context.unknownType();
    return container(first, joinTypes(first->element(), second->element()));
  }
  if (!first->isTensor() || first->dtype() != second->dtype())
    return context.unknownType();
  TensorTypeSpec spec;
  spec.dtype = first->dtype();
  spec.format = first->format() == second->format() ? first->format() : nullptr;
  std::vector<Dim> dims;
  spec.ranked =
      first->isRanked() && second->isRanked() && first->shape().size() == second->shape().size();
  if (spec.ranked)
    for (size_t i = 0; i != first->shape().size(); ++i)
      dims.push_back(first->shape()[i] == second->shape()[i] ? first->shape()[i] : Dim{});
  spec.shape = dims;
  return context.tensorType(spec);
}

std::string shortType(const Type *type) {
  if (!type)
    return "nothing";
  switch (type->kind()) {
  case TypeKind::Unknown:
    return "unknown";
  case TypeKind::Sequence:
    return cat("seq(", shortType(type->element()), ")");
  case TypeKind::Optional:
    return cat("optional(", shortType(type->element()), ")");
  case TypeKind::Tensor:
    break;
  default:
    return type->str();
  }
  std::string text = info(type->dtype()).name;
  if (!type->isRanked())
    return text + "[*]";
  text += '[';
  for (size_t i = 0; i != type->shape().size(); ++i) {
    const Dim &dim = type->shape()[i];
    text += i ? ", " : "";
    text += dim.isStatic() ? std::to_string(dim.size)
                           : std::string(dim.symbol ? dim.symbol->str() : "?");
  }
  return text + ']';
}

} // namespace ge
