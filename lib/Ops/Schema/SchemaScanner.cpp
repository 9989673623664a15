//===- SchemaScanner.cpp - where an error is --------------------------------------------------===//
#include "SchemaScanner.h"

#include <algorithm>

namespace ge::schema {

uint32_t SchemaScanner::lineOf(const char *position) const {
  return source_.line + uint32_t(std::count(begin_, position, '\n'));
}

void SchemaScanner::fail(const char *position, std::string message) const {
  Diagnostic diagnostic;
  const char *lineStart = position;
  while (lineStart > begin_ && lineStart[-1] != '\n')
    --lineStart;
  diagnostic.file = source_.file;
  diagnostic.line = lineOf(position);
  diagnostic.column = uint32_t(position - lineStart) + 1;
  diagnostic.message = std::move(message);
  // Of a very long line, only the part around the position is shown, or only the column.
  constexpr ptrdiff_t kMostBefore = 1000, kMostAfter = 200;
  const char *lineEnd = std::find(position, position + std::min(end_ - position, kMostAfter), '\n');
  if (position - lineStart <= kMostBefore)
    diagnostic.sourceLine.assign(lineStart, lineEnd);
  throw Error(ErrorKind::OpSchema, std::vector<Diagnostic>{std::move(diagnostic)});
}

void SchemaScanner::failExpected(std::string_view what) {
  skipSpace();
  if (atEnd())
    fail(cursor_, cat("expected ", what, ", found the end of the text"));
  const char *start = cursor_;
  std::string found(word());
  if (found.empty()) {
    unsigned char c = static_cast<unsigned char>(*start);
    if (c >= 0x20 && c < 0x7f)
      found = *start;
    else if (c >= 0x80 && isValidUtf8(std::string_view(start, size_t(end_ - start)))) {
      const char *next = start + 1;
      while (next < end_ && (static_cast<unsigned char>(*next) & 0xC0) == 0x80)
        ++next;
      found.assign(start, next);
    } else
      fail(start, cat("expected ", what, ", found byte ", uint32_t(c)));
  }
  constexpr size_t kLongest = 40;
  if (found.size() > kLongest)
    found = cat(std::string_view(found).substr(0, kLongest), "...");
  fail(start, cat("expected ", what, ", found '", found, "'"));
}

} // namespace ge::schema
