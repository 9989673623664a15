//===- SchemaScanner.h - characters and words of schema text ----------------------------------===//
#ifndef GE_LIB_OPS_SCHEMA_SCHEMASCANNER_H
#define GE_LIB_OPS_SCHEMA_SCHEMASCANNER_H

#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ge::schema {

// Not <cctype>, which depends on the locale.
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isLower(char c) { return c >= 'a' && c <= 'z'; }
inline bool isWordStart(char c) { return isLower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }

/// A text and a place in it. White space and `#` comments stand between any two tokens.
class SchemaScanner {
public:
  SchemaScanner(std::string_view text, const SchemaSource &source)
      : begin_(text.data()), cursor_(text.data()), end_(text.data() + text.size()),
        source_(source) {}

  const char *position() const { return cursor_; }
  void moveTo(const char *position) { cursor_ = position; }
  std::string_view textFrom(const char *start) const { return {start, size_t(cursor_ - start)}; }
  bool atEnd() const { return cursor_ == end_; }
  /// 0 at the end; a 0 in the text is not a token either.
  char peek() const { return cursor_ < end_ ? *cursor_ : '\0'; }
  char peekAfter() const { return cursor_ + 1 < end_ ? cursor_[1] : '\0'; }
  void skipOne() { ++cursor_; }

  void skipSpace() {
    while (cursor_ < end_ && (*cursor_ == ' ' || *cursor_ == '\n' || *cursor_ == '\t' ||
                              *cursor_ == '\r' || *cursor_ == '#')) {
      if (*cursor_ != '#') {
        ++cursor_;
        continue;
      }
      while (cursor_ < end_ && *cursor_ != '\n')
        ++cursor_;
    }
  }
  /// After white space: takes `c` if it comes next.
  bool accept(char c) {
    skipSpace();
    if (peek() != c || atEnd())
      return false;
    ++cursor_;
    return true;
  }
  bool accept(std::string_view token) {
    skipSpace();
    if (!std::string_view(cursor_, size_t(end_ - cursor_)).starts_with(token))
      return false;
    cursor_ += token.size();
    return true;
  }
  /// Takes the next word; empty when there is none.
  std::string_view word() {
    skipSpace();
    const char *start = cursor_;
    if (cursor_ < end_ && isWordStart(*cursor_))
      do
        ++cursor_;
      while (cursor_ < end_ && isWordPart(*cursor_));
    return textFrom(start);
  }
  void expect(char c, std::string_view where) {
    if (!accept(c))
      failExpected(cat('\'', c, "' ", where));
  }

  uint32_t lineOf(const char *position) const;
  /// "expected <what>, found <what comes next>".
  [[noreturn]] void failExpected(std::string_view what);
  [[noreturn]] void fail(const char *position, std::string message) const;

private:
  const char *begin_;
  const char *cursor_;
  const char *end_;
  const SchemaSource &source_;
};

/// Reads the constant of `type` that comes next, or fails. A single value may stand for `T[N]`.
Constant scanConstant(SchemaScanner &scanner, const SchemaType *type);
/// Digits only, after '['.
uint32_t scanSize(SchemaScanner &scanner);

/// Reads a default value after `=`; `type` decides between brackets and parentheses. Null: unknown.
void printConstantOf(const Constant &value, const SchemaType *type, std::string &out,
                     SchemaStyle style);

} // namespace ge::schema

#endif // GE_LIB_OPS_SCHEMA_SCHEMASCANNER_H
