//===- PassManager.h - runs a pipeline --------------------------------------------------------===//
//
// Each execution of a pass is a transaction: a failure leaves the graph as it was before that pass.
// It runs in an EditScope with the pass's name, so that origins and dead handles name the pass. A
// run has write access to all its graphs from start to end, acquired also in serialized contexts:
// other threads get Error(Busy).
//
#ifndef GE_PASSES_MANAGER_PASSMANAGER_H
#define GE_PASSES_MANAGER_PASSMANAGER_H

#include "ge/Passes/Manager/PassReport.h"
#include "ge/Passes/Manager/Pipeline.h"
#include "ge/Passes/Manager/RewriteObserver.h"
#include "ge/Passes/Manager/RunOptions.h"
#include "ge/Text/Text.h"

namespace ge {

/// What happens beside the passes.
struct PassInstrumentation {
  RunOptions options; ///< what passes ask RunOptionsScope::ofThread() for
  /// After each pass that changed something, its edits are verified, and an error fails the pass.
  /// At the end the whole graph is verified; errors found there are no pass's fault, and become
  /// remarks of the run.
  bool verify = true;
  bool trace = false;                ///< passes tell the trace what costs to find out
  bool verifyWhole = false;          ///< the whole graph after each of these passes
  bool acceptContradictions = false; ///< declared types may contradict inferred ones
  bool skipFailures = false;         ///< go on with the next pass
  int64_t bisectLimit = -1;          ///< further executions of passes are skipped; -1: none
  int64_t rewriteLimit = -1;         ///< further rewrites are not done; -1: none
  bool printBefore = false;
  bool printAfter = false;
  bool printChanged = false; ///< after passes that changed something
  bool printFailed = false;  ///< what the pass left behind, before it is undone
  PrintOptions print;
  /// Where printing goes; one call for each text.
  std::function<void(std::string_view)> sink;
  /// A directory for one file for each text instead: 000_input.mlir, 001_dce.mlir, ... Made when it
  /// is not there. When nothing is to be printed it gets the text after each pass.
  std::string treeDirectory;
  /// Before each pass a text is written here that ge-opt --run-reproducer runs, and removed when
  /// all went well: also a crash leaves it. O(size) for each pass.
  std::string reproducer;
  /// Before a pass: false skips it. What a hook throws ends the run.
  std::function<bool(const PassRecord &)> before;
  /// After it, also when it failed.
  std::function<void(const PassRecord &)> after;
  /// After a pass that changed something and left a valid graph: an exception fails the pass, which
  /// is undone. which is undone.
  std::function<void(const PassRecord &)> accept;
  /// At each rewrite, with its number in the run. What it throws fails the pass.
  std::function<void(const PassRecord &, const Rewrite &, uint64_t number)> rewriting;
  /// Called when the run has acquired its graphs, and before it releases them. Must not throw.
  std::function<void()> entered;
  std::function<void()> leaving;
};

/// A pipeline. Threads may run one manager on different graphs at the same time, as long as no
/// pass is added.
class PassManager {
public:
  PassManager() = default;
  static PassManager parse(std::string_view text,
                           const PassRegistry &registry = PassRegistry::global());
  /// At the end: the passes of a stage, as passesOfStage() gives them. What is wrong with the
  /// switch file becomes a remark of each run.
  void addStage(std::string_view stage, const RunOptions &options,
                const PassRegistry &registry = PassRegistry::global());
  /// At the end: what a text says.
  void add(std::string_view text, const PassRegistry &registry = PassRegistry::global());
  /// At the end: a pass that is in no registry. One object for all runs.
  void add(std::shared_ptr<Pass> pass);
  /// As ge::setOption (Pipeline.h).
  void setOption(std::string_view name, std::string_view value);
  std::string str() const;
  const std::vector<PipelineElement> &elements() const { return elements_; }

  /// Throws Error(Pass) for a pass that failed, with what it said as diagnostics; `report` has what
  /// was done until then. Error(Busy) when another thread uses a graph. Other errors are those
  /// of hooks, and of writing files.
  void run(Module &module, const PassInstrumentation &options, PassReport &report) const;
  void run(Graph &graph, const PassInstrumentation &options, PassReport &report) const;

private:
  std::vector<PipelineElement> elements_;
  std::vector<Diagnostic> remarks_;
};

} // namespace ge

#endif // GE_PASSES_MANAGER_PASSMANAGER_H
