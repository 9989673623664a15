//===- LocationParser.cpp -------------------------------------------------------------------------===//
#include "ValueParser.h"

#include <charconv>

namespace ge::text {

const Location *ValueParser::location() {
  scan_.takeWord("loc");
  scan_.expect('(', "after 'loc'");
  const Location *result = locationBody();
  scan_.expect(')', "at the end of a location");
  return result;
}

const Location *ValueParser::trailingLocation(std::string_view &later) {
  if (!scan_.takeWord("loc"))
    return nullptr;
  scan_.expect('(', "after 'loc'");
  if (scan_.peek() != '#') {
    const Location *result = locationBody();
    scan_.expect(')', "at the end of a location");
    return result;
  }
  scan_.take('#');
  std::string_view name = scan_.suffixWord();
  scan_.expect(')', "at the end of a location");
  const Location *result = locationAlias(name);
  if (!result)
    later = name; // MLIR writes them at the end of the text
  return result;
}

uint32_t ValueParser::locationNumber() {
  Number value = number();
  uint64_t result = magnitude(value);
  if (value.negative || value.isFloat || result > UINT32_MAX)
    scan_.fail(value.place, "expected a line or column within 32 bits");
  return uint32_t(result);
}

const Location *ValueParser::locationBody() {
  Nested nested(*this, "locations");
  scan_.skipSpace();
  const char *place = scan_.at();
  if (scan_.peek() == '#') {
    scan_.take('#');
    return aliasedLocation(scan_.suffixWord(), place);
  }
  if (scan_.takeWord("unknown"))
    return context_.unknownLocation();
  if (scan_.takeWord("fused"))
    return fusedBody();
  if (scan_.takeWord("loc")) { // inside a fused location of older versions
    scan_.setAt(place);
    return location();
  }
  if (scan_.takeWord("callsite")) {
    scan_.expect('(', "after 'callsite'");
    const Location *parts[2];
    parts[0] = locationBody();
    if (!scan_.takeWord("at"))
      scan_.failExpected("'at' in a call site");
    parts[1] = locationBody();
    scan_.expect(')', "at the end of a call site");
    return refusedAt(place, [&] { return context_.fusedLocation(parts); });
  }
  std::string text(stringValue("or unknown, fused or callsite in a location"));
  if (scan_.take(':')) {
    uint32_t line = locationNumber();
    scan_.expect(':', "between line and column");
    uint32_t column = locationNumber();
    if (scan_.takeWord("to")) { // a range; its start is what GE keeps
      if (scan_.peek() != ':')
        locationNumber();
      scan_.expect(':', "before a column");
      locationNumber();
    }
    return context_.fileLocation(text, line, column);
  }
  const Location *child = nullptr;
  if (scan_.take('(')) {
    child = locationBody();
    scan_.expect(')', "at the end of a named location");
  }
  return refusedAt(place, [&] { return context_.nameLocation(text, child); });
}

const Location *ValueParser::fusedBody() {
  const char *place = scan_.at();
  if (scan_.peek() == '<') // metadata
    scan_.skipBalanced(true);
  std::vector<const Location *> parts;
  list([&] { parts.push_back(locationBody()); });
  return refusedAt(place, [&] { return context_.fusedLocation(parts); });
}

} // namespace ge::text
