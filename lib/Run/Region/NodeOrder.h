//===- ProgramOrder.h - in which order the nodes of a graph run, and which of them together -----===//
#ifndef GE_LIB_RUN_REGION_NODEORDER_H
#define GE_LIB_RUN_REGION_NODEORDER_H

#include "ge/IR/Graph.h"
#include "ge/IR/Tensor.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace ge {

/// The values that bodies of nodes capture, computed once for each body.
using Captured = std::unordered_map<const Node *, std::vector<const Value *>>;

/// Adds the values that a node needs: its operands, and the captures of its bodies.
void addNeeded(const Node *node, Captured &captured, std::vector<const Value *> &needed);

/// The tensor of a constant or a variable; null if the node computes, or is an input.
TensorPtr contentsOf(const Value *value);

/// The nodes that outputs depend on, in an order in which they can run.
std::vector<const Node *> orderOf(const Graph &graph, Captured &captured);

/// Nodes that run together.
struct NodeGroup {
  bool isRegion = false; ///< false: a single node
  std::vector<const Node *> nodes;
  std::vector<const Value *> results; ///< of a region: values with users outside
};

/// Groups the nodes of `order`: neighbours that may be in a region form convex regions that are as
/// large as possible (no path leaves a region and enters it again). Constants belong to no group.
/// O(nodes + edges).
std::vector<NodeGroup> groupsOf(const Graph &graph, const std::vector<const Node *> &order,
                                Captured &captured,
                                const std::function<bool(const Node *)> &mayBeInRegion);

} // namespace ge

#endif // GE_LIB_RUN_REGION_NODEORDER_H
