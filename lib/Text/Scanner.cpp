//===- Scanner.cpp --------------------------------------------------------------------------------===//
#include "Scanner.h"

#include "ge/Support/Interrupt.h"

#include <algorithm>

namespace ge::text {

void Scanner::skipSpaceSlow() {
  while (cursor_ != end_) {
    if (isClass(*cursor_, kSpace)) {
      ++cursor_;
    } else if (*cursor_ == '/' && end_ - cursor_ >= 2 && cursor_[1] == '/') {
      const void *stop = std::memchr(cursor_, '\n', size_t(end_ - cursor_));
      cursor_ = stop ? static_cast<const char *>(stop) : end_;
    } else {
      return;
    }
  }
}

bool Scanner::atWord(std::string_view word) {
  skipSpace();
  size_t left = size_t(end_ - cursor_);
  return left >= word.size() && std::memcmp(cursor_, word.data(), word.size()) == 0 &&
         (left == word.size() || !isWordChar(cursor_[word.size()]));
}

bool Scanner::takeWord(std::string_view word) {
  if (!atWord(word))
    return false;
  cursor_ += word.size();
  return true;
}

void Scanner::expect(char c, std::string_view where) {
  if (!take(c)) [[unlikely]]
    failMissing(cat("'", c, "' ", where));
}

void Scanner::expect(std::string_view punctuation, std::string_view where) {
  if (!take(punctuation)) [[unlikely]]
    failMissing(cat("'", punctuation, "' ", where));
}

std::string_view Scanner::suffixWord() {
  const char *start = cursor_;
  unsigned classes = kDigit | kLetter | kPunct | kDash;
  if (cursor_ != end_ && isClass(*cursor_, kDigit))
    classes = kDigit;
  while (cursor_ != end_ && isClass(*cursor_, classes))
    ++cursor_;
  return {start, size_t(cursor_ - start)};
}

// --- Strings -------------------------------------------------------------------------------------

std::string_view Scanner::rawString(bool &hasEscapes) {
  const char *open = cursor_;
  const char *start = open + 1;
  hasEscapes = false;
  for (const char *p = start; p != end_; ++p) {
    if (*p == '"') [[unlikely]] {
      cursor_ = p + 1;
      return {start, size_t(p - start)};
    }
    if (*p == '\\') [[unlikely]] {
      hasEscapes = true;
      if (++p == end_)
        break;
    }
    if (*p == '\n') [[unlikely]]
      break;
  }
  fail(open, "expected '\"' at the end of this string, on the same line");
}

void Scanner::skipString() {
  const char *open = cursor_;
  // Blobs are strings of gigabytes, usually without a backslash: search for quotes only.
  for (const char *p = open + 1; p != end_; ++p) {
    const void *quote = std::memchr(p, '"', size_t(end_ - p));
    if (!quote)
      break;
    p = static_cast<const char *>(quote);
    const char *slashes = p;
    while (slashes - 1 != open && slashes[-1] == '\\')
      --slashes;
    if ((p - slashes) % 2 == 0) {
      cursor_ = p + 1;
      return;
    }
  }
  fail(open, "expected '\"' at the end of this string");
}

static int hexValue(char c) {
  return isClass(c, kDigit) ? c - '0' : isClass(c, kHexLetter) ? (c | 0x20) - 'a' + 10 : -1;
}

std::string_view Scanner::string(std::string &buffer) {
  bool hasEscapes = false;
  std::string_view raw = rawString(hasEscapes);
  if (!hasEscapes)
    return raw;
  buffer.clear();
  buffer.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      buffer.push_back(raw[i]);
      continue;
    }
    char next = raw[i + 1]; // exists: rawString() has checked it
    if (next == '"' || next == '\\') {
      buffer.push_back(next);
    } else if (next == 'n' || next == 't') {
      buffer.push_back(next == 'n' ? '\n' : '\t');
    } else if (i + 2 < raw.size() && hexValue(next) >= 0 && hexValue(raw[i + 2]) >= 0) {
      buffer.push_back(char(hexValue(next) * 16 + hexValue(raw[i + 2])));
      ++i;
    } else {
      fail(raw.data() + i, "expected \\\", \\\\, \\n, \\t or two hexadecimal digits after '\\'");
    }
    ++i;
  }
  return buffer;
}

static char closerOf(char open) {
  return open == '(' ? ')' : open == '{' ? '}' : open == '[' ? ']' : '>';
}

void Scanner::skipBalanced(bool angles, std::vector<RegionList> *regions) {
  struct Bracket {
    const char *place;
    size_t region; ///< index in `regions`, or kNone
  };
  constexpr size_t kNone = SIZE_MAX;
  std::vector<Bracket> open;
  Interrupt interrupt;
  do {
    interrupt.poll();
    skipSpace();
    if (cursor_ == end_)
      fail(open.back().place, cat("expected '", closerOf(*open.back().place), "' for this '",
                                  *open.back().place, "'"));
    const char *place = cursor_;
    switch (*place) {
    case '"':
      skipString();
      continue;
    case '(':
    case '{':
    case '[':
    case '<':
      ++cursor_;
      if (*place == '<' && !angles)
        continue;
      open.push_back({place, kNone});
      if (regions && *place == '(' && peek() == '{') {
        open.back().region = regions->size();
        regions->push_back({place, nullptr});
      }
      continue;
    case '>':
      if (!angles)
        break;
      [[fallthrough]];
    case ')':
    case '}':
    case ']':
      ++cursor_;
      if (open.empty())
        fail(place, cat("nothing is open that '", *place, "' could close"));
      if (closerOf(*open.back().place) != *place)
        fail(place, cat("expected '", closerOf(*open.back().place), "', got '", *place, "'"),
             open.back().place, "to close this");
      if (open.back().region != kNone)
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): only set where there are regions
        (*regions)[open.back().region].close = cursor_;
      open.pop_back();
      continue;
    case '-': // `->` closes nothing
      cursor_ += end_ - cursor_ >= 2 && cursor_[1] == '>';
      break;
    default:
      break;
    }
    ++cursor_;
  } while (!open.empty());
}

// --- Errors --------------------------------------------------------------------------------------

void Scanner::position(const char *place, uint32_t &line, uint32_t &column) const {
  if (!lastPlace_ || place < lastPlace_) {
    lastPlace_ = begin_;
    lastLine_ = 1;
  }
  while (const void *found = std::memchr(lastPlace_, '\n', size_t(place - lastPlace_))) {
    lastPlace_ = static_cast<const char *>(found) + 1;
    ++lastLine_;
  }
  line = lastLine_;
  column = uint32_t(std::min<ptrdiff_t>(place - lastPlace_, UINT32_MAX - 1)) + 1;
}

/// Longer lines, which are blobs or lists of numbers, are cut to keep messages short.
static constexpr ptrdiff_t kLongestShown = 400;

Diagnostic Scanner::diagnostic(Severity severity, const char *place, std::string message) const {
  Diagnostic result;
  result.severity = severity;
  result.file = std::string(file_);
  result.message = std::move(message);
  place = std::min(place, end_);
  position(place, result.line, result.column);
  const char *start = lastPlace_;
  const void *stop = std::memchr(start, '\n', size_t(end_ - start));
  ptrdiff_t length = (stop ? static_cast<const char *>(stop) : end_) - start;
  if (length && start[length - 1] == '\r')
    --length;
  if (place - start < kLongestShown) {
    result.sourceLine.assign(start, size_t(std::min(length, kLongestShown)));
    // A cut may split a character, and the file may not be valid UTF-8.
    if (!isValidUtf8(result.sourceLine))
      for (char &c : result.sourceLine)
        if (static_cast<unsigned char>(c) >= 0x80)
          c = '?';
  }
  return result;
}

void Scanner::fail(const char *place, std::string message) {
  errors_.push_back(diagnostic(Severity::Error, place, std::move(message)));
  throw ParseFailure();
}

void Scanner::fail(const char *place, std::string message, const char *notePlace,
                   std::string note) {
  Diagnostic error = diagnostic(Severity::Error, place, std::move(message));
  error.notes.push_back(diagnostic(Severity::Note, notePlace, std::move(note)));
  errors_.push_back(std::move(error));
  throw ParseFailure();
}

std::string Scanner::found() const {
  if (cursor_ == end_)
    return ", got the end of the text";
  const char *stop = cursor_ + 1;
  if (isWordChar(*cursor_))
    while (stop != end_ && stop - cursor_ < 40 && isWordChar(*stop))
      ++stop;
  std::string_view text(cursor_, size_t(stop - cursor_));
  return isValidUtf8(text) && !isClass(*cursor_, kSpace) ? cat(", got '", text, "'")
                                                         : std::string();
}

/// Moves back over blanks, comments and empty lines.
static const char *behindPrevious(const char *begin, const char *at) {
  const char *place = at;
  while (place != begin && isClass(place[-1], kSpace)) {
    if (*--place != '\n')
      continue;
    // A comment at the end of the previous line is skipped, too.
    const char *start = place;
    while (start != begin && start[-1] != '\n')
      --start;
    bool isString = false;
    for (const char *p = start; p != place; ++p) {
      if (*p == '\\' && isString)
        ++p;
      else if (*p == '"')
        isString = !isString;
      else if (*p == '/' && !isString && place - p > 1 && p[1] == '/') {
        place = p;
        break;
      }
    }
  }
  return place;
}

void Scanner::failExpected(std::string_view what, std::string_view hint) {
  skipSpace();
  fail(cursor_, cat("expected ", what, found(), hint));
}

void Scanner::failMissing(std::string_view what) {
  const char *place = missingPlace();
  fail(place, cat("expected ", what, found()));
}

const char *Scanner::missingPlace() {
  skipSpace();
  // A token that is missing at the end of a line is reported there, not at the start of the next
  // line.
  const char *previous = behindPrevious(begin_, cursor_);
  bool isAtLineEnd = std::find(previous, cursor_, '\n') != cursor_ || cursor_ == end_;
  return isAtLineEnd && previous != begin_ ? previous : cursor_;
}

} // namespace ge::text
