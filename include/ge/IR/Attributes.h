//===- Attributes.h - compile-time constants on nodes, graphs and modules ---------------------===//
//
// An Attribute is 64 bits. Small ones (int within 61 bits, f32, bool, dtype, type) stand in the
// word itself; the others are interned objects of the context, except those that hold a tensor:
// these are counted, because a context must not keep weights alive.
//
#ifndef GE_IR_ATTRIBUTES_H
#define GE_IR_ATTRIBUTES_H

#include "ge/IR/Lifetime.h"
#include "ge/IR/Tensor.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ge {

class Context;
class Identifier;

enum class AttrKind : uint8_t {
  Invalid, ///< no attribute
  Bool,
  Int,    ///< width(): I64 unless forced
  Float,  ///< width(): F32 unless forced
  String, ///< UTF-8
  Bytes,
  DType,
  Type,
  Graph, ///< a symbol: @name
  Tensor,
  Array, ///< numbers or bools of one width(): array<i64: ...>
  List,  ///< attributes: strings, nested lists, dtypes, ...
  Dict,  ///< insertion order is kept; equality ignores it
};

class AttrStorage;

/// A plain word. It does not own: AttrRef does. Equal words are equal attributes, except for
/// counted ones (isCounted()), which attrEquals compares.
class Attribute {
public:
  constexpr Attribute() = default;
  static constexpr Attribute fromBits(uint64_t bits) {
    Attribute a;
    a.bits_ = bits;
    return a;
  }
  static Attribute boolean(bool v) { return fromBits((uint64_t(v) << 3) | kBoolTag); }
  static Attribute f32(float v) {
    return fromBits((uint64_t(std::bit_cast<uint32_t>(v)) << 32) | kF32Tag);
  }
  static Attribute dtype(ge::DType t) { return fromBits((uint64_t(t) << 3) | kDTypeTag); }
  static Attribute type(const ge::Type *t) {
    return fromBits(reinterpret_cast<uint64_t>(t) | kTypeTag);
  }
  static bool fitsInline(int64_t v) { return v >= -(int64_t(1) << 60) && v < (int64_t(1) << 60); }
  static Attribute inlineInt(int64_t v) { return fromBits((uint64_t(v) << 3) | kIntTag); }

  explicit operator bool() const { return bits_ != 0; }
  uint64_t bits() const { return bits_; }
  inline AttrKind kind() const;
  /// Its own element width: I64, F32 or what was forced; for Array of the elements.
  ge::DType width() const;
  uint32_t depth() const; ///< 1 for a leaf; at most Type::kMaxDepth

  bool boolValue() const { return (bits_ >> 3) != 0; }
  inline int64_t intValue() const; ///< U64 values above INT64_MAX come as their bits
  double floatValue() const;
  /// Only of inline floats, bits kept.
  float f32Value() const { return std::bit_cast<float>(uint32_t(bits_ >> 32)); }
  std::string_view stringValue() const; ///< String, Bytes, Graph
  ge::DType dtypeValue() const { return ge::DType(uint8_t(bits_ >> 3)); }
  const ge::Type *typeValue() const {
    return reinterpret_cast<const ge::Type *>(bits_ & ~uint64_t(7));
  }
  const Tensor *tensorValue() const;
  size_t size() const;                             ///< Array, List, Dict: number of elements
  std::span<const int64_t> ints() const;           ///< Array of integers (of any width) or bools
  std::span<const double> doubles() const;         ///< Array of F64
  std::span<const float> floats() const;           ///< Array of F32
  std::span<const Attribute> elements() const;     ///< List; Dict: the values
  std::span<const Identifier *const> keys() const; ///< Dict
  /// The value of a key of a Dict; invalid for a missing key and for other kinds. O(size).
  Attribute entry(std::string_view key) const;

  bool isInline() const { return (bits_ & 7) != 0; }
  inline bool isCounted() const;
  inline void retain() const;
  inline void release() const;
  /// The context that owns it; null for bools, numbers and dtypes, which belong to none.
  Context *context() const;
  /// Of an interned one; null for inline and counted ones.
  inline const AttrStorage *interned() const;
  /// As in text-format.md. A tensor that does not stand inline prints as
  /// dense_resource<__elided__>: blobs are lib/Text's, see TensorText.h.
  void print(std::string &out) const;

  friend bool operator==(Attribute a, Attribute b) { return a.bits_ == b.bits_; }

private:
  friend class Context;
  friend bool attrEquals(Attribute a, Attribute b);
  friend uint64_t attrHash(Attribute a);
  static constexpr uint64_t kIntTag = 1, kF32Tag = 2, kBoolTag = 3, kDTypeTag = 4, kTypeTag = 5;
  static Attribute fromStorage(const AttrStorage *s) {
    return fromBits(reinterpret_cast<uint64_t>(s));
  }
  const AttrStorage *storage() const { return reinterpret_cast<const AttrStorage *>(bits_); }
  void releaseCounted() const;
  uint64_t bits_ = 0;
};
static_assert(sizeof(Attribute) == 8);

/// What an attribute that is not inline points to: this header, then by kind
///   Int: int64_t. Float: double. String, Bytes, Graph: characters. Tensor: const Tensor *.
///   Array: int64_t, float or double. List: Attribute. Dict: Attribute values, then Identifier
///   keys.
class AttrStorage {
public:
  Context *context;
  uint64_t hashValue;    ///< attrHash(), but 0 for counted ones: theirs is computed when asked for
  mutable Lifetime life; ///< of counted ones their references
  uint32_t size;         ///< characters or elements
  AttrKind kind;
  DType width;
  uint16_t depth;
  bool counted;

  uint64_t hash() const { return hashValue; }
  Lifetime &lifetime() const { return life; }
  template <typename T> const T *payload() const { return reinterpret_cast<const T *>(this + 1); }
};
static_assert(sizeof(AttrStorage) == 32);

inline AttrKind Attribute::kind() const {
  static constexpr AttrKind kInline[8] = {AttrKind::Invalid, AttrKind::Int,    AttrKind::Float,
                                          AttrKind::Bool,    AttrKind::DType,  AttrKind::Type,
                                          AttrKind::Invalid, AttrKind::Invalid};
  return isInline() || !bits_ ? kInline[bits_ & 7] : storage()->kind;
}
inline bool Attribute::isCounted() const { return !isInline() && bits_ && storage()->counted; }
inline const AttrStorage *Attribute::interned() const {
  return isInline() || !bits_ || storage()->counted ? nullptr : storage();
}
inline void Attribute::retain() const {
  if (isCounted())
    storage()->life.retain();
}
inline void Attribute::release() const {
  if (isCounted())
    releaseCounted();
}
inline int64_t Attribute::intValue() const {
  return isInline() ? int64_t(bits_) >> 3 : *storage()->payload<int64_t>();
}

/// Same value: pointer equality, or element by element where tensors are inside, or dictionaries in
/// another order.
bool attrEquals(Attribute a, Attribute b);
uint64_t attrHash(Attribute a); ///< agrees with attrEquals; the same in every process

/// Owning reference to an Attribute; free for all but counted ones.
class AttrRef {
public:
  AttrRef() = default;
  explicit AttrRef(Attribute a) : attr_(a) { attr_.retain(); }
  static AttrRef adopt(Attribute a) {
    AttrRef r;
    r.attr_ = a;
    return r;
  }
  AttrRef(const AttrRef &o) : AttrRef(o.attr_) {}
  AttrRef(AttrRef &&o) noexcept : attr_(o.attr_) { o.attr_ = Attribute(); }
  AttrRef &operator=(AttrRef o) noexcept {
    std::swap(attr_, o.attr_);
    return *this;
  }
  ~AttrRef() { attr_.release(); }
  Attribute get() const { return attr_; }
  Attribute operator*() const { return attr_; }
  const Attribute *operator->() const { return &attr_; }
  explicit operator bool() const { return bool(attr_); }
  Attribute take() { return std::exchange(attr_, Attribute()); }

private:
  Attribute attr_;
};

} // namespace ge

#endif // GE_IR_ATTRIBUTES_H
