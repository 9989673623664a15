//===- EditChecks.h - whether edits left graphs wrong -----------------------------------------===//
#ifndef GE_LIB_PASSES_MANAGER_EDITCHECKS_H
#define GE_LIB_PASSES_MANAGER_EDITCHECKS_H

#include "PassOutput.h"

#include "ge/IR/VerifyEdits.h"

namespace ge {

std::vector<Graph *> graphsOf(const PassTarget &target);

/// Calls `visit` with each of them; without memory for a list.
template <typename F> void forEachGraph(const PassTarget &target, const F &visit) {
  if (!target.module)
    return visit(target.graph);
  for (size_t i = 0; i < target.module->numGraphs(); ++i)
    visit(target.module->graph(i));
}

/// What earlier checks found out about graphs; valid as long as nothing else edits them.
class KnownGraphs {
public:
  enum class State : uint8_t {
    Unknown,
    InOrder, ///< in list order
    Sound,   ///< and verify() finds nothing in them
  };
  /// Returns the earlier result if the graphs are unchanged since.
  State state(const PassTarget &target) const {
    return changesOf(target) == changes_ ? state_ : State::Unknown;
  }
  void set(State state, const PassTarget &target) {
    state_ = state;
    changes_ = changesOf(target);
  }

private:
  static uint64_t changesOf(const PassTarget &target);
  State state_ = State::Unknown;
  uint64_t changes_ = 0; ///< of all graphs until then
};

/// Checks the edits since its construction, in graphs with an open transaction: of passes in a
/// manager, and of rules outside of one. Errors that existed before are not attributed to the
/// edits.
class EditChecks {
public:
  explicit EditChecks(const PassTarget &target);

  /// Throws Error(Verify) if the edits left the graphs in a state that verify() rejects. Returns
  /// what is known about them now; `before`: what was known before the edits. O(edits) if they were
  /// known to be in order and nothing is wrong, else O(nodes). `whole`: also reports errors that
  /// existed before.
  KnownGraphs::State checkStructure(bool whole, KnownGraphs::State before) const;
  /// Throws Error(Verify) when nodes do not fit the definitions of their operators. O(edits).
  void checkDefinitions() const;
  /// Throws Error(Verify) when declared types contradict each other. O(edits).
  void checkTypes() const;

private:
  bool looksRight() const;
  PassTarget target_;
  std::vector<Graph *> graphs_; ///< at the beginning
  std::vector<EditMark> marks_; ///< where the edits begin
};

} // namespace ge

#endif // GE_LIB_PASSES_MANAGER_EDITCHECKS_H
