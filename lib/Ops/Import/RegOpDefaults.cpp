//===- RegOpDefaults.cpp - defaults of attributes of REG_OP ------------------------------------===//
#include "RegOpDefaults.h"

#include "../Schema/SchemaScanner.h"
#include "../Schema/SchemaWords.h"
#include "RegOpTypes.h"

#include "ge/Support/StringUtil.h"

#include <charconv>
#include <climits>
#include <cmath>

namespace ge::regop {
namespace {

constexpr std::pair<std::string_view, int64_t> kNumberWords[] = {
    {"INT_MAX", INT_MAX},     {"INT_MIN", INT_MIN},     {"INT32_MAX", INT32_MAX},
    {"INT32_MIN", INT32_MIN}, {"INT64_MAX", INT64_MAX}, {"INT64_MIN", INT64_MIN},
};

// Constants of CANN's graph/types.h that stand for a ListInt.
constexpr std::pair<std::string_view, int64_t> kListWords[] = {
    {"UNKNOWN_SHAPE", -1},
    {"UNKNOWN_RANK", -2},
};

bool readSign(RegOpCursor &cursor) {
  if (cursor.accept('-'))
    return true;
  cursor.accept('+');
  return false;
}

int64_t readInt(RegOpCursor &cursor) {
  Token first = cursor.token();
  bool isNegative = readSign(cursor);
  cursor.skipPrefix();
  if (cursor.isKind(TokenKind::Word)) {
    Token word = cursor.expectWord("an integer");
    if (std::optional<DType> dtype = elementType(word.text); dtype && !isNegative)
      return info(*dtype).cann;
    for (auto [known, value] : kNumberWords)
      if (known == word.text && (!isNegative || value > 0))
        return isNegative ? -value : value;
    cursor.fail(word, cat("'", word.text, "' is not an integer"));
  }
  if (!cursor.isKind(TokenKind::Number))
    cursor.failExpected("an integer");
  std::string_view digits = cursor.token().text;
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != digits.npos)
    digits.remove_suffix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0')
    base = 8;
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  uint64_t limit = uint64_t(INT64_MAX) + isNegative;
  if (error == std::errc::result_out_of_range || (error == std::errc() && value > limit))
    cursor.fail(first, "the number does not fit 64 bits");
  if (error != std::errc() || end != digits.data() + digits.size())
    cursor.failExpected("an integer");
  cursor.advance();
  return isNegative ? int64_t(0 - value) : int64_t(value);
}

double readNumber(RegOpCursor &cursor) {
  bool isNegative = readSign(cursor);
  if (!cursor.isKind(TokenKind::Number))
    cursor.failExpected("a number");
  std::string_view digits = cursor.token().text;
  if (digits.ends_with('f') || digits.ends_with('F'))
    digits.remove_suffix(1);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    cursor.fail(cursor.token(), "the number does not fit a double");
  if (error != std::errc() || end != digits.data() + digits.size())
    cursor.failExpected("a number");
  cursor.advance();
  return isNegative ? -value : value;
}

/// A number, or a quotient such as `1.f / 16`.
double readFloat(RegOpCursor &cursor) {
  double value = readNumber(cursor);
  for (; cursor.accept('/'); value /= readNumber(cursor)) {
  }
  if (!std::isfinite(value))
    cursor.failExpected("the end of a number that fits a double");
  return value;
}

bool readBool(RegOpCursor &cursor) {
  std::string_view text = cursor.token().text;
  bool isTrue = text == "true" || text == "True" || text == "1";
  if (!isTrue && text != "false" && text != "False" && text != "0")
    cursor.failExpected("true or false");
  cursor.advance();
  return isTrue;
}

std::string readString(RegOpCursor &cursor) {
  if (!cursor.isKind(TokenKind::String) || cursor.token().text.front() != '"')
    cursor.failExpected("a string");
  std::string text;
  for (; cursor.isKind(TokenKind::String) && cursor.token().text.front() == '"'; cursor.advance())
    text += unquoted(cursor.token().text);
  if (!isValidUtf8(text))
    cursor.failExpected("a string in UTF-8 before this");
  return text;
}

Constant readList(RegOpCursor &cursor, const SchemaType *element) {
  cursor.skipPrefix();
  for (auto [known, value] : kListWords)
    if (cursor.token().text == known && element->is(SchemaAtom::Int)) {
      cursor.advance();
      return Constant::list({Constant::number(value)});
    }
  cursor.expect('{', "before the elements");
  std::vector<Constant> items;
  while (!cursor.accept('}')) {
    if (hasNoLiteral(element))
      cursor.failExpected("'}'");
    items.push_back(readDefault(cursor, element));
    if (!cursor.accept(',') && !cursor.isMark('}'))
      cursor.failExpected("',' or '}' after an element");
  }
  return Constant::list(std::move(items));
}

} // namespace

bool hasNoLiteral(const SchemaType *type) {
  return type->is(SchemaAtom::TensorLiteral) || type->is(SchemaAtom::Bytes) ||
         type->kind() == SchemaTypeKind::Dict;
}

void skipDefault(RegOpCursor &cursor) {
  for (size_t depth = 0; !cursor.isKind(TokenKind::End); cursor.advance()) {
    bool closes = cursor.isMark(')') || cursor.isMark('}');
    if (depth == 0 && (closes || cursor.isMark(',')))
      return;
    depth += cursor.isMark('(') || cursor.isMark('{');
    depth -= closes;
  }
}

Constant readDefault(RegOpCursor &cursor, const SchemaType *type) {
  if (type->isList())
    return readList(cursor, type->element());
  switch (type->atom()) {
  case SchemaAtom::Int:
    return Constant::number(readInt(cursor));
  case SchemaAtom::Float:
    return Constant::number(readFloat(cursor));
  case SchemaAtom::Bool:
    return Constant::boolean(readBool(cursor));
  case SchemaAtom::Str:
    return Constant::string(readString(cursor));
  case SchemaAtom::ScalarType: {
    cursor.skipPrefix();
    Token word = cursor.expectWord("an element type");
    if (!elementType(word.text))
      cursor.fail(word, cat("'", word.text, "' is not an element type of CANN"));
    int64_t number = schema::numberOfWord(word.text, SchemaAtom::ScalarType).value_or(-1);
    return Constant::ident(word.text, number);
  }
  default:
    cursor.failExpected("no default: there is no way to write one of this type");
  }
}

} // namespace ge::regop
