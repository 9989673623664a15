//===- MatcherOutputs.cpp - outputs that are not above the anchor -----------------------------===//
//
// The search below the anchor binds what the anchoring output is computed from. Another output is
// found from there: over a user of a bound value, a user of that user's result, and so on up to the
// output. The way is planned in the pattern before the graph is looked at.
//
//===------------------------------------------------------------------------------------------===//
#include "ge/Passes/Match/Matcher.h"

#include "Conditions.h"
#include "PatternReader.h"

#include "ge/IR/Root.h"

#include <utility>

namespace ge {

using Kind = PatternValue::Kind;

namespace {

constexpr uint32_t kNoIndex = UINT32_MAX;
/// So many users are tried without a look at the index.
constexpr size_t kFewUsers = 8;
/// No way leads to the value over users.
constexpr uint32_t kUnreachable = UINT32_MAX;

/// Where a climb begins: results have the fewest users, constants the most. Greater than any number
/// of climbs.
uint32_t startingDistance(Kind kind) {
  if (kind == Kind::Constant)
    return 2u << 28;
  return kind == Kind::Wildcard ? 1u << 28 : 0;
}

} // namespace

/// The value of the graph that `pattern` has in any match that continues this search; null when
/// that is open, or an absent operand.
Value *Matcher::boundValue(uint32_t pattern) const {
  if (valueBound_[pattern])
    return match_.values_[pattern];
  const PatternValue &v = pattern_->values()[pattern];
  if (v.kind == Kind::Where)
    return boundValue(withoutWhere(*pattern_, pattern));
  const Node *node = v.kind == Kind::Result ? match_.nodes_[v.node] : nullptr;
  return node && v.index < node->numResults() ? node->result(v.index) : nullptr;
}

/// Computes for each value of the pattern how many climbs lead to it from a bound value. Only an
/// operand that a node has in each match leads to it: neither one that may be absent, nor some of
/// its alternatives. O(pattern).
void Matcher::measureDistances() {
  const std::vector<PatternValue> &values = pattern_->values();
  distances_.assign(values.size(), kUnreachable);
  // Values come after those that they are computed from.
  for (uint32_t i = 0; i != values.size(); ++i) {
    const PatternValue &v = values[i];
    if (boundValue(i)) {
      distances_[i] = startingDistance(values[withoutWhere(*pattern_, i)].kind);
    } else if (v.kind == Kind::Where) {
      distances_[i] = distances_[v.choices[0]];
    } else if (v.kind == Kind::AnyOf) {
      distances_[i] = 0;
      for (uint32_t choice : v.choices)
        distances_[i] = std::max(distances_[i], distances_[choice]);
    } else if (v.kind == Kind::Result && !match_.nodes_[v.node]) {
      if (uint32_t operand = nearestOperand(pattern_->nodes()[v.node]); operand != kNoIndex)
        distances_[i] = distances_[operand] + 1;
    }
  }
}

/// The operand, a value of the pattern, with the least distance; kNoIndex when none is reachable.
uint32_t Matcher::nearestOperand(const PatternNode &node) const {
  uint32_t nearest = kNoIndex;
  for (uint32_t operand : node.operands)
    if (operand != PatternNode::kAbsent && distances_[operand] != kUnreachable &&
        (nearest == kNoIndex || distances_[operand] < distances_[nearest]))
      nearest = operand;
  return nearest;
}

/// Binds the nearest output that is not bound yet, and comes back for the others.
bool Matcher::stepOutputs() {
  auto isOpen = [&](uint32_t output) {
    if (valueBound_[output])
      return false;
    // An input that no operator uses stays unbound.
    uint32_t inside = withoutWhere(*pattern_, output);
    Kind kind = pattern_->values()[inside].kind;
    return kind != Kind::Rest && (kind != Kind::Wildcard || valueBound_[inside]);
  };
  const std::vector<uint32_t> &outputs = pattern_->outputs();
  if (std::ranges::none_of(outputs, isOpen))
    return true;
  measureDistances();
  uint32_t nearest = kNoIndex;
  for (uint32_t output : outputs)
    if (isOpen(output) && (nearest == kNoIndex || distances_[output] < distances_[nearest]))
      nearest = output;
  push(GoalKind::Outputs, 0, nullptr);
  return reach(nearest);
}

bool Matcher::stepReach(uint32_t pattern) {
  if (valueBound_[pattern])
    return true;
  measureDistances();
  return reach(pattern);
}

/// Takes the first step on the way to `pattern`, which is not bound, and leaves goals for the
/// others. Distances are measured.
bool Matcher::reach(uint32_t pattern) {
  // An input or a constant may have more users than there are nodes with the operator of the
  // output.
  auto isShorterByIndex = [&] {
    if (distances_[pattern] < startingDistance(Kind::Wildcard) ||
        distances_[pattern] == kUnreachable)
      return false;
    const Value *from = nullptr;
    for (uint32_t at = pattern; !from;) {
      const PatternValue &v = pattern_->values()[withoutWhere(*pattern_, at)];
      if (v.kind != Kind::Result)
        return false;
      at = nearestOperand(pattern_->nodes()[v.node]);
      from = boundValue(at);
    }
    size_t few = kFewUsers;
    const Use *use = from->firstUse();
    for (; use && few != 0; use = use->next())
      --few;
    if (!use)
      return false;
    size_t nodes = candidates(pattern_->values()[pattern].node).size();
    for (; use && nodes != 0; use = use->next())
      --nodes;
    return use != nullptr;
  };
  bool isFirst = true;
  while (true) {
    const PatternValue &v = pattern_->values()[pattern];
    switch (v.kind) {
    case Kind::Where:
      if (uint32_t inside = v.choices[0]; valueBound_[inside]) {
        push(GoalKind::Value, pattern, match_.values_[inside]);
        return true;
      }
      push(GoalKind::Reach, pattern, nullptr);
      pattern = v.choices[0];
      continue;
    case Kind::AnyOf:
    case Kind::Optional:
      return stepAlternative(pattern, 0);
    case Kind::Constant:
      return stepScan(pattern, 0);
    case Kind::Wildcard:
    case Kind::Rest:
      return fail(MatchFailure::Binding, match_.anchor_, [&](PartialMatch &p) {
        p.expected = v.name.empty()
                         ? std::string("a value that an operator of the pattern uses")
                         : cat("a value that an operator of the pattern uses as '", v.name, "'");
        p.found = "none: any value would match";
      });
    case Kind::Result:
      break;
    }
    if (const Node *node = match_.nodes_[v.node]) {
      if (v.index >= node->numResults())
        return fail(MatchFailure::Arity, node, [&](PartialMatch &p) {
          p.expected = cat("result ", v.index, " of ", pattern_->nodes()[v.node].opText());
          p.found = cat(shortText(node), " with ", node->numResults(), " results");
        });
      push(GoalKind::Value, pattern, node->result(v.index));
      return true;
    }
    push(GoalKind::Reach, pattern, nullptr); // the result, when its node is bound
    uint32_t operand = nearestOperand(pattern_->nodes()[v.node]);
    if (operand == kNoIndex || (std::exchange(isFirst, false) && isShorterByIndex()))
      return stepScan(pattern, 0);
    if (const Value *from = boundValue(operand))
      return stepClimb(pattern, from, from->firstUse());
    push(GoalKind::Climb, pattern, nullptr, operand);
    pattern = operand;
  }
}

/// Binds the node that computes `pattern` to a user of `from`, the first one from `use` on.
bool Matcher::stepClimb(uint32_t pattern, const Value *from, const Use *use) {
  const uint32_t index = pattern_->values()[pattern].node;
  if (match_.nodes_[index])
    return true;
  const PatternNode &node = pattern_->nodes()[index];
  uint32_t passed = 0;
  while (use && !(node.accepts(use->owner()) && !isTaken(use->owner()) &&
                  use->owner()->graph() == match_.anchor_->graph())) {
    use = use->next();
    ++passed;
  }
  charge(passed);
  if (!use)
    return fail(MatchFailure::Operator, from->node(), [&](PartialMatch &p) {
      p.expected = cat(node.opText(), " as a user of result ", from->index(), " of ",
                       shortText(from->node()));
      p.found = "no such user, or none that is not matched already";
    });
  if (const Use *later = use->next())
    choices_.push({ChoiceKind::Climb,
                   first_,
                   uint32_t(trail_.size()),
                   uint32_t(goals_.size()),
                   {GoalKind::Climb, pattern, kNoIndex, 0, 0, nullptr},
                   0,
                   later});
  return stepNode(index, use->owner());
}

/// Binds `pattern`, a constant or the node of a result, to a node of the graph's index.
bool Matcher::stepScan(uint32_t pattern, uint32_t position) {
  const PatternValue &v = pattern_->values()[pattern];
  const bool isConstant = v.kind == Kind::Constant;
  std::span<Node *const> nodes =
      candidates(isConstant ? uint32_t(pattern_->nodes().size()) : v.node);
  const uint32_t first = position;
  while (position != nodes.size() && !isConstant && isTaken(nodes[position]))
    ++position;
  charge(position - first);
  if (position == nodes.size())
    return fail(MatchFailure::Operator, match_.anchor_, [&](PartialMatch &p) {
      p.expected = cat(isConstant ? std::string("a constant") : pattern_->nodes()[v.node].opText(),
                       " in ", match_.anchor_->graph()->describe());
      p.found = "no such node, or none that is not matched already";
    });
  if (position + 1 != nodes.size())
    choices_.push({ChoiceKind::Scan,
                   first_,
                   uint32_t(trail_.size()),
                   uint32_t(goals_.size()),
                   {GoalKind::Reach, pattern, kNoIndex, 0, 0, nullptr},
                   position + 1,
                   nullptr});
  if (!isConstant)
    return stepNode(v.node, nodes[position]);
  push(GoalKind::Value, pattern, nodes[position]->result(0));
  return true;
}

/// The nodes of the anchor's graph that a node of the pattern accepts, in list order; for the index
/// after the last node, the constants. Kept until the graph changes. O(nodes with that operator).
std::span<Node *const> Matcher::candidates(uint32_t node) {
  Graph *graph = match_.anchor_->graph();
  Root &root = graph->root();
  candidates_.resize(pattern_->nodes().size() + 1);
  Candidates &listed = candidates_[node];
  if (listed.graph == graph && listed.changes == root.changeCount())
    return listed.nodes;
  listed = {graph, root.changeCount(), {}};
  std::vector<const OperatorName *> ops;
  if (node == pattern_->nodes().size()) {
    for (const char *name : {"ge.Const", "ge.Constant", "onnx.Constant"})
      ops.push_back(root.context().operatorName(name));
  } else if (const PatternNode &wanted = pattern_->nodes()[node];
             wanted.types.empty() && !wanted.ops.empty()) {
    ops = wanted.ops;
  } else {
    for (Node *each = graph->front(); each; each = each->next())
      if (wanted.accepts(each))
        listed.nodes.push_back(each);
    return listed.nodes;
  }
  for (const OperatorName *op : ops)
    for (Node *each : root.findAll(graph, op))
      if (each->isListed() && each->numResults() != 0)
        listed.nodes.push_back(each);
  if (ops.size() > 1) {
    std::ranges::sort(listed.nodes,
                      [](const Node *a, const Node *b) { return a != b && a->isBefore(b); });
    listed.nodes.erase(std::unique(listed.nodes.begin(), listed.nodes.end()), listed.nodes.end());
  }
  return listed.nodes;
}

/// Reaches choice number `option` of an alternative that is not bound; the choice after the last
/// one of an Optional is an absent operand.
bool Matcher::stepAlternative(uint32_t pattern, uint32_t option) {
  const PatternValue &v = pattern_->values()[pattern];
  const size_t count = v.choices.size() + (v.kind == Kind::Optional ? 1 : 0);
  if (option + 1 < count)
    choices_.push({ChoiceKind::Alternative,
                   first_,
                   uint32_t(trail_.size()),
                   uint32_t(goals_.size()),
                   {GoalKind::Reach, pattern, kNoIndex, 0, 0, nullptr},
                   option + 1,
                   nullptr});
  if (option == v.choices.size()) {
    bindValue(pattern, nullptr);
    return true;
  }
  push(GoalKind::Adopt, pattern, nullptr, option);
  push(GoalKind::Reach, v.choices[option], nullptr);
  return true;
}

bool Matcher::stepAdopt(uint32_t pattern, uint32_t option) {
  bindValue(pattern, match_.values_[pattern_->values()[pattern].choices[option]]);
  return true;
}

} // namespace ge
