//===- Foreign.h - types and attributes of other dialects, kept as text --------------------------===//
//
// MLIR's form of a dialect's type or attribute: `!acme.handle<3>`, `#acme.quant<1, 2>`,
// `!acme<"x">`. GE does not look into it: the text is what it is, and prints back byte for byte.
//
#ifndef GE_IR_FOREIGN_H
#define GE_IR_FOREIGN_H

#include <cstddef>
#include <string_view>

namespace ge {

/// Length of the foreign type (`prefix` '!') or attribute ('#') that `text` begins with; 0 when
/// there is none, its brackets do not close, or it is of GE's own dialect. O(length).
size_t foreignExtent(std::string_view text, char prefix);

/// Whether `text` is nothing but one.
inline bool isForeign(std::string_view text, char prefix) {
  return !text.empty() && foreignExtent(text, prefix) == text.size();
}

} // namespace ge

#endif // GE_IR_FOREIGN_H
