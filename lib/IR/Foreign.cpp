//===- Foreign.cpp - types and attributes of other dialects, kept as text -------------------------===//
#include "ge/IR/Foreign.h"

#include <algorithm>
#include <string>

namespace ge {

static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isWordChar(char c, bool dots) {
  return isLetter(c) || (c >= '0' && c <= '9') || c == '$' || (dots && c == '.');
}

/// After the bracket that closes the one at `p`, as MLIR's parser finds it: strings count as one,
/// and the '>' of an arrow closes nothing. Null when it is not closed.
static const char *closed(const char *p, const char *end) {
  std::string open;
  for (; p != end; ++p) {
    switch (*p) {
    case '<':
      open.push_back('>');
      break;
    case '(':
      open.push_back(')');
      break;
    case '[':
      open.push_back(']');
      break;
    case '{':
      open.push_back('}');
      break;
    case '-':
      p += p + 1 != end && p[1] == '>';
      break;
    case '>':
    case ')':
    case ']':
    case '}':
      if (open.back() != *p)
        return nullptr;
      open.pop_back();
      if (open.empty())
        return p + 1;
      break;
    case '"':
      do
        p += 1 + (*p == '\\' && p + 1 != end);
      while (p != end && *p != '"');
      if (p == end)
        return nullptr;
      break;
    case '\0':
      return nullptr;
    default:
      break;
    }
  }
  return nullptr;
}

size_t foreignExtent(std::string_view text, char prefix) {
  if (text.size() < 3 || text[0] != prefix || !isLetter(text[1]))
    return 0;
  const char *start = text.data(), *end = start + text.size();
  const char *p = std::find_if_not(start + 1, end, [](char c) { return isWordChar(c, false); });
  if (std::string_view(start + 1, size_t(p - start - 1)) == "ge" || p == end)
    return 0;
  if (*p == '.') {
    const char *name = p + 1;
    if (name == end || !isLetter(*name))
      return 0;
    p = std::find_if_not(name, end, [](char c) { return isWordChar(c, true); });
    if (p == end || *p != '<')
      return size_t(p - start);
  }
  if (*p != '<')
    return 0;
  const char *stop = closed(p, end);
  return stop ? size_t(stop - start) : 0;
}

} // namespace ge
