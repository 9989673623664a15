//===- ValueParser.h - types, attributes, locations and resources out of a text -------------------===//
#ifndef GE_LIB_TEXT_VALUEPARSER_H
#define GE_LIB_TEXT_VALUEPARSER_H

#include "Memo.h"
#include "Scanner.h"

#include "ge/IR/Context.h"
#include "ge/Support/Interrupt.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge::text {

/// Recursive descent over everything below nodes. Each rule starts at the scanner's position,
/// throws Failure after recording what is wrong, and nests at most kMaxNesting deep.
///
/// Blobs stand at the end of the text, so an attribute with `dense_resource<...>` is read twice:
/// the first time as a placeholder that sets sawResource(), again once resources are known.
class ValueParser {
public:
  static constexpr unsigned kMaxNesting = 256;

  ValueParser(Context &context, std::string_view text, std::string_view file)
      : scan_(text, file), context_(context) {}
  ValueParser(const ValueParser &) = delete;
  ValueParser &operator=(const ValueParser &) = delete;

  Scanner &scanner() { return scan_; }

  // TypeParser.cpp
  const Type *type();
  /// As type(); quicker when it is `expected`, which the caller compares with.
  const Type *type(const Type *expected);
  DType elementType();

  // AttrParser.cpp
  AttrRef attribute();
  std::string_view symbolName(std::string &buffer); ///< after '@'
  /// `{` key, `= value` or nothing, `,` ... `}`. `entry(key, place)` reads what follows the key.
  template <typename F> void dictionary(F entry);
  template <typename F> void list(F element); ///< `[` element, `,` ... `]`
  /// A string, decoded; lives until clearStrings() or, without escapes, as long as the text.
  std::string_view stringValue(std::string_view where);
  void clearStrings() { strings_.clear(); }

  // LocationParser.cpp
  const Location *location(); ///< `loc(...)`, at the word
  /// `loc(...)` if one follows. An alias that is not defined yet is left in `later`.
  const Location *trailingLocation(std::string_view &later);
  const Location *locationAlias(std::string_view name); ///< null when unknown

  // Aliases.cpp
  bool atAlias();
  void aliasDefinition();

  // Resources.cpp
  /// `{-# ... #-}`, at its beginning.
  void resources();
  void setResourcesKnown() { resourcesKnown_ = true; }
  bool sawResource() const { return sawResource_; }
  void setSawResource(bool saw) { sawResource_ = saw; }

protected:
  /// One level deeper for the length of its life.
  class Nested {
  public:
    Nested(ValueParser &parser, std::string_view what) : parser_(parser) {
      if (parser_.nesting_ == kMaxNesting) [[unlikely]]
        parser_.scan_.fail(parser_.scan_.at(),
                           cat(what, " nest deeper than ", kMaxNesting, " levels"));
      ++parser_.nesting_;
    }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;

  private:
    ValueParser &parser_;
  };

  /// What the context refuses becomes a diagnostic at `place`.
  template <typename F> auto refusedAt(const char *place, F make) -> decltype(make()) {
    try {
      return make();
    } catch (const Error &error) {
      scan_.fail(place, error.message());
    }
  }
  std::string_view textFrom(const char *start) const { return {start, size_t(scan_.at() - start)}; }
  /// A name of an attribute, from its piece of the text.
  const Identifier *identifier(std::string_view text);

  Scanner scan_;
  Interrupt interrupt_;
  Context &context_;

private:
  friend class Nested;
  struct Alias {
    enum class Kind : uint8_t { Unknown, Attribute, Location, Type } kind = Kind::Unknown;
    const char *place = nullptr; ///< of the value
    AttrRef attribute;
    const Location *location = nullptr;
    const Type *type = nullptr;
    bool hasResource = false;
    uint64_t weight = 1; ///< parts it prints as
  };
  struct Resource {
    std::string_view hex;
    const char *place = nullptr;
    std::map<const Type *, TensorPtr> tensors;
  };

  // TypeParser.cpp
  std::string_view typePiece() const;
  const Type *typeSlow();
  const Type *tensorType(bool opaqueForm);
  const Type *dialectType();
  std::string_view foreign(const char *place, char prefix);
  [[noreturn]] void failForeign(const char *place, std::string_view what, std::string_view word);
  void tensorDimensions(std::vector<Dim> &dims, bool &ranked);
  void tensorEncoding(TensorTypeSpec &spec, std::vector<Dim> &dims, std::vector<Dim> &origin);
  const Identifier *encodingText();

  // NumberParser.cpp
  struct Number {
    std::string_view text; ///< with the sign
    const char *place;
    bool negative = false;
    bool isHex = false;
    bool isFloat = false;
  };
  Number number();
  uint64_t magnitude(const Number &number);
  int64_t integer(const Number &number, DType dtype);
  double floating(const Number &number, DType dtype);
  float floating32(const Number &number);
  uint64_t floatBits(const Number &number, DType dtype);
  DType numberType(std::string_view where);
  AttrRef numberAttribute();
  AttrRef arrayAttribute();

  // AttrParser.cpp
  AttrRef attributeSlow(char first);
  AttrRef listAttribute();
  AttrRef dictAttribute();
  AttrRef hashAttribute();
  AttrRef aliasAttribute(std::string_view name, const char *place);
  void addWeight(uint64_t weight, const char *place);

  // DenseParser.cpp
  AttrRef denseAttribute();
  AttrRef resourceAttribute();
  const Type *tensorTypeBehind(std::string_view what);
  struct Elements;
  void denseElements(Elements &elements);
  void denseElement(Elements &elements);
  void numericElement(DType dtype, char *out);
  TensorPtr hexTensor(const Type *type, const char *place);

  // Resources.cpp
  TensorPtr resourceTensor(std::string_view key, const Type *type, const char *place);
  void blobs();
  void skipValue();

  // LocationParser.cpp
  const Location *locationBody();
  const Location *fusedBody();
  uint32_t locationNumber();
  const Location *aliasedLocation(std::string_view name, const char *place);

  unsigned nesting_ = 0;
  bool sawResource_ = false;
  bool resourcesKnown_ = false;
  uint64_t weight_ = 0; ///< of the aliases used in the value that is being read
  uint64_t expanded_ = 0;
  bool tooHeavy_ = false; ///< aliases stand for too much
  Memo<const Type *> types_;
  Memo<const Identifier *> identifiers_;
  std::vector<std::string_view> typeTexts_; ///< by type id: how it was written first
  std::deque<std::string> strings_;
  std::vector<int64_t> integers_; ///< of the array being read
  std::string buffer_;
  std::map<std::string_view, Alias> attrAliases_; ///< also of locations
  std::map<std::string_view, Alias> typeAliases_;
  std::map<std::string, Resource, std::less<>> resources_;
};

template <typename F> void ValueParser::dictionary(F entry) {
  scan_.expect('{', "at the start of a dictionary");
  if (scan_.take('}'))
    return;
  do {
    interrupt_.poll();
    scan_.skipSpace();
    const char *place = scan_.at();
    std::string_view key = scan_.bareWord();
    if (key.empty()) {
      if (scan_.peek() != '"')
        scan_.failExpected("an attribute name");
      key = stringValue("as an attribute name");
      if (key.empty())
        scan_.fail(place, "an attribute name is not empty");
    }
    entry(key, place);
  } while (scan_.take(','));
  scan_.expect('}', "or ',' after an attribute");
}

template <typename F> void ValueParser::list(F element) {
  scan_.expect('[', "at the start of a list");
  if (scan_.take(']'))
    return;
  do {
    interrupt_.poll();
    scan_.skipSpace();
    element();
  } while (scan_.take(','));
  scan_.expect(']', "or ',' after an element");
}

} // namespace ge::text

#endif // GE_LIB_TEXT_VALUEPARSER_H
