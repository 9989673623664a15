//===- SchemaConstants.cpp - default values: reading and checking -----------------------------===//
#include "SchemaScanner.h"
#include "SchemaWords.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace ge {

using schema::SchemaScanner;
using Kind = Constant::Kind;

//===-----------------------------------------------------------------------------------------===//
// Checking
//===-----------------------------------------------------------------------------------------===//

namespace {

std::string described(const Constant &value) {
  if (value.kind == Kind::List)
    return cat("a list of ", value.items.size());
  std::string text;
  printConstant(value, text);
  constexpr std::string_view kNames[] = {"", "bool ", "int ", "float ", "complex ", "str ", "", ""};
  constexpr size_t kLongest = 60;
  if (text.size() > kLongest)
    text = "...";
  return cat(kNames[size_t(value.kind)], text);
}

bool atomTakes(SchemaAtom atom, const Constant &value) {
  switch (atom) {
  case SchemaAtom::Bool:
    return value.kind == Kind::Bool;
  case SchemaAtom::Int:
  case SchemaAtom::SymInt:
    return value.kind == Kind::Int ||
           (value.kind == Kind::Ident && schema::numberOfWord(value.text, SchemaAtom::Int));
  case SchemaAtom::Float:
  case SchemaAtom::SymFloat:
    return value.kind == Kind::Float || value.kind == Kind::Int;
  case SchemaAtom::SymBool:
    return value.kind == Kind::Bool;
  case SchemaAtom::Complex:
    return value.kind == Kind::Complex || value.kind == Kind::Float || value.kind == Kind::Int;
  case SchemaAtom::Scalar:
    return value.kind == Kind::Bool || value.kind == Kind::Int || value.kind == Kind::Float ||
           value.kind == Kind::Complex;
  case SchemaAtom::Str:
  case SchemaAtom::Bytes:
  case SchemaAtom::Device:
  case SchemaAtom::Dimname:
    return value.kind == Kind::Str;
  case SchemaAtom::ScalarType:
  case SchemaAtom::Layout:
  case SchemaAtom::MemoryFormat:
  case SchemaAtom::QScheme:
    return value.kind == Kind::Int ||
           (value.kind == Kind::Ident && schema::numberOfWord(value.text, atom));
  case SchemaAtom::None:
    return value.kind == Kind::None;
  case SchemaAtom::Any:
    return value.kind != Kind::Ident;
  case SchemaAtom::AnyList:
  case SchemaAtom::AnyTuple:
    return value.kind == Kind::List;
  default:
    return false;
  }
}

std::string expected(const SchemaType *type, const Constant &value) {
  std::string reason = cat("must be ", type->str(), ", not ", described(value));
  if (value.kind == Kind::Ident && type->kind() == SchemaTypeKind::Atom)
    if (std::string words = schema::wordsOf(type->atom()); !words.empty())
      reason += cat("; its words are ", words);
  return reason;
}

} // namespace

std::string defaultMismatch(const Constant &value, const SchemaType *type) {
  switch (type->kind()) {
  case SchemaTypeKind::Optional:
    return value.kind == Kind::None ? std::string() : defaultMismatch(value, type->element());
  case SchemaTypeKind::Atom:
    return atomTakes(type->atom(), value) ? std::string() : expected(type, value);
  case SchemaTypeKind::List:
    if (value.kind != Kind::List)
      return expected(type, value);
    // In PyTorch, `T[1]` means that a single T is accepted, too: `int[1] dim=[-2, -1]`.
    if (type->listSize() > 1 && !value.items.empty() && value.items.size() != type->listSize())
      return cat("must be ", type->str(), ", not a list of ", value.items.size());
    for (const Constant &item : value.items)
      if (std::string reason = defaultMismatch(item, type->element()); !reason.empty())
        return cat("must be ", type->str(), "; an element ", reason);
    return {};
  case SchemaTypeKind::Tuple:
    if (value.kind != Kind::List || value.items.size() != type->elements().size())
      return expected(type, value);
    for (size_t i = 0; i < value.items.size(); ++i)
      if (std::string reason = defaultMismatch(value.items[i], type->elements()[i]);
          !reason.empty())
        return cat("must be ", type->str(), "; element ", i, ' ', reason);
    return {};
  case SchemaTypeKind::Union:
    for (const SchemaType *element : type->elements())
      if (defaultMismatch(value, element).empty())
        return {};
    return expected(type, value);
  case SchemaTypeKind::Variable:
    return value.kind == Kind::Ident ? expected(type, value) : std::string();
  case SchemaTypeKind::Dict:
  case SchemaTypeKind::Future:
  case SchemaTypeKind::Await:
  case SchemaTypeKind::RRef:
  case SchemaTypeKind::Class:
    break;
  }
  return expected(type, value);
}

//===-----------------------------------------------------------------------------------------===//
// Reading
//===-----------------------------------------------------------------------------------------===//

namespace schema {

namespace {

/// The single default of `T[N]` is stored N times, so N is limited: a short text must not take much
/// memory.
constexpr uint32_t kMostRepeats = 64;

class ConstantReader {
public:
  explicit ConstantReader(SchemaScanner &scanner) : scanner_(scanner) {}

  Constant read(const SchemaType *type, uint32_t depth) {
    if (depth > SchemaType::kMaxDepth)
      scanner_.fail(scanner_.position(),
                    cat("a default may be nested ", SchemaType::kMaxDepth, " deep at most"));
    scanner_.skipSpace();
    switch (char c = scanner_.peek()) {
    case '[':
      return readItems(type, ']', depth);
    case '(':
      if (type->required()->kind() != SchemaTypeKind::Tuple)
        scanner_.fail(scanner_.position(), cat("expected a default of type ", type->str(),
                                               ", found '('; lists are written with '['"));
      return readItems(type, ')', depth);
    case '"':
    case '\'':
      return readString(c);
    default:
      if (c == '-' || c == '.' || isDigit(c))
        return readNumber();
      return readWord(type);
    }
  }

private:
  Constant readItems(const SchemaType *type, char close, uint32_t depth) {
    const SchemaType *target = type->required();
    scanner_.skipOne();
    Constant list;
    list.kind = Kind::List;
    if (scanner_.accept(close))
      return list;
    do {
      const SchemaType *element = SchemaType::get(SchemaAtom::Any);
      if (close == ']' && target->isList())
        element = target->element();
      else if (close == ')' && list.items.size() < target->elements().size())
        element = target->elements()[list.items.size()];
      list.items.push_back(read(element, depth + 1));
    } while (scanner_.accept(','));
    scanner_.expect(close, "after the last element");
    return list;
  }

  /// Digits, or `inf` and `nan`; what is not complex yet.
  struct Number {
    bool isInteger = true;
    int64_t integer = 0;
    double real = 0;
  };

  Number readReal(bool negative) {
    Number number;
    const char *start = scanner_.position();
    if (isWordStart(scanner_.peek())) { // inf, nan; `j` may stick to it
      for (std::string_view word : {"inf", "nan"})
        if (scanner_.accept(word)) {
          number.isInteger = false;
          number.real = word == "inf" ? std::numeric_limits<double>::infinity()
                                      : std::numeric_limits<double>::quiet_NaN();
        }
      if (scanner_.position() == start)
        scanner_.failExpected("a number");
      if (negative)
        number.real = -number.real;
      return number;
    }
    while (isDigit(scanner_.peek()) || scanner_.peek() == '.') {
      number.isInteger &= scanner_.peek() != '.';
      scanner_.skipOne();
    }
    if (scanner_.position() == start)
      scanner_.failExpected("a number");
    if (char c = scanner_.peek(); c == 'e' || c == 'E') {
      number.isInteger = false;
      scanner_.skipOne();
      if (scanner_.peek() == '-' || scanner_.peek() == '+')
        scanner_.skipOne();
      while (isDigit(scanner_.peek()))
        scanner_.skipOne();
    }
    std::string_view digits = scanner_.textFrom(start);
    if (digits.size() > 1 && digits[0] == '0' && isDigit(digits[1]))
      scanner_.fail(start, "a number has no leading zeros");
    if (number.isInteger)
      readDigits(digits, negative, number);
    else
      readDecimal(digits, negative, number);
    return number;
  }

  void readDigits(std::string_view digits, bool negative, Number &number) {
    uint64_t magnitude = 0;
    const char *first = digits.data();
    auto [end, error] = std::from_chars(first, first + digits.size(), magnitude);
    constexpr auto kLargest = uint64_t(std::numeric_limits<int64_t>::max());
    if (error != std::errc() || magnitude > kLargest + negative)
      scanner_.fail(first, "the number does not fit 64 bits");
    number.integer = int64_t(negative ? 0 - magnitude : magnitude);
    number.real = negative ? -double(magnitude) : double(magnitude);
  }

  void readDecimal(std::string_view digits, bool negative, Number &number) {
    const char *first = digits.data();
    const char *last = first + digits.size();
    auto [end, error] = std::from_chars(first, last, number.real);
    if (error == std::errc::result_out_of_range)
      scanner_.fail(first, "the number does not fit a 64-bit float");
    if (error != std::errc() || end != last)
      scanner_.fail(first, "this is not a number");
    if (negative)
      number.real = -number.real;
  }

  Constant readNumber() {
    bool negative = scanner_.accept('-');
    scanner_.skipSpace();
    const char *start = scanner_.position();
    Number first = readReal(negative);
    Constant value =
        first.isInteger ? Constant::number(first.integer) : Constant::number(first.real);
    auto complex = [&](double real, double imaginary) {
      value = Constant();
      value.kind = Kind::Complex;
      value.real = real;
      value.imaginary = imaginary;
    };
    if (char sign = scanner_.peek(); sign == '+' || sign == '-') {
      scanner_.skipOne();
      Number second = readReal(sign == '-');
      if (scanner_.peek() != 'j')
        scanner_.failExpected("'j' after the imaginary part");
      complex(first.real, second.real);
      scanner_.skipOne();
    } else if (sign == 'j') {
      complex(0, first.real);
      scanner_.skipOne();
    }
    if (char c = scanner_.peek(); isWordPart(c)) {
      if ((c == 'x' || c == 'X') && scanner_.textFrom(start) == "0")
        scanner_.fail(start, "numbers are decimal here");
      scanner_.failExpected("the end of the number");
    }
    return value;
  }

  Constant readWord(const SchemaType *type) {
    const char *start = scanner_.position();
    std::string_view word = scanner_.word();
    if (word.empty())
      scanner_.failExpected(cat("a default of type ", type->str()));
    if (word == "None")
      return Constant::none();
    if (word == "True" || word == "False")
      return Constant::boolean(word == "True");
    if (word == "inf" || word == "nan" || word == "infj" || word == "nanj") {
      scanner_.moveTo(start);
      return readNumber();
    }
    const SchemaType *target = type->required();
    while (target->isList()) // a single one for `T[N]`
      target = target->element();
    std::optional<int64_t> number;
    if (target->kind() == SchemaTypeKind::Atom) {
      SchemaAtom atom = target->is(SchemaAtom::SymInt) ? SchemaAtom::Int : target->atom();
      number = numberOfWord(word, atom);
    }
    return Constant::ident(word, number.value_or(-1));
  }

  Constant readString(char quote) {
    const char *start = scanner_.position();
    scanner_.skipOne();
    std::string text;
    while (scanner_.peek() != quote || scanner_.atEnd()) {
      char c = scanner_.peek();
      if (scanner_.atEnd() || c == '\n')
        scanner_.fail(start, "the string has no end");
      scanner_.skipOne();
      text.push_back(c == '\\' ? readEscape() : c);
    }
    scanner_.skipOne();
    if (!isValidUtf8(text))
      scanner_.fail(start, "the string is not UTF-8");
    return Constant::string(text);
  }

  char readEscape() {
    const char *start = scanner_.position() - 1;
    char c = scanner_.peek();
    unsigned code = 0;
    if (c >= '0' && c <= '3') { // three octal digits
      for (int i = 0; i < 3; ++i) {
        char digit = scanner_.peek();
        if (digit < '0' || digit > '7')
          scanner_.fail(start, "an octal escape has three digits");
        code = code * 8 + unsigned(digit - '0');
        scanner_.skipOne();
      }
      return char(code);
    }
    if (c == 'x') {
      scanner_.skipOne();
      for (int i = 0; i < 2; ++i) {
        unsigned digit = 0;
        char text = scanner_.peek();
        if (std::from_chars(&text, &text + 1, digit, 16).ec != std::errc())
          scanner_.fail(start, "a hexadecimal escape has two digits");
        code = code * 16 + digit;
        scanner_.skipOne();
      }
      return char(code);
    }
    constexpr std::string_view kLetters = "ntr\\\"'abfv", kMeanings = "\n\t\r\\\"'\a\b\f\v";
    size_t index = kLetters.find(c);
    if (scanner_.atEnd() || index == std::string_view::npos)
      scanner_.fail(start, "unknown escape; there are \\n \\t \\r \\\\ \\\" \\' \\a \\b \\f \\v, "
                           "three octal digits, and \\x with two hexadecimal ones");
    scanner_.skipOne();
    return kMeanings[index];
  }

  SchemaScanner &scanner_;
};

/// An int where a float is wanted becomes one, so that equal defaults are equal values.
void widen(Constant &value, const SchemaType *type) {
  type = type->required();
  if (type->isList() || type->kind() == SchemaTypeKind::Tuple) {
    for (size_t i = 0; i < value.items.size(); ++i)
      widen(value.items[i], type->isList() ? type->element() : type->elements()[i]);
    return;
  }
  if (value.kind == Kind::Int && (type->is(SchemaAtom::Float) || type->is(SchemaAtom::SymFloat)))
    value = Constant::number(double(value.integer));
  if (type->is(SchemaAtom::Complex) && (value.kind == Kind::Int || value.kind == Kind::Float)) {
    value.real = value.kind == Kind::Int ? double(value.integer) : value.real;
    value.integer = 0;
    value.kind = Kind::Complex;
  }
}

} // namespace

Constant scanConstant(SchemaScanner &scanner, const SchemaType *type) {
  scanner.skipSpace();
  const char *start = scanner.position();
  Constant value = ConstantReader(scanner).read(type, 1);
  const SchemaType *target = type->required();
  if (uint32_t size = target->isList() ? target->listSize() : 0;
      size && value.kind != Kind::List && value.kind != Kind::None) {
    if (std::string reason = defaultMismatch(value, target->element()); !reason.empty())
      scanner.fail(start, cat("the default ", reason));
    if (size > kMostRepeats)
      scanner.fail(start, cat("write the list out: a single default stands for ", kMostRepeats,
                              " elements at most"));
    value = Constant::list(std::vector<Constant>(size, value));
  }
  if (std::string reason = defaultMismatch(value, type); !reason.empty())
    scanner.fail(start, cat("the default ", reason));
  widen(value, type);
  return value;
}

uint32_t scanSize(SchemaScanner &scanner) {
  scanner.skipSpace();
  const char *start = scanner.position();
  while (isDigit(scanner.peek()))
    scanner.skipOne();
  std::string_view digits = scanner.textFrom(start);
  uint32_t size = 0;
  if (digits.empty())
    scanner.failExpected("the size of the list, or ']'");
  auto error = std::from_chars(start, start + digits.size(), size).ec;
  constexpr uint32_t kLargest = 1u << 30;
  if (error != std::errc() || size > kLargest)
    scanner.fail(start, "the list is too large");
  if (size == 0 || digits[0] == '0')
    scanner.fail(start, "the size of a list is a decimal number above 0");
  return size;
}

} // namespace schema

Constant parseSchemaConstant(std::string_view text, const SchemaType *type,
                             const SchemaSource &source) {
  SchemaScanner scanner(text, source);
  Constant value = schema::scanConstant(scanner, type);
  scanner.skipSpace();
  if (!scanner.atEnd())
    scanner.failExpected("the end of the value");
  return value;
}

} // namespace ge
