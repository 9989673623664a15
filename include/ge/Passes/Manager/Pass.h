//===- Pass.h - one step of a pipeline --------------------------------------------------------===//
#ifndef GE_PASSES_MANAGER_PASS_H
#define GE_PASSES_MANAGER_PASS_H

#include "ge/IR/Graph.h"
#include "ge/Support/DiagnosticLimit.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

class Module;

using PassStatistics = std::map<std::string, uint64_t, std::less<>>;

/// The context of one execution of a pass: what it gets besides the graph.
class PassContext {
public:
  explicit PassContext(std::string passName = {});
  ~PassContext();
  /// Of the innermost execution on this thread; null: no pass runs.
  static PassContext *ofThread();
  PassContext(const PassContext &) = delete;
  PassContext &operator=(const PassContext &) = delete;

  const std::string &passName() const { return passName_; }

  /// Adds to a number that the manager shows: count("folded"). Names are the pass's own.
  void count(std::string_view statistic, uint64_t n = 1);
  const PassStatistics &statistics() const { return statistics_; }

  /// Adds a remark: something that a person should know and that is not a failure, such as what was
  /// left unchanged, and why. Remarks beyond DiagnosticLimit::kMost are only counted.
  void remark(Diagnostic diagnostic);
  /// The same as a warning, unless it was reported before.
  void remarkOnce(std::string message);
  const std::vector<Diagnostic> &remarks() const { return remarks_; }
  /// At the end, with the number of those that are not listed.
  std::vector<Diagnostic> takeRemarks();

  /// A text of this execution in the trace of the run, in place of one of that name.
  void trace(std::string_view name, std::string_view text);
  const std::map<std::string, std::string, std::less<>> &traced() const { return traced_; }
  /// Whether a trace is wanted; otherwise costly information need not be computed.
  void setTraced(bool wanted) { isTraced_ = wanted; }
  bool isTraced() const { return isTraced_; }

  /// Erases a graph of the module when the pass has succeeded: until then it is in a transaction,
  /// where graphs cannot be erased.
  void eraseLater(Graph *graph) { doomed_.push_back(graph); }
  const std::vector<Graph *> &doomed() const { return doomed_; }

  /// The following failure ends the pipeline, even if the run continues after failures.
  void setFatal() { fatal_ = true; }
  bool isFatal() const { return fatal_; }

private:
  PassContext *outer_;
  std::string passName_;
  PassStatistics statistics_;
  std::vector<Diagnostic> remarks_;
  DiagnosticLimit limit_; ///< of remarks
  std::vector<Graph *> doomed_;
  std::map<std::string, std::string, std::less<>> traced_;
  bool fatal_ = false, isTraced_ = false;
};

/// Written in C++; those of C and Python are adapters. One object runs on the graphs of an
/// execution one after the other; the next execution has another object, unless PassInfo::isReused.
class Pass {
public:
  virtual ~Pass() = default;
  /// As in pipelines: "constant-fold".
  virtual std::string_view name() const = 0;
  /// Works on `graph` and all graphs inside it, through Mutation only, with write access to its
  /// root: a root graph, or a body if the pipeline has onnx.If(...). Transaction::hasEdits tells
  /// whether something changed, so a pass without work must not edit. May throw; the manager then
  /// rolls back its edits.
  virtual void run(Graph &graph, PassContext &context) = 0;
  /// Runs on a module; a pass that handles one graph at a time need not override it. Graphs that it
  /// adds are removed if it fails. It cannot erase graphs, which have open transactions.
  virtual void run(Module &module, PassContext &context);
};

} // namespace ge

#endif // GE_PASSES_MANAGER_PASS_H
