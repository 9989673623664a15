//===- RegOpCursor.cpp - the current token of REG_OP text --------------------------------------===//
#include "RegOpCursor.h"

#include "ge/Support/StringUtil.h"

namespace ge::regop {

bool RegOpCursor::accept(char c) {
  if (!token_.isMark(c))
    return false;
  advance();
  return true;
}

void RegOpCursor::expect(char c, std::string_view where) {
  if (!accept(c))
    failExpected(cat('\'', c, "' ", where));
}

Token RegOpCursor::expectWord(std::string_view what) {
  if (token_.kind != TokenKind::Word)
    failExpected(what);
  Token word = token_;
  advance();
  return word;
}

void RegOpCursor::skipPrefix() {
  if (token_.kind == TokenKind::Word && token_.text == "ge") {
    advance();
    expect(':', "after ge");
    expect(':', "after ge");
  }
}

void RegOpCursor::fail(const Token &at, std::string message) const {
  throw Fault(scanner_.offset(at), std::move(message));
}

void RegOpCursor::failExpected(std::string_view what) const {
  if (token_.kind == TokenKind::End)
    fail(token_, cat("expected ", what, ", found the end"));
  if (token_.kind != TokenKind::Word && !isValidUtf8(token_.text))
    fail(token_, cat("expected ", what, ", found what is not UTF-8"));
  fail(token_, cat("expected ", what, ", found '", token_.text, '\''));
}

} // namespace ge::regop
