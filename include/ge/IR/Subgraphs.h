//===- Subgraphs.h - graphs copied and moved into graphs of another root ----------------------===//

#ifndef GE_IR_SUBGRAPHS_H
#define GE_IR_SUBGRAPHS_H

#include "ge/IR/Mutation.h"

#include <unordered_map>
#include <vector>

namespace ge {

/// Throws as Mutation::addSubgraph would for a new node of `place`, or (null) a detached one of
/// `root`; `from` null: for an empty subgraph.
void checkSubgraph(Root &root, const Graph *place, std::string_view slot, Root *from);

/// Values of one graph, and what stands for them in another; null: an absent operand.
using ValueMap = std::unordered_map<const Value *, Value *>;
/// Names the slot of a subgraph that has no slot name; an empty result leaves it unnamed.
using SlotNamer = std::string_view (*)(const Node *node, size_t index);
/// Copies the subgraphs of a node into a node of another root; `outside` maps the values that they
/// capture, Error(Value) for a missing one. A name that clashes gets `_1`. `slots` (may be null)
/// names subgraphs without a slot, also inside. O(size).
void cloneSubgraphs(const Node *from, Node *to, const ValueMap &outside, SlotNamer slots = nullptr);

struct Copied {
  std::vector<Node *> nodes;
  std::vector<Value *> outputs; ///< null for an absent one
};
/// Copies the nodes of a root graph, in a topological order, before a node of another root (null:
/// at the end of `to`). `inputs` stand for its inputs, all of them. `prefix` goes before the names
/// of nodes, but for those inside them; results are not named. O(size).
Copied cloneNodes(const Graph *from, Graph *to, Node *before, std::span<Value *const> inputs,
                  std::string_view prefix);

} // namespace ge

#endif // GE_IR_SUBGRAPHS_H
