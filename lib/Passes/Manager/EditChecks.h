//===- EditChecks.h - whether edits left graphs wrong -----------------------------------------===//
#ifndef GE_LIB_PASSES_MANAGER_EDITCHECKS_H
#define GE_LIB_PASSES_MANAGER_EDITCHECKS_H

#include "PassOutput.h"

#include "ge/IR/VerifyEdits.h"

namespace ge {

std::vector<Graph *> graphsOf(const PassTarget &target);

/// What is known of graphs from one check to the next, as long as nothing else edits them.
class KnownGraphs {
public:
  enum class State : uint8_t {
    Unknown,
    InOrder, ///< in list order
    Sound,   ///< and verify() finds nothing in them
  };
  /// That of before, if the graphs are as they were left.
  State state(std::span<Graph *const> graphs) const {
    return changesOf(graphs) == changes_ ? state_ : State::Unknown;
  }
  void set(State state, std::span<Graph *const> graphs) {
    state_ = state;
    changes_ = changesOf(graphs);
  }

private:
  static uint64_t changesOf(std::span<Graph *const> graphs);
  State state_ = State::Unknown;
  uint64_t changes_ = 0; ///< of all graphs until then
};

/// Checks what was edited since it was made, in graphs that are in transactions: for passes in a
/// manager, and for rules outside of one. What was wrong before is no fault of the edits.
class EditChecks {
public:
  explicit EditChecks(const PassTarget &target);

  /// Throws Error(Verify) when the graphs are no longer as verify() wants them. Returns what is
  /// known of them now; `before`: what was known before the edits. O(edits) when they were known to
  /// be in order and nothing is wrong, else O(nodes). `whole`: everything counts, also what was
  /// wrong before.
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
