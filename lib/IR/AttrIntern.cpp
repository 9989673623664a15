//===- AttrIntern.cpp - making attributes -----------------------------------------------------===//
#include "ContextImpl.h"
#include "ge/IR/FloatFormat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Leaves
//===-----------------------------------------------------------------------------------------===//

/// Hash of an interned leaf.
static uint64_t hashLeaf(AttrKind kind, DType width, std::string_view payload) {
  return hashBytes(payload, uint64_t(kind) << 8 | uint64_t(width));
}

static void checkCount(size_t count) {
  if (count >= UINT32_MAX)
    throwError(ErrorKind::Value, "an attribute of ", count, " elements is too large");
}

AttrRef Context::leafAttr(AttrKind kind, DType width, std::string_view payload, size_t size) {
  uint64_t hash = hashLeaf(kind, width, payload);
  auto same = [&](const AttrStorage &other) {
    return other.kind == kind && other.width == width && other.size == size &&
           std::string_view(other.payload<char>(), payload.size()) == payload;
  };
  auto children = [](const auto &) {};
  auto make = [&](Arena &arena) {
    checkCount(size);
    if (kind == AttrKind::String && !isValidUtf8(payload))
      throwError(ErrorKind::Value, "a string attribute must be UTF-8; use bytes for other data");
    if (kind == AttrKind::Graph && (payload.empty() || !isValidUtf8(payload)))
      throwError(ErrorKind::Value, "a graph symbol must be a non-empty UTF-8 name");
    auto *made = new (arena.allocate(sizeof(AttrStorage) + payload.size()))
        AttrStorage{this, hash, Lifetime(), uint32_t(size), kind, width, 1, false};
    if (!payload.empty())
      std::memcpy(reinterpret_cast<char *>(made + 1), payload.data(), payload.size());
    return made;
  };
  InternedSet *set = InternScope::currentSet(*this);
  const AttrStorage *found = impl_->attributes.intern(*this, set ? &set->attributes_ : nullptr,
                                                      hash, same, children, make);
  return AttrRef::adopt(Attribute::fromStorage(found));
}

AttrRef Context::stringAttr(std::string_view text) {
  return leafAttr(AttrKind::String, DType::Undefined, text, text.size());
}

AttrRef Context::bytesAttr(std::string_view bytes) {
  return leafAttr(AttrKind::Bytes, DType::Undefined, bytes, bytes.size());
}

AttrRef Context::graphAttr(std::string_view name) {
  return leafAttr(AttrKind::Graph, DType::Undefined, name, name.size());
}

template <typename T> static std::string_view bytesOf(const T *data, size_t count) {
  return {reinterpret_cast<const char *>(data), count * sizeof(T)};
}

//===-----------------------------------------------------------------------------------------===//
// Numbers
//===-----------------------------------------------------------------------------------------===//

/// 8 to 64 for the widths that an integer attribute may have, else 0. (Bool only in arrays.)
static unsigned intWidth(DType width) {
  bool allowed = (width >= DType::I8 && width <= DType::U64);
  return allowed ? info(width).bits : 0;
}

static void checkIntWidth(DType width) {
  if (!intWidth(width) && width != DType::Bool)
    throwError(ErrorKind::Value, "an integer attribute cannot have the width ", info(width).name,
               ": i8 to i64, u8 to u64 and bool are possible");
}

/// Smallest and largest int64_t that `width` takes; u64 takes all, as bits.
static std::pair<int64_t, int64_t> intRange(DType width) {
  unsigned bits = intWidth(width);
  if (width == DType::Bool)
    return {0, 1};
  if (bits == 64)
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  if (width >= DType::U8)
    return {0, (int64_t(1) << bits) - 1};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

[[noreturn]] static void throwDoesNotFit(int64_t value, DType width) {
  auto [low, high] = intRange(width);
  throwError(ErrorKind::Overflow, value, " does not fit ", info(width).name, " (", low, " to ",
             high, ")");
}

AttrRef Context::intAttr(int64_t value, DType width) {
  if (width == DType::I64 && Attribute::fitsInline(value))
    return AttrRef::adopt(Attribute::inlineInt(value));
  checkIntWidth(width);
  auto [low, high] = intRange(width);
  if (value < low || value > high)
    throwDoesNotFit(value, width);
  if (width == DType::Bool)
    return AttrRef::adopt(Attribute::boolean(value != 0));
  return leafAttr(AttrKind::Int, width, bytesOf(&value, 1), 1);
}

AttrRef Context::intArray(std::span<const int64_t> values, DType width) {
  if (width != DType::I64) {
    checkIntWidth(width);
    auto [low, high] = intRange(width);
    for (int64_t value : values)
      if (value < low || value > high)
        throwDoesNotFit(value, width);
  }
  return leafAttr(AttrKind::Array, width, bytesOf(values.data(), values.size()), values.size());
}

/// A NaN with its sign and payload; a conversion instruction would set the quiet bit.
static float narrow(double value) {
  if (std::isnan(value))
    return std::bit_cast<float>(uint32_t(encodeFloat(DType::F32, value)));
  return float(value);
}

AttrRef Context::floatAttr(double value, DType width) {
  auto checkFits = [&](bool infinite) {
    if (infinite && std::isfinite(value))
      throwError(ErrorKind::Overflow, "the value is too large for ", info(width).name);
  };
  switch (width) {
  case DType::F32: {
    float single = narrow(value);
    checkFits(std::isinf(single));
    return AttrRef::adopt(Attribute::f32(single));
  }
  case DType::F64:
    return leafAttr(AttrKind::Float, width, bytesOf(&value, 1), 1);
  case DType::F16:
  case DType::BF16: {
    double rounded = decodeFloat(width, encodeFloat(width, value));
    checkFits(std::isinf(rounded));
    return leafAttr(AttrKind::Float, width, bytesOf(&rounded, 1), 1);
  }
  default:
    throwError(ErrorKind::Value, "a float attribute cannot have the width ", info(width).name,
               ": f16, bf16, f32 and f64 are possible");
  }
}

AttrRef Context::floatArray(std::span<const float> values) {
  return leafAttr(AttrKind::Array, DType::F32, bytesOf(values.data(), values.size()),
                  values.size());
}

AttrRef Context::doubleArray(std::span<const double> values) {
  return leafAttr(AttrKind::Array, DType::F64, bytesOf(values.data(), values.size()),
                  values.size());
}

//===-----------------------------------------------------------------------------------------===//
// Nested
//===-----------------------------------------------------------------------------------------===//

size_t payloadBytes(const AttrStorage &storage) {
  switch (storage.kind) {
  case AttrKind::Int:
  case AttrKind::Float:
    return 8;
  case AttrKind::Array:
    return size_t(storage.size) * (storage.width == DType::F32 ? 4 : 8);
  case AttrKind::List:
    return size_t(storage.size) * sizeof(Attribute);
  case AttrKind::Dict:
    return size_t(storage.size) * (sizeof(Attribute) + sizeof(const Identifier *));
  default:
    return storage.size;
  }
}

AttrStorage *Context::newCounted(AttrKind kind, size_t payloadBytes, size_t size, uint32_t depth) {
  void *memory = ::operator new(sizeof(AttrStorage) + payloadBytes);
  return new (memory) AttrStorage{
      this, 0, Lifetime(1), uint32_t(size), kind, DType::Undefined, uint16_t(depth), true};
}

AttrRef Context::tensorAttr(TensorPtr tensor) {
  if (!tensor)
    throwError(ErrorKind::Value, "a tensor attribute needs a tensor");
  if (&tensor->type()->context() != this)
    throwError(ErrorKind::Value, "the tensor belongs to another context");
  AttrStorage *made = newCounted(AttrKind::Tensor, sizeof(const Tensor *), 1, 1);
  *reinterpret_cast<const Tensor **>(made + 1) = tensor.take();
  return AttrRef::adopt(Attribute::fromStorage(made));
}

/// Checks elements; returns the depth of what holds them, and whether that is counted.
static std::pair<uint32_t, bool> checkElements(Context *context,
                                               std::span<const Attribute> elements) {
  checkCount(elements.size());
  uint32_t depth = 1;
  bool counted = false;
  for (Attribute element : elements) {
    if (!element)
      throwError(ErrorKind::Value, "an element of a list or dictionary is missing");
    Context *owner = element.context();
    if (owner && owner != context)
      throwError(ErrorKind::Value, "an element of a list or dictionary belongs to another context");
    depth = std::max(depth, element.depth() + 1);
    counted |= element.isCounted();
  }
  if (depth > Type::kMaxDepth)
    throwError(ErrorKind::Value, "attributes nest deeper than ", Type::kMaxDepth, " levels");
  return {depth, counted};
}

AttrRef Context::nestedAttr(AttrKind kind, std::span<const Identifier *const> keys,
                            std::span<const Attribute> elements) {
  auto [depth, counted] = checkElements(this, elements);
  size_t payload = elements.size_bytes() + keys.size_bytes();
  auto fill = [&](AttrStorage *made) {
    char *at = reinterpret_cast<char *>(made + 1);
    if (!elements.empty())
      std::memcpy(at, elements.data(), elements.size_bytes());
    if (!keys.empty())
      std::memcpy(at + elements.size_bytes(), static_cast<const void *>(keys.data()),
                  keys.size_bytes());
  };
  if (counted) {
    checkKeys(keys);
    AttrStorage *made = newCounted(kind, payload, elements.size(), depth);
    fill(made);
    for (Attribute element : elements)
      element.retain();
    forEachChild(*made, [](const auto *child) { retain(child); });
    return AttrRef::adopt(Attribute::fromStorage(made));
  }
  uint64_t hash = kind == AttrKind::Dict ? hashDict(keys, elements) : hashList(elements);
  auto same = [&](const AttrStorage &other) {
    Attribute attr = Attribute::fromStorage(&other);
    return other.kind == kind && std::ranges::equal(attr.elements(), elements) &&
           std::ranges::equal(attr.keys(), keys);
  };
  auto children = [&](const auto &visit) {
    forEachChild(elements, visit);
    for (const Identifier *key : keys)
      if (key && &key->context() == this) // others are rejected below
        visit(key);
  };
  auto make = [&, depth = depth](Arena &arena) {
    checkKeys(keys);
    auto *made = new (arena.allocate(sizeof(AttrStorage) + payload)) AttrStorage{
        this, hash, Lifetime(), uint32_t(elements.size()), kind, DType::Undefined, uint16_t(depth),
        false};
    fill(made);
    return made;
  };
  InternedSet *set = InternScope::currentSet(*this);
  const AttrStorage *found = impl_->attributes.intern(*this, set ? &set->attributes_ : nullptr,
                                                      hash, same, children, make);
  return AttrRef::adopt(Attribute::fromStorage(found));
}

void Context::checkKeys(std::span<const Identifier *const> keys) const {
  for (const Identifier *key : keys) {
    if (!key || key->str().empty())
      throwError(ErrorKind::Value, "a key of a dictionary attribute is empty");
    if (&key->context() != this)
      throwError(ErrorKind::Value, "the key '", key->str(), "' belongs to another context");
    if (!isValidUtf8(key->str()))
      throwError(ErrorKind::Value, "a key of a dictionary attribute must be UTF-8");
  }
  std::vector<const Identifier *> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Identifier *a, const Identifier *b) { return a->id() < b->id(); });
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throwError(ErrorKind::Value, "the key '", (*twice)->str(), "' is repeated in a dictionary");
}

AttrRef Context::listAttr(std::span<const Attribute> elements) {
  return nestedAttr(AttrKind::List, {}, elements);
}

AttrRef Context::dictAttr(std::span<const Identifier *const> keys,
                          std::span<const Attribute> values) {
  if (keys.size() != values.size())
    throwError(ErrorKind::Value, "a dictionary attribute has ", keys.size(), " keys but ",
               values.size(), " values");
  if (std::find(keys.begin(), keys.end(), nullptr) != keys.end())
    throwError(ErrorKind::Value, "a key of a dictionary attribute is missing");
  return nestedAttr(AttrKind::Dict, keys, values);
}

} // namespace ge
