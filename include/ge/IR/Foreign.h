//===- Foreign.h - types and attributes of other dialects, kept as text --------------------------===//
//
// Types and attributes of other dialects in MLIR's form: `!acme.handle<3>`, `#acme.quant<1, 2>`,
// `!acme<"x">`. GE does not interpret them: the text is stored, and printed byte for byte.
//
#ifndef GE_IR_FOREIGN_H
#define GE_IR_FOREIGN_H

#include <cstddef>
#include <string_view>

namespace ge {

/// Length of the foreign type (`prefix` '!') or attribute ('#') at the start of `text`; 0 if there
/// is none, its brackets do not close, or it belongs to GE's own dialect. O(length).
size_t foreignExtent(std::string_view text, char prefix);

/// Returns whether `text` is exactly one foreign type or attribute.
inline bool isForeign(std::string_view text, char prefix) {
  return !text.empty() && foreignExtent(text, prefix) == text.size();
}

} // namespace ge

#endif // GE_IR_FOREIGN_H
