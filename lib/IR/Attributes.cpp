//===- Attributes.cpp - questions to attributes, equality -------------------------------------===//
#include "ge/IR/Attributes.h"

#include "ContextImpl.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <new>
#include <vector>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Questions
//===-----------------------------------------------------------------------------------------===//

DType Attribute::width() const {
  switch (bits_ & 7) {
  case kIntTag:
    return DType::I64;
  case kF32Tag:
    return DType::F32;
  case kBoolTag:
    return DType::Bool;
  case 0:
    return bits_ ? storage()->width : DType::Undefined;
  default:
    return DType::Undefined;
  }
}

uint32_t Attribute::depth() const { return isInline() || !bits_ ? 1 : storage()->depth; }

double Attribute::floatValue() const {
  return isInline() ? double(f32Value()) : *storage()->payload<double>();
}

/// The storage of an attribute of one of these kinds, else null.
static const AttrStorage *storageOf(Attribute a, std::initializer_list<AttrKind> kinds) {
  if (a.isInline() || !a || std::find(kinds.begin(), kinds.end(), a.kind()) == kinds.end())
    return nullptr;
  return reinterpret_cast<const AttrStorage *>(a.bits());
}

std::string_view Attribute::stringValue() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::String, AttrKind::Bytes, AttrKind::Graph});
  return s ? std::string_view(s->payload<char>(), s->size) : std::string_view();
}

const Tensor *Attribute::tensorValue() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::Tensor});
  return s ? *s->payload<const Tensor *>() : nullptr;
}

size_t Attribute::size() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::Array, AttrKind::List, AttrKind::Dict});
  return s ? s->size : 0;
}

std::span<const int64_t> Attribute::ints() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::Array});
  if (!s || isFloat(s->width))
    return {};
  return {s->payload<int64_t>(), s->size};
}

std::span<const double> Attribute::doubles() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::Array});
  if (!s || s->width != ge::DType::F64)
    return {};
  return {s->payload<double>(), s->size};
}

std::span<const float> Attribute::floats() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::Array});
  if (!s || s->width != ge::DType::F32)
    return {};
  return {s->payload<float>(), s->size};
}

std::span<const Attribute> Attribute::elements() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::List, AttrKind::Dict});
  if (!s)
    return {};
  return {s->payload<Attribute>(), s->size};
}

std::span<const Identifier *const> Attribute::keys() const {
  const AttrStorage *s = storageOf(*this, {AttrKind::Dict});
  if (!s)
    return {};
  return {reinterpret_cast<const Identifier *const *>(s->payload<Attribute>() + s->size), s->size};
}

Attribute Attribute::entry(std::string_view key) const {
  std::span<const Identifier *const> names = keys();
  for (size_t i = 0; i != names.size(); ++i)
    if (names[i]->str() == key)
      return elements()[i];
  return {};
}

Context *Attribute::context() const {
  if (isInline())
    return (bits_ & 7) == kTypeTag ? &typeValue()->context() : nullptr;
  return bits_ ? storage()->context : nullptr;
}

void Attribute::releaseCounted() const {
  const AttrStorage *s = storage();
  if (!s->life.releaseLast())
    return;
  ContextPtr context(s->context); // a tensor in the attribute may hold the last reference
  if (const Tensor *tensor = tensorValue())
    tensor->release();
  // Released one by one, because a released element can no longer be inspected.
  auto releaseChild = [&](const auto *child) { context->release(child); };
  for (Attribute element : elements())
    if (element.isCounted()) // at most kMaxDepth deep
      element.releaseCounted();
    else
      forEachChild(std::span(&element, 1), releaseChild);
  forEachKey(*s, releaseChild);
  ::operator delete(const_cast<AttrStorage *>(s));
}

//===-----------------------------------------------------------------------------------------===//
// Equality
//===-----------------------------------------------------------------------------------------===//

uint64_t attrHash(Attribute a) {
  if (a.isInline() || !a)
    return (a.bits() & 7) == Attribute::kTypeTag ? a.typeValue()->hash()
                                                 : hashCombine(0x6765ull, a.bits());
  const AttrStorage *s = a.storage();
  if (!s->counted)
    return s->hashValue;
  if (const Tensor *tensor = a.tensorValue())
    return hashCombine(uint64_t(AttrKind::Tensor), tensor->hash());
  return s->kind == AttrKind::Dict ? hashDict(a.keys(), a.elements()) : hashList(a.elements());
}

uint64_t hashList(std::span<const Attribute> elements) {
  uint64_t hash = hashCombine(uint64_t(AttrKind::List), elements.size());
  for (Attribute element : elements)
    hash = hashCombine(hash, attrHash(element));
  return hash;
}

uint64_t hashDict(std::span<const Identifier *const> keys, std::span<const Attribute> values) {
  uint64_t sum = 0; // independent of the order
  for (size_t i = 0; i != keys.size(); ++i)
    sum += hashCombine(keys[i]->hash(), attrHash(values[i]));
  return hashCombine(hashCombine(uint64_t(AttrKind::Dict), keys.size()), sum);
}

static bool dictEquals(Attribute a, Attribute b) {
  auto keysA = a.keys(), keysB = b.keys();
  auto valuesA = a.elements(), valuesB = b.elements();
  size_t n = keysA.size();
  bool oneContext = a.context() == b.context();
  auto sameKey = [&](const Identifier *x, const Identifier *y) {
    return oneContext ? x == y : x->str() == y->str();
  };
  if (std::equal(keysA.begin(), keysA.end(), keysB.begin(), sameKey))
    return std::equal(valuesA.begin(), valuesA.end(), valuesB.begin(), attrEquals);
  // Keys are unique, so after sorting both by text the pairs must be equal.
  auto sorted = [n](std::span<const Identifier *const> keys) {
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i != n; ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](uint32_t x, uint32_t y) { return keys[x]->str() < keys[y]->str(); });
    return order;
  };
  std::vector<uint32_t> orderA = sorted(keysA), orderB = sorted(keysB);
  for (size_t i = 0; i != n; ++i)
    if (!sameKey(keysA[orderA[i]], keysB[orderB[i]]) ||
        !attrEquals(valuesA[orderA[i]], valuesB[orderB[i]]))
      return false;
  return true;
}

bool attrEquals(Attribute a, Attribute b) {
  if (a == b)
    return true;
  if (!a || !b || a.kind() != b.kind() || a.isInline() != b.isInline())
    return false;
  if (a.isInline()) // only types of two contexts are equal with different bits
    return a.kind() == AttrKind::Type && typeEquals(a.typeValue(), b.typeValue());
  const AttrStorage *x = a.storage();
  const AttrStorage *y = b.storage();
  if (x->size != y->size || x->width != y->width || x->depth != y->depth ||
      x->counted != y->counted || x->hashValue != y->hashValue)
    return false;
  switch (x->kind) {
  case AttrKind::Tensor:
    return a.tensorValue()->equals(*b.tensorValue());
  case AttrKind::List: {
    auto elementsA = a.elements(), elementsB = b.elements();
    return std::equal(elementsA.begin(), elementsA.end(), elementsB.begin(), attrEquals);
  }
  case AttrKind::Dict:
    return dictEquals(a, b);
  default: { // interned leaves: unequal unless they are of two contexts
    size_t bytes = x->size;
    if (x->kind == AttrKind::Int || x->kind == AttrKind::Float)
      bytes = 8;
    else if (x->kind == AttrKind::Array)
      bytes *= x->width == DType::F32 ? 4 : 8;
    return x->context != y->context &&
           std::memcmp(x->payload<char>(), y->payload<char>(), bytes) == 0;
  }
  }
}

} // namespace ge
