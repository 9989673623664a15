//===- ProgramOrder.h - in which order the nodes of a graph run, and which of them together -----===//
#ifndef GE_LIB_CAPI_PROGRAMORDER_H
#define GE_LIB_CAPI_PROGRAMORDER_H

#include "ge/IR/Graph.h"
#include "ge/IR/Tensor.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace ge::capi {

/// What the bodies of nodes take from around, found once for each body.
using Captured = std::unordered_map<const Node *, std::vector<const Value *>>;

/// Values that a node needs: its operands, and what its bodies take from around.
void addNeeded(const Node *node, Captured &captured, std::vector<const Value *> &needed);

/// The tensor of a constant or a variable; null: the node computes, or is an input.
TensorPtr contentsOf(const Value *value);

/// The nodes that outputs depend on, in an order in which they can run.
std::vector<const Node *> orderOf(const Graph &graph, Captured &captured);

/// What runs at once.
struct NodeGroup {
  bool isRegion = false; ///< else it is one node
  std::vector<const Node *> nodes;
  std::vector<const Value *> results; ///< of a region: those that others use
};

/// The nodes of `order`, grouped: neighbours that may be in a region are one, as many as there can
/// be without a path that leaves the region and comes back. Constants belong to no group.
/// O(nodes + edges).
std::vector<NodeGroup> groupsOf(const Graph &graph, const std::vector<const Node *> &order,
                                Captured &captured,
                                const std::function<bool(const Node *)> &mayBeInRegion);

} // namespace ge::capi

#endif // GE_LIB_CAPI_PROGRAMORDER_H
