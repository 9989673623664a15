//===- Print.h - what the programs print ------------------------------------------------------===//
#ifndef GE_TOOLS_PRINT_H
#define GE_TOOLS_PRINT_H

#include "ge-c/Terminal.h"

#include <cstdio>
#include <string_view>

namespace getools {

/// Prints a text that may have names of a file in it: characters that control a terminal, and those
/// that are invisible, as escapes.
inline void print(std::FILE *to, std::string_view text) {
  static_cast<void>(geTextMakeVisible(
      {text.data(), text.size()},
      [](GeStringRef shown, void *out) {
        std::fwrite(shown.data, 1, shown.length, static_cast<std::FILE *>(out));
      },
      to));
}

} // namespace getools

#endif // GE_TOOLS_PRINT_H
