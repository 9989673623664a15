//===- RegOpScanner.cpp -----------------------------------------------------------------------===//
#include "RegOpScanner.h"

#include "../Schema/SchemaScanner.h"

#include <algorithm>

namespace ge::regop {

using schema::isDigit;
using schema::isWordPart;
using schema::isWordStart;

void RegOpScanner::skipLine() {
  while (at_ < text_.size() && text_[at_] != '\n') {
    if (text_[at_] == '\\') {
      ++at_;
      if (at(at_) == '\r')
        ++at_;
    }
    ++at_;
  }
  at_ = std::min(at_, text_.size());
}

void RegOpScanner::skipBlockComment() {
  size_t begin = at_;
  size_t end = text_.find("*/", at_ + 2);
  at_ = end == std::string_view::npos ? text_.size() : end + 2;
  if (end == std::string_view::npos) {
    unterminated_.push_back({begin, at_, "comment"});
    return;
  }
  // Not `/**/`.
  if (at(begin + 2) == '*' && at_ - begin > 4)
    doc_ = text_.substr(begin, at_ - begin);
}

std::string_view RegOpScanner::directive() const {
  size_t begin = at_ + 1;
  while (at(begin) == ' ' || at(begin) == '\t')
    ++begin;
  size_t end = begin;
  while (isWordPart(at(end)))
    ++end;
  return text_.substr(begin, end - begin);
}

/// Returns the value of a condition that is a literal 0, 1, true or false; -1 for any other.
static int valueOf(std::string_view condition) {
  for (std::string_view comment : {"//", "/*"})
    condition = condition.substr(0, condition.find(comment));
  constexpr std::string_view kAround = " \t\r\n\\()";
  size_t first = condition.find_first_not_of(kAround);
  if (first == condition.npos)
    return -1;
  condition = condition.substr(first, condition.find_last_not_of(kAround) - first + 1);
  return condition == "0" || condition == "false"  ? 0
         : condition == "1" || condition == "true" ? 1
                                                   : -1;
}

void RegOpScanner::readDirective() {
  size_t begin = at_;
  std::string_view word = directive();
  size_t condition = size_t(word.data() - text_.data()) + word.size();
  skipLine();
  bool isElif = word.starts_with("elif");
  int value = word == "if" || word == "elif" ? valueOf(text_.substr(condition, at_ - condition))
              : word == "else"               ? 1
                                             : -1;
  if (word.starts_with("if")) {
    isDecided_.push_back(false);
  } else if (isDecided_.empty()) {
    return;
  } else if (word == "endif") {
    isDecided_.pop_back();
    return;
  } else if (!isElif && word != "else") {
    return;
  }
  if (value == 0 || isDecided_.back())
    skipBranch(begin);
  else if (value == 1)
    isDecided_.back() = true;
}

void RegOpScanner::skipBranch(size_t begin) {
  size_t depth = 0;
  bool isLineStart = false; // the rest of the line of the directive was read
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '\n') {
      isLineStart = true;
      ++at_;
    } else if (c == '#' && isLineStart) {
      std::string_view word = directive();
      if (word == "endif" ? depth == 0 : depth == 0 && word.starts_with("el"))
        break;
      depth += word.starts_with("if");
      depth -= word == "endif";
      skipLine();
    } else if (c == '/' && at(at_ + 1) == '*') {
      size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() : end + 2;
    } else if (c == '/' && at(at_ + 1) == '/') {
      skipLine();
    } else {
      isLineStart = isLineStart && (c == ' ' || c == '\t' || c == '\r');
      ++at_;
    }
  }
  leftOut_.push_back({begin, at_});
}

void RegOpScanner::skipBlank() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '\n')
      atLineStart_ = true;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
      ++at_;
    else if (c == '\\' && (at(at_ + 1) == '\n' || at(at_ + 1) == '\r'))
      ++at_; // continues a line of a macro
    else if (c == '#' && atLineStart_)
      readDirective();
    else if (c == '/' && at(at_ + 1) == '/')
      skipLine();
    else if (c == '/' && at(at_ + 1) == '*')
      skipBlockComment();
    else
      return;
  }
}

Token RegOpScanner::take(TokenKind kind, size_t end) {
  Token token{kind, text_.substr(at_, end - at_)};
  at_ = end;
  atLineStart_ = false;
  return token;
}

/// Of R"delimiter(...)delimiter", whose first quote is at `quote`: nothing in it is escaped.
size_t RegOpScanner::endOfRawString(size_t quote) {
  constexpr size_t kLongestDelimiter = 16; // C++'s own limit
  size_t open = text_.substr(0, quote + kLongestDelimiter + 2).find('(', quote);
  size_t close = std::string_view::npos;
  if (open != std::string_view::npos) {
    std::string delimiter(1, ')');
    delimiter.append(text_.substr(quote + 1, open - quote - 1)).append(1, '"');
    close = text_.find(delimiter, open);
    if (close != std::string_view::npos)
      return close + delimiter.size();
  }
  unterminated_.push_back({at_, text_.size(), "raw string"});
  return text_.size();
}

/// To the end of the line, when the closing quote is missing.
size_t RegOpScanner::endOfString(char quote) {
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
    end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
  if (at(end) == quote)
    return end + 1;
  unterminated_.push_back({at_, std::min(end, text_.size()), "string"});
  return std::min(end, text_.size());
}

Token RegOpScanner::next() {
  doc_ = {};
  skipBlank();
  if (at_ == text_.size())
    return {TokenKind::End, text_.substr(at_)};
  char c = text_[at_];
  size_t end = at_ + 1;
  if (isWordStart(c)) {
    while (isWordPart(at(end)))
      ++end;
    std::string_view word = text_.substr(at_, end - at_);
    if (at(end) == '"' &&
        (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"))
      return take(TokenKind::String, endOfRawString(end));
    return take(TokenKind::Word, end);
  }
  if (isDigit(c) || (c == '.' && isDigit(at(end)))) {
    while (isWordPart(at(end)) || at(end) == '.' || (at(end) == '\'' && isWordPart(at(end + 1))) ||
           ((at(end) == '+' || at(end) == '-') && (at(end - 1) == 'e' || at(end - 1) == 'E')))
      ++end;
    return take(TokenKind::Number, end);
  }
  if (c == '"' || c == '\'')
    return take(TokenKind::String, endOfString(c));
  return take(TokenKind::Mark, end);
}

std::string unquoted(std::string_view token) {
  char quote = token.front();
  token.remove_prefix(1);
  if (token.ends_with(quote))
    token.remove_suffix(1);
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 == token.size()) {
      out += token[i];
      continue;
    }
    char c = token[++i];
    switch (c) {
    case 'n':
      out += '\n';
      break;
    case 't':
      out += '\t';
      break;
    case 'r':
      out += '\r';
      break;
    case '0':
      out += '\0';
      break;
    default:
      out += c;
    }
  }
  return out;
}

} // namespace ge::regop
