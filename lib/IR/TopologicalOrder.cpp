//===- TopologicalOrder.cpp - stable order by dependences, cycles as paths --------------------===//

#include "Dependences.h"
#include "OrderLabels.h"

#include "ge/IR/Graph.h"
#include "ge/IR/Root.h"
#include "ge/Support/Interrupt.h"

#include <unordered_map>

namespace ge {

namespace {

/// The producers in `graph` of the operands of `node`, where `node` is `owner`, a node of `graph`,
/// or is nested in it. Values defined inside `owner` are not sources.
void forEachSource(const Node *node, const Node *owner, const std::function<void(Node *)> &visit) {
  const Graph *graph = owner->graph();
  auto source = [&](Node *producer) {
    Node *at = producer;
    while (at && at->graph() != graph)
      at = at->graph() ? at->graph()->parentNode() : nullptr;
    if (!at || !at->isListed() || (at == owner && producer != owner && node != owner))
      return;
    visit(at);
  };
  for (uint32_t i = 0, n = node->numOperands(); i < n; ++i)
    if (Value *value = node->operand(i))
      source(value->node());
  if (!node->extra())
    return;
  for (Node *input : node->controlInputs())
    source(input);
  for (const Graph *inner : node->subgraphs()) {
    for (const Node *n = inner->front(); n; n = n->next())
      forEachSource(n, owner, visit);
    forEachSource(inner->output(), owner, visit);
  }
}

/// Depth-first with an explicit stack: graphs are deeper than the call stack.
class Sorter {
public:
  Sorter(const Graph *graph, std::vector<Node *> &order) : graph_(graph), order_(order) {}

  bool run(std::vector<Node *> *cycle) {
    state_.reserve(graph_->numNodes());
    for (Node *start = graph_->front(); start; start = start->next())
      if (!visit(start, cycle))
        return false;
    return true;
  }

private:
  enum State : uint8_t { New, Open, Done };
  struct Frame {
    Node *node;
    std::vector<Node *> sources;
    size_t next = 0;
  };

  void open(Node *node) {
    state_[node] = Open;
    Frame frame{node, {}};
    forEachDependence(node, [&](Node *source) { frame.sources.push_back(source); });
    stack_.push_back(std::move(frame));
  }

  bool visit(Node *start, std::vector<Node *> *cycle) {
    if (state_[start] != New)
      return true;
    open(start);
    while (!stack_.empty()) {
      interrupt_.poll();
      Frame &top = stack_.back();
      if (top.next == top.sources.size()) {
        state_[top.node] = Done;
        order_.push_back(top.node);
        stack_.pop_back();
        continue;
      }
      Node *source = top.sources[top.next++];
      State &state = state_[source];
      if (state == New) {
        open(source);
      } else if (state == Open) {
        if (cycle)
          report(source, *cycle);
        return false;
      }
    }
    return true;
  }

  /// From producers to users: the top of the stack takes what `closing` makes, and so on down.
  void report(Node *closing, std::vector<Node *> &cycle) const {
    cycle.push_back(closing);
    for (auto it = stack_.rbegin(); it != stack_.rend(); ++it) {
      cycle.push_back(it->node);
      if (it->node == closing)
        break;
    }
  }

  Interrupt interrupt_;
  const Graph *graph_;
  std::vector<Node *> &order_;
  std::unordered_map<const Node *, State> state_;
  std::vector<Frame> stack_;
};

} // namespace

void forEachDependence(const Node *node, const std::function<void(Node *)> &visit) {
  forEachSource(node, node, visit);
}

bool isSorted(const Graph *graph) {
  Interrupt interrupt;
  for (const Node *node = graph->front(); node; node = node->next()) {
    interrupt.poll();
    bool ok = true;
    uint64_t mine = OrderLabels::label(node);
    if (!node->extra()) { // most nodes; avoids a call for each operand
      for (uint32_t i = 0, n = node->numOperands(); i < n; ++i)
        if (const Value *value = node->operand(i))
          if (const Node *source = value->node(); source->isListed() && source->graph() == graph)
            ok &= OrderLabels::label(source) < mine;
    } else {
      forEachDependence(node, [&](Node *source) { ok &= OrderLabels::label(source) < mine; });
    }
    if (!ok)
      return false;
  }
  return true;
}

bool Graph::topologicalOrder(std::vector<Node *> &order, std::vector<Node *> *cycle) const {
  order.clear();
  order.reserve(numNodes_);
  if (isSorted(this)) {
    for (Node *node = first_; node; node = node->next())
      order.push_back(node);
    return true;
  }
  if (Sorter(this, order).run(cycle))
    return true;
  order.clear();
  return false;
}

std::vector<Node *> Graph::sortedNodes() const {
  std::vector<Node *> order, cycle;
  if (!topologicalOrder(order, &cycle))
    throwError(ErrorKind::Verify, describe(), " has a cycle: ", cycleText(cycle));
  return order;
}

std::string Graph::cycleText(std::span<Node *const> cycle) {
  std::string path;
  for (const Node *node : cycle) {
    path += path.empty() ? "" : " -> ";
    node->appendName(path);
  }
  return path;
}

} // namespace ge
