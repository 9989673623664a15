//===- RegOpCursor.h - the current token of REG_OP text ----------------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPCURSOR_H
#define GE_LIB_OPS_IMPORT_REGOPCURSOR_H

#include "RegOpScanner.h"

#include <exception>
#include <string>
#include <string_view>

namespace ge::regop {

/// A syntax error at an offset of the text. The reader catches it, reports it and goes on with the
/// next prototype.
struct Fault : std::exception {
  Fault(size_t offset, std::string message) : offset(offset), message(std::move(message)) {}
  size_t offset;
  std::string message;
};

/// The current token, with one token of lookahead. Functions that expect something throw Fault.
class RegOpCursor {
public:
  explicit RegOpCursor(std::string_view text) : scanner_(text) { advance(); }

  const Token &token() const { return token_; }
  /// Offset of the current token.
  size_t offset() const { return scanner_.offset(token_); }
  bool isMark(char c) const { return token_.isMark(c); }
  bool isKind(TokenKind kind) const { return token_.kind == kind; }
  /// The `/** .. */` comment before the current token.
  std::string_view docComment() const { return scanner_.docComment(); }
  const std::vector<Unterminated> &unterminated() const { return scanner_.unterminated(); }
  const std::vector<LeftOut> &leftOut() const { return scanner_.leftOut(); }

  void advance() { token_ = scanner_.next(); }
  bool accept(char c);
  /// `where` completes the error: "expected ',' " + where.
  void expect(char c, std::string_view where);
  Token expectWord(std::string_view what);
  /// Skips `ge::`, which may precede CANN's names.
  void skipPrefix();

  [[noreturn]] void fail(const Token &at, std::string message) const;
  [[noreturn]] void failExpected(std::string_view what) const;

private:
  RegOpScanner scanner_;
  Token token_;
};

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPCURSOR_H
