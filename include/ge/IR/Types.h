//===- Types.h - types of values --------------------------------------------------------------===//
#ifndef GE_IR_TYPES_H
#define GE_IR_TYPES_H

#include "ge/IR/DType.h"
#include "ge/IR/Lifetime.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ge {

class Context;
class Identifier;

enum class TypeKind : uint8_t {
  Unknown, ///< not known (yet): !ge.unknown
  None,    ///< the type of an absent result: none
  Tensor,
  Sequence, ///< element()
  Optional, ///< element()
  Map,      ///< key() is a DType, element() the value type
  Opaque,   ///< foreign: payload() kept as it was
};

/// One dimension: a size, a named symbol or nothing known.
struct Dim {
  int64_t size = -1;                  ///< >= 0 when static, else -1
  const Identifier *symbol = nullptr; ///< only when size is -1; may be null
  bool isStatic() const { return size >= 0; }
  friend bool operator==(const Dim &, const Dim &) = default;
};

/// Immutable, interned in its context, compared by pointer. Lives as long as the context, or as the
/// models that brought it; see InternScope.h.
class Type {
public:
  TypeKind kind() const { return kind_; }
  uint32_t id() const { return id_; }
  uint32_t depth() const { return depth_; } ///< 1 for a leaf; at most kMaxDepth
  uint64_t hash() const { return hash_; }   ///< of the content; the same in every process
  Context &context() const { return *context_; }
  std::atomic<void *> &slot() const { return slot_; }
  Lifetime &lifetime() const { return lifetime_; }

  // Tensor.
  DType dtype() const { return dtype_; } ///< also Map's key
  bool isRanked() const { return ranked_; }
  std::span<const Dim> shape() const { return {dims_, rank_}; }
  const Identifier *format() const { return format_; } ///< layout such as NCHW; null when none
  bool hasOriginShape() const { return hasOriginShape_; }
  std::span<const Dim> originShape() const { return {originDims_, originRank_}; }
  const Identifier *originFormat() const { return originFormat_; }
  bool isTensor() const { return kind_ == TypeKind::Tensor; }
  bool isNone() const { return kind_ == TypeKind::None; }
  bool hasStaticShape() const;
  /// Number of elements, or -1 when unranked, dynamic or over INT64_MAX.
  int64_t numElements() const;

  // Sequence, Optional, Map's value.
  const Type *element() const { return element_; }
  // Opaque.
  const Identifier *payload() const { return payload_; }

  /// As in text-format.md. What is printed, and what the parser takes:
  ///
  ///   type     ::= `none` | `!ge.unknown` | `!ge.opaque` `<` string `>`
  ///              | `!ge.seq` `<` type `>` | `!ge.optional` `<` type `>`
  ///              | `!ge.map` `<` element `,` type `>`
  ///              | `tensor` `<` (dim `x`)* element (`,` encoding)? `>`
  ///              | `tensor` `<` `*` `x` element `>`
  ///              | `!ge.tensor` `<` `*` `x` element `,` encoding `>`      -- unranked with layout
  ///   dim      ::= integer >= 0 | `?`
  ///   element  ::= DTypeInfo::mlir of a row in DType.cpp
  ///   encoding ::= `{` entry (`,` entry)* `}`       -- alphabetic, as MLIR sorts them; never empty
  ///   entry    ::= `dims` `=` `[` string (`,` string)* `]`   -- one for each dimension: its
  ///   symbol, or ""
  ///                                                             for one that is static or unknown
  ///              | `format` `=` string
  ///              | `origin_format` `=` string
  ///              | `origin_shape` `=` `[` (origin (`,` origin)*)? `]`
  ///   origin   ::= integer >= 0 | string            -- a symbol, "" for unknown
  ///
  /// `dims` stands only where a dimension has a symbol. Strings are quoted by appendQuoted().
  void print(std::string &out) const;
  std::string str() const {
    std::string out;
    print(out);
    return out;
  }

  static constexpr uint32_t kMaxDepth = 256;

private:
  friend class Context;
  Type() = default;
  Type(const Type &other); ///< without the slot; the interner's template becomes the object
  Context *context_ = nullptr;
  mutable std::atomic<void *> slot_{nullptr};
  const Dim *dims_ = nullptr;
  const Dim *originDims_ = nullptr;
  const Identifier *format_ = nullptr;
  const Identifier *originFormat_ = nullptr;
  const Type *element_ = nullptr;
  const Identifier *payload_ = nullptr;
  uint64_t hash_ = 0;
  uint32_t rank_ = 0;
  uint32_t originRank_ = 0;
  uint32_t id_ = 0;
  uint32_t depth_ = 1;
  mutable Lifetime lifetime_;
  TypeKind kind_ = TypeKind::Unknown;
  DType dtype_ = DType::Undefined;
  bool ranked_ = false;
  bool hasOriginShape_ = false;
};

/// Same type; in one context the same pointer, across contexts compared by content. Null equals
/// null.
bool typeEquals(const Type *a, const Type *b);

/// What makes up a tensor type; Context::tensorType interns it.
struct TensorTypeSpec {
  DType dtype = DType::F32;
  bool ranked = true;
  std::span<const Dim> shape = {};
  const Identifier *format = nullptr;
  bool hasOriginShape = false;
  std::span<const Dim> originShape = {};
  const Identifier *originFormat = nullptr;
};

} // namespace ge

#endif // GE_IR_TYPES_H
