//===- Location.h - where something comes from ------------------------------------------------===//
#ifndef GE_IR_LOCATION_H
#define GE_IR_LOCATION_H

#include "ge/IR/Lifetime.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ge {

class Context;
class Identifier;

/// Immutable, interned in its context, compared by pointer. A name is what a front end called it
/// and is never a node's name.
class Location {
public:
  enum class Kind : uint8_t { Unknown, File, Name, Fused };

  Kind kind() const { return kind_; }
  uint32_t id() const { return id_; }
  uint64_t hash() const { return hash_; } ///< of the content; the same in every process
  Context &context() const { return *context_; }
  Lifetime &lifetime() const { return lifetime_; }
  std::string_view file() const;                   ///< Kind::File
  uint32_t line() const { return line_; }          ///< Kind::File
  uint32_t column() const { return column_; }      ///< Kind::File
  std::string_view name() const;                   ///< Kind::Name
  const Identifier *text() const { return text_; } ///< file or name; null for the other kinds
  const Location *child() const {
    return count_ ? parts_[0] : nullptr;
  } ///< Kind::Name, may be null
  std::span<const Location *const> parts() const { return {parts_, count_}; } ///< Kind::Fused
  uint32_t depth() const { return depth_; } ///< 1 for a leaf; at most kMaxDepth
  /// As MLIR prints it inside `loc(...)`: `unknown`, `"f.py":3:1`, `"name"`, `fused["a", "b"]`.
  void print(std::string &out) const;
  /// The first file position in it, outermost first; null when there is none.
  const Location *firstFile() const;

  static constexpr uint32_t kMaxDepth = 256;

private:
  friend class Context;
  Location() = default;
  Context *context_ = nullptr;
  const Identifier *text_ = nullptr; ///< file or name
  const Location *const *parts_ = nullptr;
  uint64_t hash_ = 0;
  uint32_t count_ = 0;
  uint32_t line_ = 0;
  uint32_t column_ = 0;
  uint32_t id_ = 0;
  mutable Lifetime lifetime_;
  uint16_t depth_ = 1;
  Kind kind_ = Kind::Unknown;
};

} // namespace ge

#endif // GE_IR_LOCATION_H
