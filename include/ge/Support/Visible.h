//===- Visible.h - texts without control characters -------------------------------------------===//
#ifndef GE_SUPPORT_VISIBLE_H
#define GE_SUPPORT_VISIBLE_H

#include <string>
#include <string_view>

namespace ge {

/// The text with escapes such as "\x1b" and "\u202e" for characters that control a terminal, direct
/// or join text, or have no width; newlines and tabs stay. For messages, which contain names from
/// files. The same characters as python/ge/_support/visible.py. Bytes that are not UTF-8 stay as
/// they are, or become escapes, too. O(bytes).
std::string visible(std::string_view text, bool escapeBytes = false);

} // namespace ge

#endif // GE_SUPPORT_VISIBLE_H
