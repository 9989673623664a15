//===- RegOpScanner.h - tokens of C++ header text ---------------------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPSCANNER_H
#define GE_LIB_OPS_IMPORT_REGOPSCANNER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ge::regop {

enum class TokenKind : uint8_t {
  End,
  Word,
  Number, ///< digits and other characters of a number: "0x1F", "1e-5f", "10u"
  String, ///< with its quotes; also 'c'
  Mark,   ///< one character
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  bool isMark(char c) const { return kind == TokenKind::Mark && text.front() == c; }
};

/// A comment or string without its end. Its content is not read as C++, so the reader
/// of prototypes reports it.
struct Unterminated {
  size_t begin;
  size_t end; ///< where the scanner went on: the end of the line for a string, else of the text
  const char *what;
};

/// A branch of a conditional that is never compiled: of `#if 0`, or of the `#else` of `#if 1`.
struct LeftOut {
  size_t begin; ///< of its directive
  size_t end;
};

/// Skips white space, comments, preprocessor lines and branches that are never compiled. If a
/// condition is not a literal, all branches are read. Every step moves forward.
class RegOpScanner {
public:
  explicit RegOpScanner(std::string_view text) : text_(text) {}
  Token next();
  /// The last `/** .. */` before the token that next() gave, empty when another token came
  /// between.
  std::string_view docComment() const { return doc_; }
  /// Those before the token that next() gave, in the order of the text.
  const std::vector<Unterminated> &unterminated() const { return unterminated_; }
  const std::vector<LeftOut> &leftOut() const { return leftOut_; } ///< the same
  size_t offset(const Token &token) const { return size_t(token.text.data() - text_.data()); }

private:
  void skipBlank();
  void skipBlockComment();
  void skipLine();                    ///< with the lines that a backslash continues
  std::string_view directive() const; ///< "if", "endif", ..., of the line that begins here with '#'
  void readDirective();
  void skipBranch(size_t begin); ///< to the directive that ends it
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  Token take(TokenKind kind, size_t end);
  size_t endOfRawString(size_t quote);
  size_t endOfString(char quote);
  std::string_view text_;
  std::string_view doc_;
  std::vector<Unterminated> unterminated_;
  std::vector<LeftOut> leftOut_;
  std::vector<bool> isDecided_; ///< of each open conditional: a branch before was compiled
  size_t at_ = 0;
  bool atLineStart_ = true;
};

/// What a string token means; the usual escapes.
std::string unquoted(std::string_view token);

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPSCANNER_H
