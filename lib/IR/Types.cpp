//===- Types.cpp - interning of types ---------------------------------------------------------===//
#include "ge/IR/Types.h"

#include "ContextImpl.h"

#include <algorithm>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Questions
//===-----------------------------------------------------------------------------------------===//

bool Type::hasStaticShape() const {
  return isTensor() && ranked_ &&
         std::all_of(dims_, dims_ + rank_, [](const Dim &dim) { return dim.isStatic(); });
}

int64_t Type::numElements() const {
  if (!hasStaticShape())
    return -1;
  int64_t count = 1;
  bool overflow = false;
  for (const Dim &dim : shape()) {
    if (dim.size == 0)
      return 0; // however large the others are
    overflow |= __builtin_mul_overflow(count, dim.size, &count);
  }
  return overflow ? -1 : count;
}

static bool sameText(const Identifier *a, const Identifier *b) {
  return a == b || (a && b && a->str() == b->str());
}

static bool sameDims(std::span<const Dim> a, std::span<const Dim> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim &x, const Dim &y) {
    return x.size == y.size && sameText(x.symbol, y.symbol);
  });
}

bool typeEquals(const Type *a, const Type *b) {
  if (a == b)
    return true;
  if (!a || !b || &a->context() == &b->context() || a->hash() != b->hash())
    return false;
  return a->kind() == b->kind() && a->dtype() == b->dtype() && a->isRanked() == b->isRanked() &&
         a->hasOriginShape() == b->hasOriginShape() && sameText(a->format(), b->format()) &&
         sameText(a->originFormat(), b->originFormat()) && sameText(a->payload(), b->payload()) &&
         sameDims(a->shape(), b->shape()) && sameDims(a->originShape(), b->originShape()) &&
         typeEquals(a->element(), b->element());
}

//===-----------------------------------------------------------------------------------------===//
// Interning
//===-----------------------------------------------------------------------------------------===//

static uint64_t hashText(uint64_t hash, const Identifier *text) {
  return hashCombine(hash, text ? text->hash() : 0);
}

static uint64_t hashDims(uint64_t hash, std::span<const Dim> dims) {
  hash = hashCombine(hash, dims.size());
  for (const Dim &dim : dims)
    hash = dim.symbol ? hashText(hash, dim.symbol) : hashCombine(hash, uint64_t(dim.size));
  return hash;
}

/// Checked once for each type: an interned type is known to be valid.
static void checkTexts(const Type &type) {
  auto check = [](const Identifier *text) {
    if (text && !isValidUtf8(text->str()))
      throwError(ErrorKind::Value, "the texts of a type must be UTF-8");
  };
  check(type.format());
  check(type.originFormat());
  for (const Dim &dim : type.shape())
    check(dim.symbol);
  for (const Dim &dim : type.originShape())
    check(dim.symbol);
}

const Type *Context::internType(const Type &type) {
  uint64_t hash = uint64_t(type.kind_) | uint64_t(type.dtype_) << 8 | uint64_t(type.ranked_) << 16 |
                  uint64_t(type.hasOriginShape_) << 17;
  hash = hashDims(hash, type.shape());
  if (type.hasOriginShape_)
    hash = hashDims(hash, type.originShape());
  if (type.format_ || type.originFormat_)
    hash = hashText(hashText(hash, type.format_), type.originFormat_);
  if (type.payload_)
    hash = hashText(hash, type.payload_);
  if (type.element_)
    hash = hashCombine(hash, type.element_->hash());
  auto same = [&](const Type &other) {
    return other.kind_ == type.kind_ && other.dtype_ == type.dtype_ &&
           other.ranked_ == type.ranked_ && other.hasOriginShape_ == type.hasOriginShape_ &&
           other.format_ == type.format_ && other.originFormat_ == type.originFormat_ &&
           other.element_ == type.element_ && other.payload_ == type.payload_ &&
           std::ranges::equal(other.shape(), type.shape()) &&
           std::ranges::equal(other.originShape(), type.originShape());
  };
  InternedSet *set = InternScope::currentSet(*this);
  auto children = [&](const auto &visit) { forEachChild(type, visit); };
  auto make = [&](Arena &arena) {
    checkTexts(type);
    uint32_t id = types_.reserve();
    const Dim *dims = copyInto(arena, type.shape());
    const Dim *originDims = copyInto(arena, type.originShape());
    auto *made = new (arena.allocate(sizeof(Type))) Type(type);
    made->context_ = this;
    made->dims_ = dims;
    made->originDims_ = originDims;
    made->id_ = id;
    made->hash_ = hash;
    types_.add(made);
    return made;
  };
  return impl_->types.intern(*this, set ? &set->types_ : nullptr, hash, same, children, make);
}

Type::Type(const Type &other)
    : context_(other.context_), dims_(other.dims_), originDims_(other.originDims_),
      format_(other.format_), originFormat_(other.originFormat_), element_(other.element_),
      payload_(other.payload_), hash_(other.hash_), rank_(other.rank_),
      originRank_(other.originRank_), id_(other.id_), depth_(other.depth_), kind_(other.kind_),
      dtype_(other.dtype_), ranked_(other.ranked_), hasOriginShape_(other.hasOriginShape_) {}

static void checkDType(DType dtype) {
  if (dtype >= DType::Count_)
    throwError(ErrorKind::Value, "element type ", unsigned(dtype), " does not exist");
}

/// Null for the empty text, which means no symbol or format.
static const Identifier *checkText(const Context *context, const Identifier *text,
                                   std::string_view what) {
  if (!text || text->str().empty())
    return nullptr;
  if (&text->context() != context)
    throwError(ErrorKind::Value, what, " '", text->str(), "' belongs to another context");
  return text;
}

static void checkDim(const Context *context, const Dim &dim, std::string_view what) {
  if (dim.size < -1)
    throwError(ErrorKind::Value, what, " ", dim.size, " is negative (an unknown one is -1)");
  if (dim.size < 0 || !dim.symbol)
    return;
  checkText(context, dim.symbol, "symbol");
  throwError(ErrorKind::Value, what, " ", dim.size, " is static and cannot be called '",
             dim.symbol->str(), "', too");
}

/// Whether a name only marks a size that is not known: what exporters write without a meaning, each
/// of them for any number of sizes.
static bool isAnonymous(std::string_view name) {
  return name.find_first_not_of('?') == std::string_view::npos || name.starts_with("unk__") ||
         name == "None" || name == "-1";
}

/// `dims` checked; copied to `copy` only where a symbol is none: the empty text, or an anonymous
/// name.
static std::span<const Dim> checkDims(const Context *context, std::span<const Dim> dims,
                                      std::string_view what, std::vector<Dim> &copy) {
  if (dims.size() > UINT32_MAX)
    throwError(ErrorKind::Value, "a shape has ", dims.size(), " dimensions");
  for (size_t i = 0; i != dims.size(); ++i) {
    checkDim(context, dims[i], what);
    const Identifier *symbol = checkText(context, dims[i].symbol, "symbol");
    if (!dims[i].symbol || (symbol && !isAnonymous(symbol->str())))
      continue;
    if (copy.empty())
      copy.assign(dims.begin(), dims.end());
    copy[i].symbol = nullptr;
  }
  return copy.empty() ? dims : std::span<const Dim>(copy);
}

const Type *Context::tensorType(const TensorTypeSpec &spec) {
  checkDType(spec.dtype);
  Type type;
  type.kind_ = TypeKind::Tensor;
  type.dtype_ = spec.dtype;
  type.ranked_ = spec.ranked;
  type.hasOriginShape_ = spec.hasOriginShape;
  std::vector<Dim> shapeCopy, originCopy;
  if (spec.ranked) {
    std::span<const Dim> dims = checkDims(this, spec.shape, "dimension", shapeCopy);
    type.dims_ = dims.data();
    type.rank_ = uint32_t(dims.size());
  }
  if (spec.hasOriginShape) {
    std::span<const Dim> dims = checkDims(this, spec.originShape, "origin dimension", originCopy);
    type.originDims_ = dims.data();
    type.originRank_ = uint32_t(dims.size());
  }
  type.format_ = checkText(this, spec.format, "format");
  type.originFormat_ = checkText(this, spec.originFormat, "origin format");
  return internType(type);
}

const Type *Context::containerType(TypeKind kind, DType key, const Type *element) {
  if (!element)
    throwError(ErrorKind::Value, "a sequence, optional or map type needs an element type");
  if (&element->context() != this)
    throwError(ErrorKind::Value, "the element type belongs to another context");
  if (element->depth() >= Type::kMaxDepth)
    throwError(ErrorKind::Value, "types nest deeper than ", Type::kMaxDepth, " levels");
  Type type;
  type.kind_ = kind;
  type.dtype_ = key;
  type.element_ = element;
  type.depth_ = element->depth() + 1;
  return internType(type);
}

const Type *Context::sequenceType(const Type *element) {
  return containerType(TypeKind::Sequence, DType::Undefined, element);
}

const Type *Context::optionalType(const Type *element) {
  return containerType(TypeKind::Optional, DType::Undefined, element);
}

const Type *Context::mapType(DType key, const Type *value) {
  checkDType(key);
  return containerType(TypeKind::Map, key, value);
}

const Type *Context::opaqueType(std::string_view payload) {
  Type type;
  type.kind_ = TypeKind::Opaque;
  type.payload_ = scopedIdentifier(payload);
  return internType(type);
}

} // namespace ge
