//===- AttrParser.cpp -----------------------------------------------------------------------------===//
#include "ValueParser.h"

namespace ge::text {

const Identifier *ValueParser::identifier(std::string_view text) {
  if (const Identifier **known = identifiers_.find(text))
    return *known;
  const Identifier *made = context_.identifier(text);
  // The key must outlive the scanner's buffers.
  return identifiers_.insert(made->str(), made);
}

std::string_view ValueParser::stringValue(std::string_view where) {
  if (scan_.peek() != '"')
    scan_.failExpected(cat("a string ", where));
  const char *place = scan_.at();
  std::string_view text = scan_.string(buffer_);
  if (text.data() != buffer_.data())
    return text; // is part of the text, which was checked
  if (!isValidUtf8(text))
    scan_.fail(place, "this string is not UTF-8; bytes are written #ge.bytes<\"...\">");
  return strings_.emplace_back(text);
}

std::string_view ValueParser::symbolName(std::string &buffer) {
  if (scan_.at() != scan_.end() && *scan_.at() == '"') {
    const char *place = scan_.at();
    std::string_view text = scan_.string(buffer);
    if (!isValidUtf8(text))
      scan_.fail(place, "a name must be UTF-8");
    return text;
  }
  std::string_view word = scan_.suffixWord();
  if (word.empty())
    scan_.failExpected("a name after '@'");
  return word;
}

AttrRef ValueParser::attribute() {
  char first = scan_.peek();
  if (isClass(first, kDigit | kDash))
    return numberAttribute();
  if (first == '"') {
    const char *place = scan_.at();
    std::string_view text = scan_.string(buffer_);
    if (text.data() == buffer_.data() && !isValidUtf8(text))
      scan_.fail(place, "this string is not UTF-8; bytes are written #ge.bytes<\"...\">");
    return context_.stringAttr(text);
  }
  return attributeSlow(first);
}

AttrRef ValueParser::attributeSlow(char first) {
  switch (first) {
  case '[':
    return listAttribute();
  case '{':
    return dictAttribute();
  case '#':
    return hashAttribute();
  case '!':
    return AttrRef(Attribute::type(type()));
  case '@': {
    const char *place = scan_.at();
    scan_.take('@');
    std::string buffer;
    std::string_view name = symbolName(buffer);
    if (scan_.take(std::string_view("::")))
      scan_.fail(place, "graphs are not nested in modules of modules: expected @name alone");
    return refusedAt(place, [&] { return context_.graphAttr(name); });
  }
  default:
    break;
  }
  if (scan_.takeWord("array"))
    return arrayAttribute();
  if (scan_.takeWord("true") || scan_.takeWord("unit"))
    return AttrRef(Attribute::boolean(true));
  if (scan_.takeWord("false"))
    return AttrRef(Attribute::boolean(false));
  if (scan_.takeWord("dense"))
    return denseAttribute();
  if (scan_.takeWord("dense_resource"))
    return resourceAttribute();
  if (scan_.atWord("tensor") || scan_.atWord("none"))
    return AttrRef(Attribute::type(type()));
  const char *place = scan_.at();
  std::string_view word = scan_.bareWord();
  if (std::optional<DType> dtype = dtypeFromMLIR(word))
    scan_.fail(place, cat("an element type is written #ge.dtype<", info(*dtype).mlir, ">"));
  if (!word.empty())
    scan_.fail(place, cat("'", word, "' does not begin an attribute that GE knows"));
  scan_.failExpected("an attribute");
}

AttrRef ValueParser::listAttribute() {
  Nested nested(*this, "attributes");
  const char *place = scan_.at();
  std::vector<AttrRef> elements;
  std::vector<Attribute> values;
  list([&] {
    elements.push_back(attribute());
    values.push_back(elements.back().get());
  });
  return refusedAt(place, [&] { return context_.listAttr(values); });
}

AttrRef ValueParser::dictAttribute() {
  Nested nested(*this, "attributes");
  const char *start = scan_.at();
  std::vector<AttrRef> elements;
  std::vector<Attribute> values;
  std::vector<const Identifier *> keys;
  dictionary([&](std::string_view key, const char *) {
    keys.push_back(context_.scopedIdentifier(key));
    elements.push_back(scan_.take('=') ? attribute() : AttrRef(Attribute::boolean(true)));
    values.push_back(elements.back().get());
  });
  return refusedAt(start, [&] { return context_.dictAttr(keys, values); });
}

/// `#ge.bytes<"...">`, `#ge.dtype<...>`, an alias, or an attribute of another dialect: an opaque
/// type with its text.
AttrRef ValueParser::hashAttribute() {
  const char *place = scan_.at();
  scan_.take('#');
  std::string_view word = scan_.suffixWord();
  if (word == "ge.dtype") {
    scan_.expect('<', "after '#ge.dtype'");
    DType dtype = elementType();
    scan_.expect('>', "at the end of '#ge.dtype'");
    return AttrRef(Attribute::dtype(dtype));
  }
  if (word == "ge.bytes") {
    scan_.expect('<', "after '#ge.bytes'");
    if (scan_.peek() != '"')
      scan_.failExpected("a string in '#ge.bytes'");
    std::string buffer;
    AttrRef result = context_.bytesAttr(scan_.string(buffer));
    scan_.expect('>', "at the end of '#ge.bytes'");
    return result;
  }
  if (std::string_view text = foreign(place, '#'); !text.empty())
    return AttrRef(Attribute::type(context_.opaqueType(text)));
  if (word.find('.') == std::string_view::npos && !word.empty())
    return aliasAttribute(word, place);
  failForeign(place, "attribute", word);
}

} // namespace ge::text
