//===- Dependences.h - what must come before a node -------------------------------------------===//

#ifndef GE_LIB_IR_DEPENDENCES_H
#define GE_LIB_IR_DEPENDENCES_H

#include <functional>

namespace ge {

class Graph;
class Node;

/// Calls `visit` for each node of `node`'s own graph that must precede it: producers of its
/// operands, control inputs, producers of values that its subgraphs capture. May repeat nodes;
/// visits `node` itself if it uses its own result.
void forEachDependence(const Node *node, const std::function<void(Node *)> &visit);

/// Whether each node follows its dependences in the list; without inner graphs. O(nodes + edges).
bool isSorted(const Graph *graph);

} // namespace ge

#endif // GE_LIB_IR_DEPENDENCES_H
