//===- SwitchFile.cpp - the fusion switch file ------------------------------------------------===//
#include "SwitchFile.h"

#include "ge/Support/Error.h"

#include <algorithm>

namespace ge {

namespace {

using Switches = std::map<std::string, std::string, std::less<>>;

/// Reads JSON and keeps one of its objects.
class SwitchParser {
public:
  explicit SwitchParser(std::string_view text) : text_(text) {}

  Switches run() {
    bool found = false;
    object([&](const std::string &outer) {
      if (outer != "Switch")
        return skip();
      object([&](const std::string &inner) {
        found = true; // CANN's files may have other sections only
        if (inner != "GraphFusion")
          return skip();
        switches_.clear();
        object([&](std::string pass) {
          size_t start = at_;
          std::string value = peek() == '"' ? string() : std::string();
          if (value != "on" && value != "off") {
            at_ = start;
            fail("expected \"on\" or \"off\"");
          }
          switches_[std::move(pass)] = std::move(value);
        });
      });
    });
    blanks();
    if (at_ != text_.size())
      fail("expected the end of the file");
    if (!found)
      fail("the key Switch, with sections such as GraphFusion, is missing");
    return std::move(switches_);
  }

private:
  [[noreturn]] void fail(const char *what) const {
    std::string_view before = text_.substr(0, at_);
    size_t start = before.rfind('\n') + 1; // npos + 1 is 0
    throwError(ErrorKind::Value, "line ", 1 + std::count(before.begin(), before.end(), '\n'),
               ", column ", at_ - start + 1, ": ", what);
  }

  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos)
      ++at_;
  }
  /// Skips blanks and returns the next character; 0 at the end.
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c, const char *what) {
    if (peek() != c)
      fail(what);
    ++at_;
  }

  void enter() {
    constexpr uint32_t kDeepest = 100;
    if (++depth_ > kDeepest)
      fail("it is nested too deeply");
  }
  template <typename F> void object(const F &member) {
    enter();
    expect('{', "expected '{'");
    if (peek() != '}')
      do {
        if (peek() != '"')
          fail("expected a name in quotes");
        std::string name = string();
        expect(':', "expected ':'");
        blanks();
        member(std::move(name));
      } while (peek() == ',' && ++at_);
    expect('}', "expected ',' or '}'");
    --depth_;
  }

  /// Any value.
  void skip() {
    switch (peek()) {
    case '"':
      return void(string());
    case '{':
      return object([&](const std::string &) { skip(); });
    case '[':
      enter();
      ++at_;
      if (peek() != ']')
        do
          skip();
        while (peek() == ',' && ++at_);
      expect(']', "expected ',' or ']'");
      --depth_;
      return;
    default:
      size_t start = at_;
      while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == text_.npos)
        ++at_;
      std::string_view word = text_.substr(start, at_ - start);
      bool isNumber = !word.empty() && word.find_first_not_of("+-.0123456789eE") == word.npos;
      if (word != "true" && word != "false" && word != "null" && !isNumber) {
        at_ = start;
        fail("expected a value");
      }
    }
  }

  std::string string() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20)
        fail("a control character in a string");
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      if (++at_ == text_.size())
        break;
      static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
      if (size_t which = kEscapes.find(text_[at_]); which != kEscapes.npos)
        out += kMeaning[which];
      else if (text_[at_] == 'u')
        appendUtf8(codePoint(), out);
      else
        fail("an escape that JSON does not have");
    }
    if (at_ == text_.size())
      fail("a string without an end");
    ++at_;
    return out;
  }

  /// Starts at the 'u' of an escape; ends at its last digit, or that of the second escape of a
  /// surrogate pair.
  uint32_t codePoint() {
    uint32_t high = digits();
    if (high < 0xD800 || high > 0xDFFF)
      return high;
    if (high > 0xDBFF || text_.substr(at_ + 1, 2) != "\\u")
      return 0xFFFD;
    at_ += 2;
    uint32_t low = digits();
    return low < 0xDC00 || low > 0xDFFF ? 0xFFFD : 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00;
  }
  uint32_t digits() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      size_t digit = ++at_ < text_.size()
                         ? std::string_view("0123456789abcdefABCDEF").find(text_[at_])
                         : text_.npos;
      if (digit == text_.npos)
        fail("expected four hexadecimal digits");
      value = value << 4 | uint32_t(digit < 16 ? digit : digit - 6);
    }
    return value;
  }
  static void appendUtf8(uint32_t c, std::string &out) {
    if (c < 0x80)
      return void(out += char(c));
    if (c < 0x800)
      out += char(0xC0 | c >> 6);
    else {
      if (c < 0x10000)
        out += char(0xE0 | c >> 12);
      else {
        out += char(0xF0 | c >> 18);
        out += char(0x80 | (c >> 12 & 0x3F));
      }
      out += char(0x80 | (c >> 6 & 0x3F));
    }
    out += char(0x80 | (c & 0x3F));
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
  Switches switches_;
};

} // namespace

Switches parseSwitchFile(std::string_view text) { return SwitchParser(text).run(); }

} // namespace ge
