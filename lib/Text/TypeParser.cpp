//===- TypeParser.cpp -----------------------------------------------------------------------------===//
#include "ValueParser.h"

#include "ge/IR/Foreign.h"

#include <charconv>

namespace ge::text {

/// The type that starts here, delimited by its brackets only; empty if they do not delimit it. The
/// text is a guess of where the type ends, and a previously parsed type with that text confirms it.
std::string_view ValueParser::typePiece() const {
  static constexpr ptrdiff_t kLongest = 4096;
  const char *start = scan_.at();
  const char *end = scan_.end() - start > kLongest ? start + kLongest : scan_.end();
  const char *p = start;
  if (p != end && *p == '!')
    ++p;
  while (p != end && isWordChar(*p))
    ++p;
  if (p == end || *p != '<')
    return {start, size_t(p - start)};
  size_t depth = 0;
  for (; p != end; ++p) {
    if (*p == '>') {
      if (--depth == 0)
        return {start, size_t(p + 1 - start)};
    } else if (*p == '<') {
      ++depth;
    } else if (*p == '"') {
      do
        p += 1 + (*p == '\\' && p + 1 != end);
      while (p != end && *p != '"');
      if (p == end)
        break;
    } else if (*p == '\n') {
      break;
    }
  }
  return {};
}

const Type *ValueParser::type(const Type *expected) {
  scan_.skipSpace();
  if (expected && expected->id() < typeTexts_.size()) [[likely]] {
    std::string_view text = typeTexts_[expected->id()];
    const char *at = scan_.at();
    size_t left = size_t(scan_.end() - at);
    // A text that ends with a word must not be the start of a longer one.
    if (!text.empty() && left >= text.size() && std::memcmp(at, text.data(), text.size()) == 0 &&
        (text.back() == '>' || left == text.size() ||
         !(isWordChar(at[text.size()]) || at[text.size()] == '<'))) {
      scan_.setAt(at + text.size());
      return expected;
    }
  }
  return type();
}

const Type *ValueParser::type() {
  scan_.skipSpace();
  std::string_view piece = typePiece();
  if (!piece.empty()) {
    if (const Type **known = types_.find(piece)) {
      scan_.setAt(scan_.at() + piece.size());
      return *known;
    }
  }
  const char *start = scan_.at();
  const Type *result = typeSlow();
  std::string_view text = textFrom(start);
  if (text == piece)
    types_.insert(text, result);
  if (typeTexts_.size() <= result->id())
    typeTexts_.resize(result->id() + 1);
  if (typeTexts_[result->id()].empty())
    typeTexts_[result->id()] = text;
  return result;
}

const Type *ValueParser::typeSlow() {
  Nested nested(*this, "types");
  if (scan_.takeWord("tensor"))
    return tensorType(false);
  if (scan_.takeWord("none"))
    return context_.noneType();
  if (scan_.peek() == '!')
    return dialectType();
  const char *place = scan_.at();
  if (std::string_view word = scan_.bareWord(); !word.empty())
    scan_.fail(place, cat("type '", word,
                          "' is not a type of GE; write a foreign type as !ge.opaque<\"...\">"));
  scan_.failExpected("a type");
}

/// The type or attribute of another dialect at `place`, taken whole; empty if there is none.
std::string_view ValueParser::foreign(const char *place, char prefix) {
  size_t length = foreignExtent({place, size_t(scan_.end() - place)}, prefix);
  if (length)
    scan_.setAt(place + length);
  return {place, length};
}

/// Text that belongs to no dialect that GE knows, and that cannot be kept as an opaque one.
void ValueParser::failForeign(const char *place, std::string_view what, std::string_view word) {
  bool isOurs = word.starts_with("ge.");
  scan_.fail(place,
             cat(what, " '", *place, word,
                 isOurs ? "' is not one of GE's" : "' has no end: its brackets do not close"));
}

const Type *ValueParser::dialectType() {
  const char *place = scan_.at();
  scan_.take('!');
  std::string_view word = scan_.suffixWord();
  if (std::string_view text = foreign(place, '!'); !text.empty())
    return context_.opaqueType(text);
  if (word.find('.') == std::string_view::npos) {
    auto alias = typeAliases_.find(word);
    if (alias == typeAliases_.end())
      scan_.fail(place, cat("type alias '!", word, "' is not defined"));
    if (!alias->second.type)
      scan_.fail(place, cat("type alias '!", word, "' has a type that GE does not support"));
    return alias->second.type;
  }
  if (word == "ge.unknown")
    return context_.unknownType();
  if (word == "ge.tensor")
    return tensorType(true);
  if (word == "ge.seq" || word == "ge.optional") {
    scan_.expect('<', cat("after '!", word, "'"));
    const Type *element = typeSlow();
    scan_.expect('>', cat("at the end of '!", word, "'"));
    return refusedAt(place, [&] {
      return word == "ge.seq" ? context_.sequenceType(element) : context_.optionalType(element);
    });
  }
  if (word == "ge.map") {
    scan_.expect('<', "after '!ge.map'");
    DType key = elementType();
    scan_.expect(',', "between key and value of '!ge.map'");
    scan_.skipSpace();
    const Type *value = typeSlow();
    scan_.expect('>', "at the end of '!ge.map'");
    return refusedAt(place, [&] { return context_.mapType(key, value); });
  }
  if (word == "ge.opaque") {
    scan_.expect('<', "after '!ge.opaque'");
    std::string_view payload = stringValue("in '!ge.opaque'");
    scan_.expect('>', "at the end of '!ge.opaque'");
    return refusedAt(place, [&] { return context_.opaqueType(payload); });
  }
  if (word == "ge.control")
    scan_.fail(place, "'!ge.control' must be after all other operands or results");
  failForeign(place, "type", word);
}

DType ValueParser::elementType() {
  scan_.skipSpace();
  const char *place = scan_.at();
  scan_.take('!');
  scan_.suffixWord();
  std::string name(textFrom(place));
  if (name == "complex") {
    scan_.expect('<', "after 'complex'");
    scan_.skipSpace();
    name = cat("complex<", scan_.suffixWord(), ">");
    scan_.expect('>', "at the end of 'complex'");
  } else if (name == "!ge.dtype") {
    scan_.expect('<', "after '!ge.dtype'");
    name += '<';
    appendQuoted(name, stringValue("in '!ge.dtype'"));
    name += '>';
    scan_.expect('>', "at the end of '!ge.dtype'");
  }
  if (std::optional<DType> dtype = dtypeFromMLIR(name))
    return *dtype;
  if (name.empty())
    scan_.failExpected("an element type");
  scan_.fail(place, cat("unknown element type '", name, "'"));
}

/// `2x?x`, or `*x`. No blanks, as in MLIR.
void ValueParser::tensorDimensions(std::vector<Dim> &dims, bool &ranked) {
  scan_.skipSpace();
  if (scan_.take(std::string_view("*x"))) {
    ranked = false;
    return;
  }
  while (scan_.at() != scan_.end() && (*scan_.at() == '?' || isClass(*scan_.at(), kDigit))) {
    const char *start = scan_.at();
    Dim dim;
    const char *stop = start + 1;
    if (*start != '?') {
      auto [end, error] = std::from_chars(start, scan_.end(), dim.size);
      if (error != std::errc())
        scan_.fail(start, "this dimension does not fit in 64 bits");
      stop = end;
    }
    scan_.setAt(stop);
    if (stop == scan_.end() || *stop != 'x')
      scan_.failExpected("'x' after a dimension");
    scan_.setAt(stop + 1);
    dims.push_back(dim);
  }
}

const Type *ValueParser::tensorType(bool opaqueForm) {
  const char *place = scan_.at();
  scan_.expect('<', "after 'tensor'");
  std::vector<Dim> dims, origin;
  TensorTypeSpec spec;
  tensorDimensions(dims, spec.ranked);
  if (opaqueForm && spec.ranked)
    scan_.fail(place, "expected '*x' in '!ge.tensor': ranked tensors are written tensor<...>");
  spec.dtype = elementType();
  if (scan_.take(',')) {
    if (!spec.ranked && !opaqueForm)
      scan_.fail(place, "an unranked tensor with a layout is written !ge.tensor<*x..., {...}>");
    tensorEncoding(spec, dims, origin);
  }
  scan_.expect('>', "at the end of a tensor type");
  spec.shape = dims;
  spec.originShape = origin;
  return refusedAt(place, [&] { return context_.tensorType(spec); });
}

/// A string as an identifier; null if it is empty.
const Identifier *ValueParser::encodingText() {
  std::string_view text = stringValue("in an encoding");
  return text.empty() ? nullptr : context_.scopedIdentifier(text);
}

void ValueParser::tensorEncoding(TensorTypeSpec &spec, std::vector<Dim> &dims,
                                 std::vector<Dim> &origin) {
  dictionary([&](std::string_view key, const char *place) {
    scan_.expect('=', cat("after '", key, "'"));
    if (key == "format") {
      spec.format = encodingText();
    } else if (key == "origin_format") {
      spec.originFormat = encodingText();
    } else if (key == "dims") {
      size_t i = 0;
      list([&] {
        const Identifier *symbol = encodingText();
        if (i < dims.size() && symbol && dims[i].isStatic())
          scan_.fail(place, cat("dimension ", i, " has a size and a symbol"));
        if (i < dims.size())
          dims[i].symbol = symbol;
        ++i;
      });
      if (i != dims.size())
        scan_.fail(place, cat("'dims' has ", i, " entries for ", dims.size(), " dimensions"));
    } else if (key == "origin_shape") {
      spec.hasOriginShape = true;
      list([&] {
        Dim dim;
        if (scan_.peek() == '"') {
          dim.symbol = encodingText();
        } else {
          dim.size = integer(number(), DType::I64);
          if (dim.size < 0)
            scan_.fail(place, "a size in 'origin_shape' is negative");
          if (scan_.take(':'))
            numberType("of a dimension");
        }
        origin.push_back(dim);
      });
    } else {
      scan_.fail(place,
                 cat("expected dims, format, origin_format or origin_shape, got '", key, "'"));
    }
  });
}

} // namespace ge::text
