//===- NumberParser.cpp - numbers and arrays of numbers -------------------------------------------===//
#include "ValueParser.h"

#include "ge/IR/FloatFormat.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace ge::text {

/// `-?digits`, `-?digits.digits?([eE][+-]?digits)?` or `0xdigits`, as MLIR's lexer splits them.
ValueParser::Number ValueParser::number() {
  scan_.skipSpace();
  Number result;
  const char *p = result.place = scan_.at();
  const char *end = scan_.end();
  auto digits = [&] {
    const char *start = p;
    while (p != end && isClass(*p, kDigit))
      ++p;
    return p != start;
  };
  if (p != end && *p == '-') {
    result.negative = true;
    ++p;
  }
  if (end - p > 2 && p[0] == '0' && p[1] == 'x' && isClass(p[2], kDigit | kHexLetter)) {
    result.isHex = true;
    p += 2;
    while (p != end && isClass(*p, kDigit | kHexLetter))
      ++p;
  } else {
    if (!digits())
      scan_.failExpected("a number");
    if (p != end && *p == '.') {
      result.isFloat = true;
      ++p;
      digits();
      const char *exponent = p;
      if (p != end && (*p | 0x20) == 'e') {
        ++p;
        if (p != end && (*p == '-' || *p == '+'))
          ++p;
        if (!digits())
          p = exponent;
      }
    }
  }
  scan_.setAt(p);
  result.text = {result.place, size_t(p - result.place)};
  return result;
}

uint64_t ValueParser::magnitude(const Number &number) {
  std::string_view digits = number.text.substr(number.negative + (number.isHex ? 2 : 0));
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, number.isHex ? 16 : 10);
  if (error != std::errc())
    scan_.fail(number.place, cat("integer ", number.text, " does not fit in 64 bits"));
  return value;
}

int64_t ValueParser::integer(const Number &number, DType dtype) {
  if (number.isFloat)
    scan_.fail(number.place, cat("expected an integer, got ", number.text));
  uint64_t value = magnitude(number);
  unsigned bits = info(dtype).bits;
  bool isSigned =
      dtype == DType::I2 || dtype == DType::I4 || (dtype >= DType::I8 && dtype <= DType::I64);
  uint64_t largest = ~uint64_t(0) >> (64 - bits + (isSigned ? 1 : 0));
  bool fits = number.negative ? (isSigned ? value <= largest + 1 : value == 0) : value <= largest;
  if (!fits)
    scan_.fail(number.place, cat("integer ", number.text, " does not fit in ", info(dtype).name));
  return int64_t(number.negative ? 0 - value : value);
}

/// from_chars reports underflow like overflow; underflow is a zero.
template <typename Float> static bool readFloat(std::string_view text, Float &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range)
    return true;
  // Decided by the first significant digit: its power of ten is far from 0 in either case.
  size_t first = text.find_first_of("123456789");
  size_t exponentAt = text.find_first_of("eE");
  size_t point = text.find('.');
  long exponent = 0;
  if (exponentAt != std::string_view::npos) {
    std::string_view digits = text.substr(exponentAt + 1);
    bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+'))
      digits.remove_prefix(1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc())
      exponent = 1L << 60;
    exponent = negative ? -exponent : exponent;
  }
  long place = first < point ? long(point - first) : -long(first - point);
  value = text.starts_with('-') ? Float(-0.0) : Float(0.0);
  return exponent + place < 0;
}

double ValueParser::floating(const Number &number, DType dtype) {
  double value = 0;
  if (!number.isFloat)
    scan_.fail(number.place, cat("expected a float with a point, got ", number.text));
  if (!readFloat(number.text, value))
    scan_.fail(number.place, cat("float ", number.text, " does not fit in ", info(dtype).name));
  return value;
}

float ValueParser::floating32(const Number &number) {
  float value = 0;
  if (number.isHex)
    return std::bit_cast<float>(uint32_t(floatBits(number, DType::F32)));
  if (!number.isFloat)
    scan_.fail(number.place, cat("expected a float with a point, got ", number.text));
  if (!readFloat(number.text, value))
    scan_.fail(number.place, cat("float ", number.text, " does not fit in f32"));
  return value;
}

/// The bits of one float of any width, from a decimal or from hexadecimal bits.
uint64_t ValueParser::floatBits(const Number &number, DType dtype) {
  unsigned bits = info(dtype).bits;
  if (number.isHex) {
    uint64_t value = magnitude(number);
    if (number.negative || (bits < 64 && value >> bits))
      scan_.fail(number.place, cat(number.text, " are not the bits of one ", info(dtype).name));
    return value;
  }
  if (dtype == DType::F32)
    return std::bit_cast<uint32_t>(floating32(number));
  double value = floating(number, dtype);
  uint64_t encoded = encodeFloat(dtype, value);
  if (!std::isfinite(decodeFloat(dtype, encoded)))
    scan_.fail(number.place, cat("float ", number.text, " does not fit in ", info(dtype).name));
  return encoded;
}

DType ValueParser::numberType(std::string_view where) {
  scan_.skipSpace();
  const char *place = scan_.at();
  std::string_view word = scan_.bareWord();
  std::optional<DType> dtype = dtypeFromMLIR(word);
  if (!dtype || !(isInteger(*dtype) || *dtype == DType::Bool || hasFloatFormat(*dtype)))
    scan_.fail(place, cat("expected the type ", where, ", such as i64 or f32",
                          word.empty() ? "" : ", got ", word));
  return *dtype;
}

AttrRef ValueParser::numberAttribute() {
  Number value = number();
  DType dtype = value.isFloat ? DType::F64 : DType::I64;
  if (scan_.take(':')) {
    // The two most common types.
    if (scan_.takeWord("i64"))
      dtype = DType::I64;
    else if (scan_.takeWord("f32"))
      dtype = DType::F32;
    else
      dtype = numberType("of a number");
  }
  if (dtype == DType::I64 && !value.isFloat) {
    int64_t v = integer(value, dtype);
    return Attribute::fitsInline(v) ? AttrRef(Attribute::inlineInt(v)) : context_.intAttr(v);
  }
  if (dtype == DType::F32)
    return AttrRef(Attribute::f32(floating32(value)));
  return refusedAt(value.place, [&]() -> AttrRef {
    if (dtype == DType::Bool)
      return AttrRef(Attribute::boolean(integer(value, dtype) != 0));
    if (isInteger(dtype))
      return context_.intAttr(integer(value, dtype), dtype);
    return context_.floatAttr(decodeFloat(dtype, floatBits(value, dtype)), dtype);
  });
}

/// `array<i64: 1, 2>`, after the word.
AttrRef ValueParser::arrayAttribute() {
  const char *place = scan_.at();
  scan_.expect('<', "after 'array'");
  DType dtype = numberType("of the elements of an array");
  bool isEmpty = !scan_.take(':');
  auto each = [&](auto element) {
    while (!isEmpty) {
      element();
      isEmpty = !scan_.take(',');
    }
    scan_.expect('>', "or ',' after an element of an array");
  };
  if (dtype == DType::F32) {
    std::vector<float> values;
    each([&] { values.push_back(floating32(number())); });
    return context_.floatArray(values);
  }
  if (dtype == DType::F64) {
    std::vector<double> values;
    each([&] { values.push_back(std::bit_cast<double>(floatBits(number(), dtype))); });
    return context_.doubleArray(values);
  }
  if (!isInteger(dtype) && dtype != DType::Bool)
    scan_.fail(place, cat("an array is of integers, bools, f32 or f64, not of ", info(dtype).name));
  std::vector<int64_t> &values = integers_;
  values.clear();
  each([&] {
    if (dtype == DType::Bool && scan_.takeWord("true"))
      values.push_back(1);
    else if (dtype == DType::Bool && scan_.takeWord("false"))
      values.push_back(0);
    else
      values.push_back(integer(number(), dtype));
  });
  return refusedAt(place, [&] { return context_.intArray(values, dtype); });
}

} // namespace ge::text
