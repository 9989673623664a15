//===- PassManager.h - runs a pipeline --------------------------------------------------------===//
//
// Each execution of a pass is a transaction: what fails leaves the graph as it was before that
// pass. In an EditScope with the pass's name, so that origins and dead handles name it. With write
// access to all graphs of the run from its start to its end, taken also in serialized contexts:
// other threads get Error(Busy).
//
#ifndef GE_PASSES_PASSMANAGER_H
#define GE_PASSES_PASSMANAGER_H

#include "ge/Passes/PassReport.h"
#include "ge/Passes/Pipeline.h"
#include "ge/Passes/RewriteObserver.h"
#include "ge/Text/Text.h"

namespace ge {

/// What happens beside the passes.
struct PassInstrumentation {
  bool verify = true;        ///< after each pass that changed something
  bool skipFailures = false; ///< go on with the next pass
  int64_t bisectLimit = -1;  ///< further executions of passes are skipped; -1: none
  int64_t rewriteLimit = -1; ///< further rewrites are not done; -1: none
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
  /// After a pass that changed something and left a right graph: what it throws fails the pass,
  /// which is undone.
  std::function<void(const PassRecord &)> accept;
  /// At each rewrite, with its number in the run. What it throws fails the pass.
  std::function<void(const PassRecord &, const Rewrite &, uint64_t number)> rewriting;
  /// When the run has access to its graphs, and before it gives that back. Must not throw.
  std::function<void()> entered;
  std::function<void()> leaving;
};

/// A pipeline. Threads may run one manager on different graphs at the same time, as long as nobody
/// adds to it.
class PassManager {
public:
  PassManager() = default;
  static PassManager parse(std::string_view text,
                           const PassRegistry &registry = PassRegistry::global());
  /// At the end: what a text says.
  void add(std::string_view text, const PassRegistry &registry = PassRegistry::global());
  /// At the end: a pass that is in no registry. One object for all runs.
  void add(std::shared_ptr<Pass> pass);
  std::string str() const;
  const std::vector<PipelineElement> &elements() const { return elements_; }

  /// Throws Error(Pass) for a pass that failed, with what it said as diagnostics; `report` has what
  /// was done until then. Error(Busy) when somebody is at work on a graph. Other errors are those
  /// of hooks, and of writing files.
  void run(Module &module, const PassInstrumentation &options, PassReport &report) const;
  void run(Graph &graph, const PassInstrumentation &options, PassReport &report) const;

private:
  std::vector<PipelineElement> elements_;
};

} // namespace ge

#endif // GE_PASSES_PASSMANAGER_H
