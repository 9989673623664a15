//===- PassReport.h - what a run of a pipeline did --------------------------------------------===//
#ifndef GE_PASSES_MANAGER_PASSREPORT_H
#define GE_PASSES_MANAGER_PASSREPORT_H

#include "ge/Passes/Manager/Pass.h"

#include <string>
#include <vector>

namespace ge {

/// One execution of one pass, in the order of their starts.
struct PassRecord {
  enum class Outcome : uint8_t {
    Unchanged,
    Changed,
    Skipped, ///< by the bisect limit or a hook
    Failed,  ///< and rolled back
  };
  /// What made it fail.
  enum class Failure : uint8_t {
    None,
    Raised,        ///< an error of the pass
    InvalidGraph,  ///< it left a graph that the verifier refuses
    Contradiction, ///< it left types that contradict each other
    Refused,       ///< by PassInstrumentation::accept
  };
  std::string pass;
  std::string where; ///< what it is nested in, as "fixpoint#2/onnx.If"; mostly empty
  Outcome outcome = Outcome::Unchanged;
  Failure failure = Failure::None;
  double start = 0; ///< seconds since the start of the run
  double seconds = 0;
  uint64_t rewrites = 0; ///< by rules, and by passes that say so
  PassStatistics statistics;
  std::vector<Diagnostic> remarks;
  std::map<std::string, std::string, std::less<>> traced; ///< what only the trace shows
  Diagnostic error;                                       ///< of a failure
};

struct PassReport {
  std::vector<PassRecord> records;
  std::vector<Diagnostic> remarks; ///< of the run: switch file not read, graph wrong before
  double seconds = 0;
  bool changed = false;

  /// Tables for human readers. O(records).
  std::string timing() const;
  std::string statistics() const;
  /// Chrome's trace event format, which Perfetto shows.
  std::string trace() const;
};

} // namespace ge

#endif // GE_PASSES_MANAGER_PASSREPORT_H
