//===- Error.cpp ------------------------------------------------------------------------------===//
#include "ge/Support/Error.h"

#include <algorithm>

namespace ge {

static std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "error";
}

/// Blanks as wide as the text before byte column `column`: tabs are kept and a multi-byte character
/// is one blank, so that the caret is under its character.
static void appendCaret(std::string &out, std::string_view line, uint32_t column) {
  for (size_t i = 0; i + 1 < column; ++i) {
    if (i >= line.size()) // the column after the last character marks something missing
      break;
    unsigned char c = static_cast<unsigned char>(line[i]);
    if ((c & 0xC0) != 0x80)
      out.push_back(c == '\t' ? '\t' : ' ');
  }
  out.push_back('^');
}

static void renderInto(std::string &out, const Diagnostic &diagnostic) {
  if (!diagnostic.file.empty())
    out.append(diagnostic.file).push_back(':');
  if (diagnostic.line) {
    appendPart(out, diagnostic.line);
    out.push_back(':');
    if (diagnostic.column) {
      appendPart(out, diagnostic.column);
      out.push_back(':');
    }
  }
  if (!out.empty() && out.back() == ':')
    out.push_back(' ');
  out.append(severityName(diagnostic.severity)).append(": ").append(diagnostic.message);
  if (!diagnostic.sourceLine.empty()) {
    out.append("\n").append(diagnostic.sourceLine);
    if (diagnostic.column) {
      out.push_back('\n');
      appendCaret(out, diagnostic.sourceLine, diagnostic.column);
    }
  }
  for (const Diagnostic &note : diagnostic.notes) {
    out.push_back('\n');
    renderInto(out, note);
  }
}

std::string Diagnostic::render() const {
  std::string out;
  renderInto(out, *this);
  return out;
}

/// Limit of diagnostics in one text.
static constexpr size_t kMaxRendered = 20;

Error::Error(ErrorKind kind, std::vector<Diagnostic> diagnostics)
    : kind_(kind), diagnostics_(std::move(diagnostics)) {
  for (size_t i = 0; i != std::min(diagnostics_.size(), kMaxRendered); ++i) {
    if (!message_.empty())
      message_.push_back('\n');
    message_ += diagnostics_[i].render();
  }
  if (diagnostics_.size() > kMaxRendered)
    message_ += cat("\nand ", diagnostics_.size() - kMaxRendered, " more");
}

} // namespace ge
