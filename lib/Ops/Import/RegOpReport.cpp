//===- RegOpReport.cpp - diagnostics of REG_OP text --------------------------------------------===//
#include "RegOpReport.h"

#include "../Schema/SchemaScanner.h"

#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge::regop {
namespace {

/// The number of prototypes in text that was skipped.
size_t countPrototypes(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find("REG_OP", at)) != text.npos; at += 6) {
    bool isWord = (at == 0 || !schema::isWordPart(text[at - 1])) &&
                  (at + 6 == text.size() || !schema::isWordPart(text[at + 6]));
    count += isWord;
  }
  return count;
}

} // namespace

uint32_t RegOpReport::locate(size_t offset) {
  std::string_view before = text_.substr(0, offset);
  for (size_t at = located_; (at = before.find('\n', at)) != before.npos; ++line_)
    lineBegin_ = ++at;
  located_ = offset;
  return line_;
}

void RegOpReport::begin(std::string_view op) {
  op_ = op;
  warnings_.clear();
}

bool RegOpReport::error(const Fault &fault) {
  add(fault, Severity::Error);
  op_.clear();
  if (++numErrors_ + 1 < kMaxRegOpDiagnostics)
    return true;
  addLast("too many errors; the rest of the text was not read", Severity::Error);
  return false;
}

void RegOpReport::warn(size_t offset, std::string message) {
  if (numWarnings_ + warnings_.size() < kMaxRegOpDiagnostics)
    warnings_.emplace_back(offset, std::move(message));
}

void RegOpReport::finish() {
  std::ranges::stable_sort(warnings_, {}, &Fault::offset);
  for (const Fault &fault : warnings_)
    add(fault, Severity::Warning);
  numWarnings_ += warnings_.size();
  if (!warnings_.empty() && numWarnings_ == kMaxRegOpDiagnostics)
    addLast("further warnings are not listed", Severity::Warning);
  begin({});
}

void RegOpReport::addUnread(const std::vector<Unterminated> &unterminated,
                            const std::vector<LeftOut> &leftOut) {
  auto countIn = [&](size_t begin, size_t end) {
    return countPrototypes(text_.substr(begin, end - begin));
  };
  std::vector<std::pair<Fault, Severity>> parts;
  for (const Unterminated &part : unterminated)
    parts.emplace_back(
        Fault(part.begin,
              cat("the ", part.what, " is not terminated; ",
                  part.what == std::string_view("string") ? "the rest of the line"
                                                          : "the rest of the text",
                  " was skipped, and REG_OP is ", countIn(part.begin, part.end), " times in it")),
        Severity::Error);
  for (const LeftOut &part : leftOut)
    if (size_t skipped = countIn(part.begin, part.end))
      parts.emplace_back(Fault(part.begin, cat("no compiler reads this branch; it was left out, "
                                               "and REG_OP is ",
                                               skipped, " times in it")),
                         Severity::Remark);
  if (parts.empty())
    return;
  std::ranges::stable_sort(parts, {}, [](const auto &part) { return part.first.offset; });
  if (parts.size() > kMaxRegOpDiagnostics)
    parts.erase(parts.begin() + kMaxRegOpDiagnostics, parts.end());
  op_.clear();
  located_ = lineBegin_ = 0; // their offsets are before those of earlier diagnostics
  line_ = source_.line;
  for (const auto &[fault, severity] : parts)
    add(fault, severity);
  std::ranges::stable_sort(out_, {},
                           [](const Diagnostic &d) { return std::pair(d.line, d.column); });
}

void RegOpReport::add(const Fault &fault, Severity severity) {
  locate(fault.offset);
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.file = source_.file;
  diagnostic.line = line_;
  diagnostic.column = uint32_t(fault.offset - lineBegin_ + 1);
  diagnostic.message = op_.empty() ? fault.message : cat(op_, ": ", fault.message);
  constexpr size_t kLongestMessage = 400; // names may be long
  if (diagnostic.message.size() > kLongestMessage)
    diagnostic.message.replace(kLongestMessage, std::string::npos, "...");
  std::string_view line = text_.substr(lineBegin_, text_.find('\n', lineBegin_) - lineBegin_);
  constexpr size_t kLongestLine = 1000;
  if (line.size() <= kLongestLine && isValidUtf8(line))
    diagnostic.sourceLine = line;
  out_.push_back(std::move(diagnostic));
}

void RegOpReport::addLast(std::string message, Severity severity) {
  Diagnostic last;
  last.severity = severity;
  last.file = source_.file;
  last.line = line_;
  last.message = std::move(message);
  out_.push_back(std::move(last));
}

} // namespace ge::regop
