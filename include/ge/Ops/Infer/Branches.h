//===- Branches.h - which branch of an If is taken --------------------------------------------===//
#ifndef GE_OPS_INFER_BRANCHES_H
#define GE_OPS_INFER_BRANCHES_H

#include "ge/Ops/Infer/Infer.h"

namespace ge {

/// The slot of the branch that is taken under this condition: "then_branch" or "else_branch";
/// empty: not known.
std::string_view takenBranch(const Contents *condition);

/// Whether a node is in a branch that no run takes, at any depth: the condition of the If is known,
/// and chooses the other one. O(depth), and the nodes that compute the conditions.
bool isInDeadBranch(const Node *node);

} // namespace ge

#endif // GE_OPS_INFER_BRANCHES_H
