//===- Diagnostics.cpp ----------------------------------------------------------------------------===//
#include "Diagnostics.h"

#include "../Print.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

namespace geopt {

static std::string str(GeStringRef text) { return {text.data ? text.data : "", text.length}; }

static std::string_view lineOf(std::string_view text, uint32_t line) {
  for (; line > 1; --line) {
    size_t stop = text.find('\n');
    if (stop == std::string_view::npos)
      return {};
    text.remove_prefix(stop + 1);
  }
  return text.substr(0, text.find('\n'));
}

Diagnostic copy(const GeDiagnostic &from, const Piece &piece, const std::string &file) {
  Diagnostic to{from.severity,     str(from.file),       from.line, from.column,
                str(from.message), str(from.sourceLine), {}};
  if (to.file == file && to.line) {
    if (to.sourceLine.empty())
      to.sourceLine = lineOf(piece.text, to.line);
    to.line += piece.firstLine;
  }
  for (size_t i = 0; i < from.numNotes; ++i) {
    GeDiagnostic note;
    if (geDiagnosticNote(&from, i, &note) == GE_OK)
      to.notes.push_back(copy(note, piece, file));
  }
  return to;
}

std::vector<Diagnostic> lastDiagnostics(const Piece &piece, const std::string &file) {
  std::vector<Diagnostic> all;
  for (size_t i = 0, n = geErrorNumDiagnostics(); i < n; ++i) {
    GeDiagnostic diagnostic;
    if (geErrorDiagnostic(i, &diagnostic) == GE_OK)
      all.push_back(copy(diagnostic, piece, file));
  }
  if (all.empty())
    all.push_back({GE_SEVERITY_ERROR, file, 0, 0, str(geErrorMessage()), {}, {}});
  return all;
}

static const char *nameOf(GeSeverity severity) {
  static constexpr const char *kNames[] = {"error", "warning", "remark", "note"};
  return kNames[severity];
}

void show(const Diagnostic &diagnostic) {
  std::string text;
  if (!diagnostic.file.empty())
    text += diagnostic.file + ":";
  if (diagnostic.line)
    text += std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column) + ":";
  if (!text.empty())
    text += ' ';
  text += nameOf(diagnostic.severity);
  text += ": " + diagnostic.message + "\n";
  if (!diagnostic.sourceLine.empty()) {
    text += diagnostic.sourceLine + "\n";
    // Puts the caret under its character: tabs are kept, and continuation bytes of a character have
    // no width.
    for (size_t i = 0; i + 1 < diagnostic.column && i < diagnostic.sourceLine.size(); ++i) {
      char c = diagnostic.sourceLine[i];
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
        text += c == '\t' ? '\t' : ' ';
    }
    text += "^\n";
  }
  getools::print(stderr, text);
  for (const Diagnostic &note : diagnostic.notes)
    show(note);
}

// --- Expectations --------------------------------------------------------------------------------

namespace {
struct Expected {
  GeSeverity severity;
  uint32_t line; ///< in the file; 0: of no line
  std::string_view message;
  uint32_t commentLine;
  bool isFound = false;
};

class Expectations {
public:
  Expectations(const Piece &piece, const std::string &file) : file_(file) {
    uint32_t line = piece.firstLine;
    std::string_view text = piece.text;
    while (!text.empty()) {
      std::string_view current = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(current.size() + 1, text.size()));
      ++line;
      readLine(current, line);
    }
    for (size_t i : below_)
      expected_[i].line = line + 1; // nothing stands there
  }

  bool compare(const std::vector<Diagnostic> &diagnostics) {
    for (const Diagnostic &diagnostic : diagnostics)
      match(diagnostic);
    for (const Expected &expected : expected_)
      if (!expected.isFound)
        wrong(expected.commentLine, std::string("expected ") + nameOf(expected.severity) + " \"" +
                                        std::string(expected.message) + "\" was not reported");
    return ok_;
  }

private:
  void readLine(std::string_view text, uint32_t line) {
    size_t first = expected_.size();
    for (size_t at = text.find("expected-"); at != std::string_view::npos;
         at = text.find("expected-", at + 1)) {
      // Only in a comment.
      if (text.substr(0, at).find("//") != std::string_view::npos)
        readOne(text.substr(at + 9), line);
    }
    if (expected_.size() != first)
      return;
    // A line without expectations: the target of `@below` before it and of `@above` after it.
    for (size_t i : below_)
      expected_[i].line = line;
    below_.clear();
    lastPlain_ = line;
  }

  void readOne(std::string_view text, uint32_t line) {
    static constexpr GeSeverity kSeverities[] = {GE_SEVERITY_ERROR, GE_SEVERITY_WARNING,
                                                 GE_SEVERITY_REMARK, GE_SEVERITY_NOTE};
    const GeSeverity *severity =
        std::find_if(std::begin(kSeverities), std::end(kSeverities),
                     [&](GeSeverity s) { return text.starts_with(nameOf(s)); });
    if (severity == std::end(kSeverities))
      return;
    text.remove_prefix(std::string_view(nameOf(*severity)).size());
    Expected expected{*severity, line, {}, line};
    bool isBelow = false;
    if (text.starts_with('@')) {
      text.remove_prefix(1);
      std::string_view place = text.substr(0, text.find_first_of(" {"));
      text.remove_prefix(place.size());
      int offset = 0;
      if (place == "above") {
        expected.line = lastPlain_;
      } else if (place == "below") {
        isBelow = true;
      } else if (place == "unknown") {
        expected.line = 0;
      } else {
        const char *end = place.data() + place.size();
        const char *digits = place.data() + place.starts_with('+');
        auto result = std::from_chars(digits, end, offset);
        if (result.ec != std::errc() || result.ptr != end)
          return wrong(line, "expected @+N, @-N, @above, @below or @unknown");
        expected.line = uint32_t(int64_t(line) + offset);
      }
    }
    size_t open = text.find("{{"), close = text.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos)
      return wrong(line, "expected {{part of the message}}");
    expected.message = text.substr(open + 2, close - open - 2);
    if (isBelow)
      below_.push_back(expected_.size());
    expected_.push_back(expected);
  }

  void match(const Diagnostic &diagnostic) {
    uint32_t line = diagnostic.file == file_ ? diagnostic.line : 0;
    auto found = std::find_if(expected_.begin(), expected_.end(), [&](const Expected &expected) {
      return !expected.isFound && expected.severity == diagnostic.severity &&
             expected.line == line &&
             diagnostic.message.find(expected.message) != std::string::npos;
    });
    if (found == expected_.end()) {
      ok_ = false;
      Diagnostic shown = diagnostic;
      shown.message =
          "unexpected " + std::string(nameOf(diagnostic.severity)) + ": " + diagnostic.message;
      shown.severity = GE_SEVERITY_ERROR;
      shown.notes.clear();
      show(shown);
    } else {
      found->isFound = true;
    }
    for (const Diagnostic &note : diagnostic.notes)
      match(note);
  }

  void wrong(uint32_t line, std::string message) {
    ok_ = false;
    show({GE_SEVERITY_ERROR, file_, line, 1, std::move(message), {}, {}});
  }

  const std::string &file_;
  std::vector<Expected> expected_;
  std::vector<size_t> below_; ///< those that wait for their line
  uint32_t lastPlain_ = 0;
  bool ok_ = true;
};
} // namespace

bool asExpected(const Piece &piece, const std::string &file,
                const std::vector<Diagnostic> &diagnostics) {
  return Expectations(piece, file).compare(diagnostics);
}

} // namespace geopt
