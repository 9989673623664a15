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

/// What a pass gets beside the graph: for one execution of one pass.
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

  /// Something a person should know and no failure: what was left alone, and why. Those beyond
  /// DiagnosticLimit::kMost are counted only.
  void remark(Diagnostic diagnostic);
  /// The same as a warning, unless it was said.
  void remarkOnce(std::string message);
  const std::vector<Diagnostic> &remarks() const { return remarks_; }
  /// At the end, with the number of those that are not listed.
  std::vector<Diagnostic> takeRemarks();

  /// A text of this execution in the trace of the run, in place of one of that name.
  void trace(std::string_view name, std::string_view text);
  const std::map<std::string, std::string, std::less<>> &traced() const { return traced_; }
  /// Whether a trace is wanted: else what costs need not be found out.
  void setTraced(bool wanted) { isTraced_ = wanted; }
  bool isTraced() const { return isTraced_; }

  /// Erases a graph of the module when the pass has succeeded: until then it is in a transaction,
  /// where graphs cannot be erased.
  void eraseLater(Graph *graph) { doomed_.push_back(graph); }
  const std::vector<Graph *> &doomed() const { return doomed_; }

  /// The failure that follows ends the pipeline, also one that goes on after failures.
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
  /// Works on `graph` and all graphs inside it, through Mutation alone, with write access to its
  /// root: a root graph, or a body when the pipeline says onnx.If(...). Whether something changed
  /// is told by Transaction::hasEdits: a pass that has nothing to do edits nothing. May throw; the
  /// manager rolls back what it did.
  virtual void run(Graph &graph, PassContext &context) = 0;
  /// Over a module; what looks at one graph at a time need not say more. Graphs that it adds go
  /// away again when it fails. It cannot erase one: they are in transactions.
  virtual void run(Module &module, PassContext &context);
};

} // namespace ge

#endif // GE_PASSES_MANAGER_PASS_H
