//===- EditChecks.h - whether edits left graphs wrong -----------------------------------------===//
#ifndef GE_LIB_PASSES_MANAGER_EDITCHECKS_H
#define GE_LIB_PASSES_MANAGER_EDITCHECKS_H

#include "PassOutput.h"

#include "ge/IR/VerifyEdits.h"

namespace ge {

std::vector<Graph *> graphsOf(const PassTarget &target);

/// Checks what was edited since it was made, in graphs that are in transactions: for passes in a
/// manager, and for rules outside of one. What was wrong before is no fault of the edits.
class EditChecks {
public:
  explicit EditChecks(const PassTarget &target);

  /// Throws Error(Verify) when the graphs are no longer as verify() wants them. `isInOrder` is kept
  /// from one check of the same graphs to the next: they are known to be in list order. O(edits)
  /// when it is set and nothing is wrong, else O(nodes). `whole`: everything counts, also what was
  /// wrong before.
  void checkStructure(bool whole, bool &isInOrder) const;
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
