//===- PrintPlan.cpp --------------------------------------------------------------------------===//
#include "PrintPlan.h"

#include "Scanner.h"

#include <algorithm>

namespace ge::text {

// --- Numbers -------------------------------------------------------------------------------------

void NumberMap::set(uintptr_t key, uint32_t number) {
  if (count_ * 2 >= slots_.size())
    grow();
  ++count_;
  size_t i = home(key);
  while (slots_[i].key)
    i = (i + 1) & mask_;
  slots_[i] = {key, number};
}

void NumberMap::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  count_ = 0;
  for (const Slot &slot : old)
    if (slot.key)
      set(slot.key, slot.number);
}

bool hasShownControl(const Node *node) {
  if (!node->extra())
    return false;
  std::span<Node *const> users = node->controlOutputs();
  return std::any_of(users.begin(), users.end(),
                     [&](const Node *user) { return isShownControl(node, user); });
}

// --- Order and visibility ------------------------------------------------------------------------

PrintPlan::PrintPlan(const Graph *graph) : graph_(graph) {
  if (!graph->isRoot())
    findCaptures(graph);
  order_.reserve(graph->numNodes());
  collect(graph);
  if (!isFunction_)
    listOrder();
  if (sawDuplicate_)
    findRepeated();
  for (const Value *value : captures_)
    numberUnlessNamed(value);
  size_t entry = 0;
  numberGraph(entry);
}

void PrintPlan::scanNode(const Graph *graph, const Node *node, Entry &entry) {
  for (uint32_t i = 0, n = node->numOperands(); i < n; ++i) {
    Value *value = node->operand(i);
    if (!value) {
      entry.usesNone = true;
      continue;
    }
    const Graph *home = value->graph();
    if (home == graph || (home && home->encloses(graph))) [[likely]]
      continue; // seen, or captured by the printed subgraph
    isFunction_ = false;
    if (outside_.insert(value).second)
      unseen_.push_back(value);
  }
  sawDuplicate_ |= node->hasName() && node->nameIsDuplicate();
  for (uint32_t i = 0, n = node->numResults(); i < n; ++i)
    sawDuplicate_ |= node->result(i)->hasName() && node->result(i)->nameIsDuplicate();
}

void PrintPlan::collect(const Graph *graph) {
  size_t index = entries_.size(), first = order_.size();
  std::vector<Node *> order;
  if (!graph->topologicalOrder(order)) {
    isFunction_ = false;
    for (Node *node = graph->front(); node; node = node->next())
      order.push_back(node);
  }
  if (first == 0 && order_.capacity() < order.size())
    order_ = std::move(order);
  else
    order_.insert(order_.end(), order.begin(), order.end());
  entries_.push_back({graph, first, graph->numNodes(), false});
  for (const Node *node : graph->inputNodes()) {
    interrupt_.poll();
    scanNode(graph, node, entries_[index]);
  }
  for (size_t i = 0; i < graph->numNodes(); ++i) {
    interrupt_.poll();
    const Node *node = order_[first + i];
    scanNode(graph, node, entries_[index]);
    if (node->extra())
      for (const Graph *inner : node->subgraphs())
        collect(inner);
  }
  scanNode(graph, graph->output(), entries_[index]);
}

/// A graph without a topological order is printed in list order.
void PrintPlan::listOrder() {
  std::vector<Entry> entries;
  entries.swap(entries_);
  order_.clear();
  std::unordered_map<const Graph *, bool> usesNone;
  for (const Entry &entry : entries)
    usesNone[entry.graph] = entry.usesNone;
  auto list = [&](const Graph *graph, auto &self) -> void {
    entries_.push_back({graph, order_.size(), graph->numNodes(), usesNone[graph]});
    for (Node *node = graph->front(); node; node = node->next())
      order_.push_back(node);
    for (const Node *node = graph->front(); node; node = node->next())
      for (const Graph *inner : node->subgraphs())
        self(inner, self);
  };
  list(graph_, list);
}

/// In the order in which clone() turns them into inputs.
void PrintPlan::findCaptures(const Graph *graph) {
  auto scan = [&](const Node *node) {
    for (uint32_t i = 0, n = node->numOperands(); i < n; ++i) {
      Value *value = node->operand(i);
      const Graph *home = value ? value->graph() : nullptr;
      if (home && !inside(home) && home->encloses(graph_) && outside_.insert(value).second)
        captures_.push_back(value);
    }
  };
  for (const Node *node = graph->front(); node; node = node->next()) {
    interrupt_.poll();
    scan(node);
    for (const Graph *inner : node->subgraphs())
      findCaptures(inner);
  }
  scan(graph->output());
}

// --- Names ---------------------------------------------------------------------------------------

template <typename F> void PrintPlan::forEachNode(F visit) const {
  for (const Entry &entry : entries_) {
    for (const Node *node : entry.graph->inputNodes())
      visit(node);
    for (size_t i = 0; i < entry.count; ++i)
      visit(order_[entry.first + i]);
    visit(entry.graph->output());
  }
}

/// Names that several printed objects share. All of these print the name as an attribute, so that
/// the result does not depend on which of them the graph's index finds.
void PrintPlan::findRepeated() {
  Counts nodes, values;
  forEachNode([&](const Node *node) {
    if (node->hasName())
      ++nodes[node->name()];
    for (uint32_t i = 0; i < node->numResults(); ++i)
      if (node->result(i)->hasName())
        ++values[node->result(i)->name()];
  });
  for (const Value *value : captures_)
    if (value->hasName())
      ++values[value->name()];
  for (auto [name, count] : nodes)
    if (count > 1)
      repeatedNodes_.insert(name);
  for (auto [name, count] : values)
    if (count > 1)
      repeatedValues_.insert(name);
}

bool PrintPlan::carriesName(const Value *value) const {
  if (!value->hasName())
    return false;
  std::string_view name = value->name();
  if (!isClass(name[0], kLetter | kPunct | kDash) || name == kNone)
    return false;
  for (char c : name)
    if (!isClass(c, kLetter | kDigit | kPunct | kDash))
      return false;
  return !isRepeated(value);
}

void PrintPlan::numberNode(const Node *node) {
  for (uint32_t i = 0, n = node->numResults(); i < n; ++i)
    numberUnlessNamed(node->result(i));
  if (hasShownControl(node))
    numbers_.set(key(node), next_++);
}

/// Assigned once for the whole printed graph, so that numbers are unique in it.
void PrintPlan::numberGraph(size_t &entry) {
  const Entry &at = entries_[entry];
  bool isOutermost = entry++ == 0;
  for (const Node *node : at.graph->inputNodes()) {
    interrupt_.poll();
    numberUnlessNamed(node->result(0));
  }
  for (const Node *node : at.graph->inputNodes())
    if (hasShownControl(node))
      numbers_.set(key(node), next_++);
  if (isOutermost)
    for (const Value *value : unseen_)
      number(value);
  for (size_t i = 0; i < at.count; ++i) {
    interrupt_.poll();
    const Node *node = order_[at.first + i];
    numberNode(node);
    if (node->extra())
      for (size_t k = 0; k < node->subgraphs().size(); ++k)
        numberGraph(entry);
  }
}

} // namespace ge::text
