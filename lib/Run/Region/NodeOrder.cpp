//===- ProgramOrder.cpp - in which order the nodes of a graph run ------------------------------===//
#include "NodeOrder.h"

#include "ge/Ops/Infer/Infer.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace ge {

void addNeeded(const Node *node, Captured &captured, std::vector<const Value *> &needed) {
  for (uint32_t i = 0; i < node->numOperands(); ++i)
    if (const Value *operand = node->operand(i))
      needed.push_back(operand);
  if (node->subgraphs().empty())
    return;
  auto found = captured.find(node);
  if (found == captured.end()) {
    std::unordered_set<const Value *> known;
    std::vector<const Value *> all, wanted;
    for (const Graph *body : node->subgraphs()) {
      wanted.clear();
      for (const Node *inner = body->front(); inner; inner = inner->next())
        addNeeded(inner, captured, wanted);
      for (uint32_t i = 0; i < body->numOutputs(); ++i)
        if (const Value *output = body->outputValue(i))
          wanted.push_back(output);
      for (const Value *value : wanted)
        if (value->node()->graph() != body && known.insert(value).second)
          all.push_back(value);
    }
    found = captured.emplace(node, std::move(all)).first;
  }
  needed.insert(needed.end(), found->second.begin(), found->second.end());
}

TensorPtr contentsOf(const Value *value) {
  const Node *node = value->node();
  if (node->isData() || node->numResults() != 1)
    return {};
  if (node->op()->str() != "ge.Variable")
    return constantContents(value);
  Attribute held = node->attribute("value");
  return held.kind() == AttrKind::Tensor ? TensorPtr(held.tensorValue()) : TensorPtr();
}

namespace {

/// A check has no users, but it may fail, so it runs.
bool hasEffect(const Node *node) {
  std::string_view domain = node->op()->domain();
  return node->op()->type() == "CheckNumerics" &&
         (domain == "ge" || domain == "math" || domain == "nn");
}

} // namespace

std::vector<const Node *> orderOf(const Graph &graph, Captured &captured) {
  std::vector<Node *> all = graph.sortedNodes();
  std::unordered_set<const Node *> wanted;
  std::vector<const Value *> needed;
  for (uint32_t i = 0; i < graph.numOutputs(); ++i)
    if (const Value *output = graph.outputValue(i))
      wanted.insert(output->node());
  std::vector<const Node *> order;
  for (size_t i = all.size(); i-- > 0;) {
    Interrupt::look();
    const Node *node = all[i];
    if (!hasEffect(node) && !wanted.contains(node))
      continue;
    order.push_back(node);
    needed.clear();
    addNeeded(node, captured, needed);
    for (const Value *value : needed)
      wanted.insert(value->node());
    for (const Node *before : node->controlInputs())
      wanted.insert(before);
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<NodeGroup> groupsOf(const Graph &graph, const std::vector<const Node *> &order,
                                Captured &captured,
                                const std::function<bool(const Node *)> &mayBeInRegion) {
  // A node of a region gets the largest number of its operands, or one more than that of an operand
  // outside of regions. A path that leaves a region thus reaches a higher number and cannot enter
  // it again. At each number the region comes first.
  struct Placed {
    size_t number;
    bool isRegion;
  };
  std::unordered_map<const Node *, Placed> placed;
  std::map<size_t, std::pair<std::vector<const Node *>, std::vector<const Node *>>> levels;
  std::unordered_map<const Value *, std::vector<const Node *>> users;
  std::vector<const Value *> needed;
  for (const Node *node : order) {
    Interrupt::look();
    if (node->numResults() == 1 && contentsOf(node->result(0)))
      continue;
    Placed own{0, mayBeInRegion(node)};
    auto follow = [&](const Node *before) {
      if (auto found = placed.find(before); found != placed.end())
        own.number = std::max(own.number, found->second.number +
                                              size_t(own.isRegion && !found->second.isRegion));
    };
    needed.clear();
    addNeeded(node, captured, needed);
    for (const Value *value : needed) {
      follow(value->node());
      users[value].push_back(node);
    }
    for (const Node *before : node->controlInputs())
      follow(before);
    placed.emplace(node, own);
    auto &[region, others] = levels[own.number];
    (own.isRegion ? region : others).push_back(node);
  }
  for (uint32_t i = 0; i < graph.numOutputs(); ++i)
    if (const Value *output = graph.outputValue(i))
      users[output].push_back(graph.output());
  std::vector<NodeGroup> groups;
  for (auto &[number, level] : levels) {
    if (!level.first.empty()) {
      NodeGroup &group = groups.emplace_back();
      group.isRegion = true;
      group.nodes = std::move(level.first);
      auto isOutside = [&, at = number](const Node *user) {
        auto found = placed.find(user);
        return found == placed.end() || !found->second.isRegion || found->second.number != at;
      };
      for (const Node *node : group.nodes)
        for (uint32_t i = 0; i < node->numResults(); ++i)
          if (auto found = users.find(node->result(i));
              found != users.end() && std::ranges::any_of(found->second, isOutside))
            group.results.push_back(node->result(i));
    }
    for (const Node *node : level.second)
      groups.emplace_back().nodes.push_back(node);
  }
  return groups;
}

} // namespace ge
