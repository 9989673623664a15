//===- Program.cpp - what a program keeps ------------------------------------------------------===//
#include "ge/Run/Program/Program.h"

#include <cstring>

namespace ge {

KnownType::KnownType(const Type *type) {
  if (!type || !type->isTensor())
    return;
  element = dlpackType(type->dtype());
  if (!element.bits)
    return;
  isKnown = true;
  isRanked = type->isRanked();
  isStatic = isRanked;
  for (const Dim &dim : type->shape()) {
    shape.push_back(dim.isStatic() ? dim.size : -1);
    isStatic &= dim.isStatic();
  }
  type->print(text);
}

bool KnownType::takes(const DLTensor &tensor) const {
  if (!isKnown)
    return true;
  if (std::memcmp(&element, &tensor.dtype, sizeof element) != 0)
    return false;
  if (!isRanked)
    return true;
  if (size_t(tensor.ndim) != shape.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] >= 0 && shape[i] != tensor.shape[i])
      return false;
  return true;
}

Program::~Program() {
  for (const Type *type : types_)
    context->release(type);
  for (const AttrStorage *storage : storages_)
    context->release(storage);
}

void Program::keep(const Type *type) {
  Context::retain(type);
  types_.push_back(type);
}

void Program::keep(Attribute attribute) {
  if (attribute.isInline()) {
    if (attribute.kind() == AttrKind::Type)
      keep(attribute.typeValue());
  } else if (const AttrStorage *storage = attribute.interned()) {
    Context::retain(storage);
    storages_.push_back(storage);
  } else {
    attributes_.emplace_back(attribute);
  }
}

} // namespace ge
