//===- Scanner.h - words, numbers and strings out of a text ---------------------------------------===//
#ifndef GE_LIB_TEXT_SCANNER_H
#define GE_LIB_TEXT_SCANNER_H

#include "ge/Support/Error.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ge::text {

/// What a byte may be part of.
enum CharClass : uint8_t {
  kSpace = 1,
  kDigit = 2,
  kLetter = 4,     ///< and '_'
  kPunct = 8,      ///< '$' and '.'
  kDash = 16,      ///< '-', in SSA names only
  kHexLetter = 32, ///< a-f, A-F
};
inline constexpr std::array<uint8_t, 256> kCharClass = [] {
  std::array<uint8_t, 256> table{};
  for (char c : {' ', '\t', '\n', '\r', '\v', '\f'})
    table[static_cast<unsigned char>(c)] = kSpace;
  for (int c = '0'; c <= '9'; ++c)
    table[size_t(c)] = kDigit;
  for (int c = 'a'; c <= 'z'; ++c) {
    table[size_t(c)] = kLetter | (c <= 'f' ? kHexLetter : 0);
    table[size_t(c) - 'a' + 'A'] = table[size_t(c)];
  }
  table['_'] = kLetter;
  table['$'] = table['.'] = kPunct;
  table['-'] = kDash;
  return table;
}();
inline bool isClass(char c, unsigned classes) {
  return (kCharClass[static_cast<unsigned char>(c)] & classes) != 0;
}
inline bool isWordChar(char c) { return isClass(c, kDigit | kLetter | kPunct); }

/// The regions of one operation: from `({` to behind `})`.
struct RegionList {
  const char *open;
  const char *close;
};

/// Thrown inside the parser after the diagnostic was recorded; the nearest statement catches it.
struct ParseFailure {};

/// A cursor over the text. There are no tokens: each rule of the grammar consumes characters, so
/// that nothing is scanned twice or copied.
class Scanner {
public:
  Scanner(std::string_view text, std::string_view file)
      : begin_(text.data()), end_(text.data() + text.size()), cursor_(begin_), file_(file) {}

  const char *at() const { return cursor_; }
  const char *end() const { return end_; }
  const char *begin() const { return begin_; }
  void setAt(const char *place) { cursor_ = place; }

  /// Skips white space and comments.
  void skipSpace() {
    if (cursor_ != end_ && *cursor_ == ' ') // usually one
      ++cursor_;
    if (cursor_ != end_ && static_cast<unsigned char>(*cursor_) > ' ' && *cursor_ != '/') [[likely]]
      return;
    skipSpaceSlow();
  }
  bool atEnd() {
    skipSpace();
    return cursor_ == end_;
  }
  /// The next character that counts; 0 at the end.
  char peek() {
    skipSpace();
    return cursor_ == end_ ? '\0' : *cursor_;
  }
  bool take(char c) {
    skipSpace();
    if (cursor_ == end_ || *cursor_ != c)
      return false;
    ++cursor_;
    return true;
  }
  /// Punctuation of several characters, `->` or `({`; not for words.
  bool take(std::string_view punctuation) {
    skipSpace();
    if (size_t(end_ - cursor_) < punctuation.size() ||
        std::memcmp(cursor_, punctuation.data(), punctuation.size()) != 0)
      return false;
    cursor_ += punctuation.size();
    return true;
  }
  /// The word `word`, not the beginning of a longer one.
  bool takeWord(std::string_view word);
  bool atWord(std::string_view word);
  void expect(char c, std::string_view where);
  void expect(std::string_view punctuation, std::string_view where);

  /// `(letter|_)(letter|digit|[_$.])*`, empty when there is none.
  std::string_view bareWord() {
    skipSpace();
    const char *start = cursor_;
    if (cursor_ == end_ || !isClass(*cursor_, kLetter))
      return {};
    do
      ++cursor_;
    while (cursor_ != end_ && isWordChar(*cursor_));
    return {start, size_t(cursor_ - start)};
  }
  /// What may stand behind `%`, `#`, `@` or `!`: digits, or a word of letters, digits and `$._-`.
  std::string_view suffixWord();
  /// At the opening quote. The characters between the quotes, with their escapes.
  std::string_view rawString(bool &hasEscapes);
  /// At the opening quote. Decoded; points into the text, or into `buffer` when it has escapes.
  std::string_view string(std::string &buffer);
  /// Skips a string from its opening quote, without decoding it.
  void skipString();
  /// Skips from an opening bracket to after the matching closing one, over strings and comments.
  /// Brackets are ( { [, and < > too if `angles`. `regions` gets all skipped `({`, by position.
  void skipBalanced(bool angles, std::vector<RegionList> *regions = nullptr);

  // Errors. Each records a diagnostic at `place`.
  [[noreturn]] void fail(const char *place, std::string message);
  [[noreturn]] void fail(const char *place, std::string message, const char *notePlace,
                         std::string note);
  /// `expected ...`, with the text found.
  [[noreturn]] void failExpected(std::string_view what, std::string_view hint = {});
  /// The same for what should follow the last token.
  [[noreturn]] void failMissing(std::string_view what);
  const char *missingPlace();
  void report(const char *place, std::string message) {
    errors_.push_back(diagnostic(Severity::Error, place, std::move(message)));
  }
  Diagnostic diagnostic(Severity severity, const char *place, std::string message) const;
  std::vector<Diagnostic> &errors() { return errors_; }
  std::string_view file() const { return file_; }
  /// Line and column, from 1. O(distance from the last lookup).
  void position(const char *place, uint32_t &line, uint32_t &column) const;

private:
  void skipSpaceSlow();
  std::string found() const; ///< ", got 'x'"

  const char *begin_;
  const char *end_;
  const char *cursor_;
  std::string_view file_;
  std::vector<Diagnostic> errors_;
  mutable const char *lastPlace_ = nullptr; ///< start of line lastLine_
  mutable uint32_t lastLine_ = 1;
};

} // namespace ge::text

#endif // GE_LIB_TEXT_SCANNER_H
