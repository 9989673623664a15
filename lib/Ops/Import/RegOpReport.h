//===- RegOpReport.h - diagnostics of REG_OP text ----------------------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPREPORT_H
#define GE_LIB_OPS_IMPORT_REGOPREPORT_H

#include "RegOpCursor.h"

#include "ge/Ops/Import/RegOp.h"

#include <string>
#include <string_view>
#include <vector>

namespace ge::regop {

/// The diagnostics of one text, with their lines and columns.
class RegOpReport {
public:
  RegOpReport(std::string_view text, const SchemaSource &source, std::vector<Diagnostic> &out)
      : text_(text), source_(source), out_(out), line_(source.line) {}

  /// The line of an offset. Offsets must not fall, so that each byte is read once.
  uint32_t locate(size_t offset);
  /// Starts the diagnostics of a prototype, which name `op`. The warnings of one that failed are
  /// dropped.
  void begin(std::string_view op);
  /// Reports that the prototype cannot be read. False if no more are reported: reading ends.
  bool error(const Fault &fault);
  /// A C++ compiler ignores the types of an operand, because INPUT drops them. Headers therefore
  /// have misspelled ones, which are warnings: the operator is still read.
  void warn(size_t offset, std::string message);
  /// Ends the diagnostics of a prototype that was read: reports its warnings by offset.
  void finish();
  /// Text after a missing `*/` or quote is no longer C++. It is skipped, and that is an error.
  /// Branches of conditionals that are never compiled are remarks.
  void addUnread(const std::vector<Unterminated> &unterminated,
                 const std::vector<LeftOut> &leftOut);

private:
  void add(const Fault &fault, Severity severity);
  void addLast(std::string message, Severity severity);

  std::string_view text_;
  const SchemaSource &source_;
  std::vector<Diagnostic> &out_;
  std::string op_; ///< of the current prototype
  std::vector<Fault> warnings_;
  size_t lineBegin_ = 0, located_ = 0;
  size_t numErrors_ = 0, numWarnings_ = 0;
  uint32_t line_;
};

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPREPORT_H
