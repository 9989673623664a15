//===- OpIndex.cpp - nodes by operator --------------------------------------------------------===//

#include "OpIndex.h"

#include "OrderLabels.h"

#include <algorithm>

namespace ge {

OpIndex::OpIndex(const Graph *graph, const Graph *detached) {
  addAll(graph);
  addAll(detached); // which are not listed, but what is inside them is
}

void OpIndex::addAll(const Graph *graph) {
  for (Node *node = graph->front(); node; node = node->next()) {
    inserted(node);
    for (const Graph *inner : node->subgraphs())
      addAll(inner);
  }
}

void OpIndex::inserted(Node *node) {
  if (!node->isListed())
    return;
  std::vector<Node *> &nodes = nodes_[node->opId()];
  if (!position_.emplace(node, uint32_t(nodes.size())).second)
    return;
  nodes.push_back(node);
}

void OpIndex::removed(Node *node, Graph *) {
  auto it = position_.find(node);
  if (it == position_.end())
    return;
  std::vector<Node *> &nodes = nodes_[node->opId()];
  Node *last = nodes.back();
  nodes[it->second] = last;
  nodes.pop_back();
  position_[last] = it->second;
  position_.erase(node);
}

std::vector<Node *> OpIndex::find(const Graph *graph, const OperatorName *op) const {
  std::vector<Node *> found;
  auto it = nodes_.find(op->id());
  if (it == nodes_.end())
    return found;
  for (Node *node : it->second)
    if (node->graph() == graph)
      found.push_back(node);
  std::sort(found.begin(), found.end(), [](const Node *a, const Node *b) {
    return OrderLabels::label(a) < OrderLabels::label(b);
  });
  return found;
}

} // namespace ge
