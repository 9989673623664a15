//===- Matcher.cpp - the search ---------------------------------------------------------------===//
#include "ge/Passes/Match/Matcher.h"

#include "Conditions.h"
#include "PatternReader.h"

#include "ge/IR/Segments.h"
#include "ge/IR/UnknownAttributes.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>

namespace ge {

using Kind = PatternValue::Kind;

namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// The operands without trailing absent ones.
uint32_t operandCount(const Node *node) {
  uint32_t count = node->numOperands();
  while (count && !node->operand(count - 1))
    --count;
  return count;
}

std::string operandsText(size_t count) { return cat(count, count == 1 ? " operand" : " operands"); }

} // namespace

Matcher::Matcher(std::shared_ptr<const Pattern> pattern, MatchOptions options)
    : pattern_(std::move(pattern)), options_(options) {
  match_.pattern_ = pattern_.get();
  match_.values_.resize(pattern_->values().size());
  match_.nodes_.resize(pattern_->nodes().size());
}

const Match *Matcher::match(Node *anchor, const Condition *condition) {
  return run(anchor, condition);
}

const Match *Matcher::explain(Node *anchor, const Condition *condition, PartialMatch &best) {
  best_ = &best;
  struct Forget {
    PartialMatch *&best;
    ~Forget() { best = nullptr; }
  } forget{best_};
  const Match *match = run(anchor, condition);
  if (!match && best.failure == MatchFailure::None)
    fail(MatchFailure::Binding, anchor, [&](PartialMatch &p) {
      p.expected = "a binding of all nodes of the pattern";
      p.found = "none";
    });
  return match;
}

const Match *Matcher::run(Node *anchor, const Condition *condition) {
  if (const PatternTree &tree = pattern_->tree();
      !tree.nodes.empty() && !best_ && (!condition || !tree.hasChoices))
    if (Answer answer = matchTree(anchor, condition); answer != Answer::Unknown)
      return answer == Answer::Yes ? &match_ : nullptr;
  left_ = options_.budget;
  const std::vector<Pattern::Anchor> &anchors = pattern_->anchors();
  bool tried = false;
  for (size_t i = 0; i != anchors.size(); ++i) {
    const Pattern::Anchor &at = anchors[i];
    if (!pattern_->nodes()[at.node].accepts(anchor) || at.result >= anchor->numResults())
      continue;
    // Alternatives that start at the same result are distinguished by the search itself.
    bool isRepeated = std::any_of(
        anchors.begin(), anchors.begin() + std::ptrdiff_t(i), [&](const Pattern::Anchor &earlier) {
          return earlier.result == at.result && pattern_->nodes()[earlier.node].accepts(anchor);
        });
    if (isRepeated)
      continue;
    tried = true;
    if (begin(anchor, at) && solve(condition))
      return &match_;
    if (left_ == 0)
      break;
  }
  if (!tried) {
    match_.anchor_ = anchor;
    const PatternNode &wanted = pattern_->nodes()[anchors[0].node];
    fail(MatchFailure::Operator, anchor, [&](PartialMatch &p) {
      p.expected = wanted.opText();
      p.found = shortText(anchor);
    });
  }
  return nullptr;
}

/// Makes room for what a search binds; a tree is mostly matched without one.
void Matcher::prepare() {
  if (!valueBound_.empty())
    return;
  match_.rests_.resize(pattern_->numRests());
  match_.variables_.resize(pattern_->variables().size());
  restBound_.resize(match_.rests_.size());
  symbols_.resize(pattern_->numSymbols());
  symbolBound_.resize(pattern_->numSymbols());
  valueBound_.resize(match_.values_.size());
}

void Matcher::clear() {
  // Resets single bindings if an early failure has bound little of a large pattern.
  if (trail_.size() * 4 < match_.values_.size() && !isTreeBound_) {
    undo(0);
  } else {
    trail_.clear();
    boundNodes_.clear();
    taken_.clear();
    std::ranges::fill(match_.values_, nullptr);
    std::ranges::fill(match_.nodes_, nullptr);
    std::ranges::fill(match_.variables_, Attribute());
    for (std::vector<Value *> &rest : match_.rests_)
      rest.clear();
    for (std::vector<uint8_t> *bound : {&valueBound_, &restBound_, &symbolBound_})
      std::ranges::fill(*bound, uint8_t(0));
  }
  goals_.clear();
  choices_.clear();
  first_ = kNone;
  isTreeBound_ = false;
}

// --- Trees

Matcher::Answer Matcher::matchTree(Node *anchor, const Condition *condition) {
  const PatternTree &tree = pattern_->tree();
  const PatternTree::Node &root = tree.nodes.front();
  match_.anchor_ = anchor;
  if (anchor->opId() != root.op || root.result >= anchor->numResults() || isOpaque(anchor))
    return Answer::No;
  isTreeBound_ = true;
  isTreeUnclear_ = false;
  left_ = options_.budget;
  boundNodes_.clear();
  taken_.clear();
  Value *output = anchor->result(root.result);
  match_.values_[tree.root] = output;
  bool isFound = bindTree(root, output);
  if (isTreeUnclear_)
    return Answer::Unknown;
  if (isFound && complete(condition))
    return Answer::Yes;
  // Operands in another order cannot have other uses outside.
  return isFound && tree.hasChoices ? Answer::Unknown : Answer::No;
}

bool Matcher::bindOperand(const PatternTree::Operand &pattern, Value *value) {
  if (!value)
    return false;
  match_.values_[pattern.value] = value;
  return pattern.node == PatternTree::kWildcard ||
         bindTree(pattern_->tree().nodes[pattern.node], value);
}

bool Matcher::bindTree(const PatternTree::Node &pattern, Value *value) {
  Node *node = value->node();
  if (node->opId() != pattern.op || value->index() != pattern.result || !node->isListed() ||
      node->graph() != match_.anchor_->graph() ||
      (node->numOperands() != pattern.numOperands && operandCount(node) != pattern.numOperands) ||
      isOpaque(node))
    return false;
  isTreeUnclear_ = left_ == 0;
  for (uint32_t bound : boundNodes_)
    isTreeUnclear_ |= match_.nodes_[bound] == node;
  if (isTreeUnclear_)
    return false;
  --left_;
  match_.nodes_[pattern.index] = node;
  const size_t before = boundNodes_.size();
  boundNodes_.push(pattern.index);
  const PatternTree::Operand *operands = pattern_->tree().operands.data() + pattern.firstOperand;
  if (!pattern.commutes) {
    for (uint32_t i = 0; i != pattern.numOperands; ++i)
      if (!bindOperand(operands[i], node->operand(i)))
        return false;
    return true;
  }
  Value *left = node->operand(0), *right = node->operand(1);
  if (bindOperand(operands[0], left) && bindOperand(operands[1], right))
    return true;
  if (isTreeUnclear_ || left == right)
    return false;
  boundNodes_.shrink(before + 1);
  return bindOperand(operands[0], right) && bindOperand(operands[1], left);
}

bool Matcher::begin(Node *anchor, const Pattern::Anchor &at) {
  prepare();
  clear();
  match_.anchor_ = anchor;
  const std::vector<uint32_t> &outputs = pattern_->outputs();
  if (outputs.size() > 1)
    push(GoalKind::Outputs, 0, nullptr);
  push(GoalKind::Value, outputs[pattern_->anchorOutput()], anchor->result(at.result));
  return true;
}

void Matcher::push(GoalKind kind, uint32_t pattern, Value *value, uint32_t position,
                   uint64_t used) {
  goals_.push({kind, pattern, first_, position, used, value});
  first_ = uint32_t(goals_.size() - 1);
}

void Matcher::undo(size_t size) {
  while (trail_.size() > size) {
    Undo last = trail_.back();
    trail_.pop();
    switch (last.kind) {
    case Bound::Value:
      valueBound_[last.index] = 0;
      match_.values_[last.index] = nullptr;
      break;
    case Bound::Node:
      if (!taken_.empty())
        taken_.erase(match_.nodes_[last.index]);
      match_.nodes_[last.index] = nullptr;
      boundNodes_.pop();
      break;
    case Bound::Symbol:
      symbolBound_[last.index] = 0;
      break;
    case Bound::Variable:
      match_.variables_[last.index] = Attribute();
      break;
    case Bound::Rest:
      restBound_[last.index] = 0;
      match_.rests_[last.index].clear();
      break;
    }
  }
}

bool Matcher::retry() {
  while (!choices_.empty() && left_ != 0) {
    Choice choice = choices_.back();
    choices_.pop();
    undo(choice.trail);
    goals_.shrink(choice.size);
    first_ = choice.goals;
    bool ok = false;
    switch (choice.kind) {
    case ChoiceKind::AnyOf:
      ok = stepAnyOf(choice.goal, choice.option);
      break;
    case ChoiceKind::Assign:
      ok = stepAssign(choice.goal, choice.option);
      break;
    case ChoiceKind::Climb:
      ok = stepClimb(choice.goal.pattern, choice.use->value(), choice.use);
      break;
    case ChoiceKind::Scan:
      ok = stepScan(choice.goal.pattern, choice.option);
      break;
    case ChoiceKind::Alternative:
      ok = stepAlternative(choice.goal.pattern, choice.option);
      break;
    }
    if (ok)
      return true;
  }
  return false;
}

bool Matcher::solve(const Condition *condition) {
  while (true) {
    if (first_ == kNone) {
      if (complete(condition))
        return true;
    } else if (left_ == 0) {
      return exhaust();
    } else {
      if (--left_ % 4096 == 0) [[unlikely]]
        Interrupt::look();
      Goal goal = goals_[first_];
      first_ = goal.next;
      if (step(goal))
        continue;
    }
    if (!retry())
      return !choices_.empty() && exhaust();
  }
}

/// Gives the anchor up, because the budget is spent.
bool Matcher::exhaust() {
  ++exhausted_;
  return fail(MatchFailure::Budget, match_.anchor_, [&](PartialMatch &p) {
    p.expected = cat("a match within ", options_.budget, " steps");
    p.found = "more choices than that";
  });
}

bool Matcher::step(const Goal &goal) {
  switch (goal.kind) {
  case GoalKind::Value:
    return stepValue(goal.pattern, goal.value);
  case GoalKind::Assign:
    return stepAssign(goal, 0);
  case GoalKind::Outputs:
    return stepOutputs();
  case GoalKind::Reach:
    return stepReach(goal.pattern);
  case GoalKind::Climb: {
    const Value *from = boundValue(goal.position);
    return from && stepClimb(goal.pattern, from, from->firstUse());
  }
  case GoalKind::Adopt:
    return stepAdopt(goal.pattern, goal.position);
  }
  return false;
}

bool Matcher::stepValue(uint32_t pattern, Value *value) {
  const PatternValue &v = pattern_->values()[pattern];
  if (valueBound_[pattern]) {
    if (match_.values_[pattern] == value)
      return true;
    return fail(MatchFailure::Binding, value ? value->node() : match_.anchor_,
                [&](PartialMatch &p) {
                  Value *bound = match_.values_[pattern];
                  auto text = [](Value *what) {
                    return what ? cat("result ", what->index(), " of ", shortText(what->node()))
                                : std::string("an absent operand");
                  };
                  p.expected = cat("the value that ",
                                   v.name.empty() ? "another place" : cat("'", v.name, "'"),
                                   " of the pattern is already: ", text(bound));
                  p.found = text(value);
                });
  }
  if (!value && v.kind != Kind::Optional && v.kind != Kind::Where && v.kind != Kind::AnyOf)
    return fail(MatchFailure::Arity, match_.anchor_, [&](PartialMatch &p) {
      p.expected =
          v.name.empty() ? std::string("an operand") : cat("an operand for '", v.name, "'");
      p.found = "an absent operand";
    });
  switch (v.kind) {
  case Kind::Wildcard:
    break;
  case Kind::Constant:
    if (!stepConstant(v, value))
      return false;
    break;
  case Kind::Where:
    if (value && !checkType(pattern_->constraints()[uint32_t(v.constraint)], value))
      return false;
    push(GoalKind::Value, v.choices[0], value);
    break;
  case Kind::Optional:
    if (value)
      push(GoalKind::Value, v.choices[0], value);
    break;
  case Kind::AnyOf:
    bindValue(pattern, value);
    return stepAnyOf({GoalKind::Value, pattern, first_, 0, 0, value}, 0);
  case Kind::Result: {
    Node *node = value->node();
    if (value->index() != v.index)
      return fail(MatchFailure::Binding, node, [&](PartialMatch &p) {
        p.expected = cat("result ", v.index, " of ", pattern_->nodes()[v.node].opText());
        p.found = cat("result ", value->index(), " of ", shortText(node));
      });
    if (Node *bound = match_.nodes_[v.node]) {
      if (bound != node)
        return fail(MatchFailure::Binding, node, [&](PartialMatch &p) {
          p.expected = cat(shortText(bound), ", which the pattern names twice");
          p.found = shortText(node);
        });
    } else if (!stepNode(v.node, node)) {
      return false;
    }
    break;
  }
  case Kind::Rest:
    return false;
  }
  bindValue(pattern, value);
  return true;
}

bool Matcher::isTaken(const Node *node) const {
  if (!taken_.empty())
    return taken_.contains(node);
  return std::ranges::any_of(boundNodes_, [&](uint32_t i) { return match_.nodes_[i] == node; });
}

bool Matcher::stepNode(uint32_t index, Node *node) {
  const PatternNode &pattern = pattern_->nodes()[index];
  if (!pattern.accepts(node))
    return fail(MatchFailure::Operator, node, [&](PartialMatch &p) {
      p.expected = pattern.opText();
      p.found = shortText(node);
    });
  if (node->graph() != match_.anchor_->graph())
    return fail(MatchFailure::Binding, node, [&](PartialMatch &p) {
      p.expected = cat("a node of ", match_.anchor_->graph()->describe());
      p.found = cat(shortText(node), " of ", node->graph()->describe());
    });
  if (isOpaque(node))
    return fail(MatchFailure::Attribute, node, [&](PartialMatch &p) {
      p.expected = cat(pattern.opText(), " whose attributes are known");
      p.found =
          cat(shortText(node), ", which keeps parts of its file that the IR cannot represent");
    });
  if (isTaken(node))
    return fail(MatchFailure::Binding, node, [&](PartialMatch &p) {
      p.expected = cat("a node of its own for ", pattern.opText());
      p.found = cat(shortText(node), ", which another node of the pattern is already");
    });
  if (pattern.minOpset || pattern.maxOpset != UINT32_MAX)
    if (!checkOpset(pattern, node))
      return false;
  if ((!pattern.attributes.empty() || pattern.allAttributes) && !checkAttributes(pattern, node))
    return false;
  match_.nodes_[index] = node;
  boundNodes_.push(index);
  bind(Bound::Node, index);
  if (pattern_->nodes().size() > Pattern::kFewNodes)
    taken_.insert(node);
  if (pattern.commuting > 1) {
    uint32_t found = operandCount(node), wanted = uint32_t(pattern.operands.size());
    if (pattern.rest < 0 ? found != wanted : found + 1 < wanted)
      return fail(MatchFailure::Arity, node, [&](PartialMatch &p) {
        p.expected = cat(operandsText(wanted), " of ", pattern.opText());
        p.found = cat(operandsText(found), " of ", shortText(node));
      });
    if (found <= 64) {
      push(GoalKind::Assign, index, nullptr);
      return true;
    }
  }
  return stepOperands(pattern, node);
}

/// Without a goal, because a wildcard has no alternatives to return to. False if the value is not a
/// wildcard, or not free.
bool Matcher::bindWildcard(uint32_t pattern, Value *value) {
  if (!value || pattern_->values()[pattern].kind != Kind::Wildcard || valueBound_[pattern])
    return false;
  bindValue(pattern, value);
  return true;
}

/// Operand `at` of the pattern against operand `from` of the node, null if that is absent.
bool Matcher::stepOperand(const PatternNode &pattern, uint32_t at, const Node *node, Value *value,
                          uint32_t from) {
  uint32_t operand = pattern.operands[at];
  if (operand == PatternNode::kAbsent)
    return checkAbsent(pattern, node, from, value);
  if (bindWildcard(operand, value))
    return true;
  const PatternValue &v = pattern_->values()[operand];
  if (!value && v.kind != Kind::Optional && v.kind != Kind::Where && v.kind != Kind::AnyOf)
    return fail(MatchFailure::Arity, node, [&](PartialMatch &p) {
      p.expected = cat(operandsText(pattern.operands.size()), " of ", pattern.opText());
      p.found =
          cat("operand ", from, " of ", shortText(node), " is absent", otherFormNote(node, from));
    });
  push(GoalKind::Value, operand, value);
  return true;
}

/// Operands by the lists that they are in: lists of other lengths do not match.
bool Matcher::stepLists(const PatternNode &pattern, const Node *node) {
  struct Place {
    uint32_t at, from;
    Value *value;
  };
  std::vector<Place> places;
  std::vector<Value *> rest;
  std::span<const int32_t> lengths = node->operandSegments();
  auto mismatch = [&] {
    return fail(MatchFailure::Arity, node, [&](PartialMatch &p) {
      p.expected = cat("operand lists of lengths ", segmentsText(pattern.segments), " of ",
                       pattern.opText());
      p.found = lengths.empty() ? cat(shortText(node), " without lengths")
                                : cat("lengths ", segmentsText(lengths), " of ", shortText(node));
    });
  };
  if (lengths.empty() && node->numOperands() != 0)
    return mismatch();
  uint32_t at = 0, from = 0;
  for (size_t i = 0; i != std::max(pattern.segments.size(), lengths.size()); ++i) {
    auto wanted = i < pattern.segments.size() ? uint32_t(pattern.segments[i]) : 0;
    auto found = i < lengths.size() ? uint32_t(lengths[i]) : 0;
    uint32_t end = at + wanted, last = from + found;
    bool hasRest =
        pattern.rest >= 0 && uint32_t(pattern.rest) >= at && uint32_t(pattern.rest) < end;
    if (hasRest ? found + 1 < wanted : found > wanted)
      return mismatch();
    uint32_t taken = hasRest ? found + 1 - wanted : 0;
    for (; at != end; ++at) {
      if (hasRest && at == uint32_t(pattern.rest)) {
        for (uint32_t k = 0; k != taken; ++k)
          rest.push_back(node->operand(from++));
        continue;
      }
      places.push_back({at, from, from < last ? node->operand(from) : nullptr});
      from += from < last;
    }
  }
  // Later operands first: goals are a stack.
  size_t afterRest = 0;
  while (pattern.rest >= 0 && afterRest != places.size() &&
         places[afterRest].at < uint32_t(pattern.rest))
    ++afterRest;
  for (size_t i = places.size(); i-- > afterRest;)
    if (!stepOperand(pattern, places[i].at, node, places[i].value, places[i].from))
      return false;
  if (pattern.rest >= 0 && !bindRest(pattern, node, std::move(rest)))
    return false;
  for (size_t i = afterRest; i-- > 0;)
    if (!stepOperand(pattern, places[i].at, node, places[i].value, places[i].from))
      return false;
  return true;
}

bool Matcher::stepOperands(const PatternNode &pattern, const Node *node) {
  if (!pattern.segments.empty())
    return stepLists(pattern, node);
  auto wanted = uint32_t(pattern.operands.size());
  uint32_t found = operandCount(node);
  uint32_t before = pattern.rest < 0 ? wanted : uint32_t(pattern.rest);
  uint32_t after = pattern.rest < 0 ? 0 : wanted - before - 1;
  if (pattern.rest < 0 ? found > wanted : found < after)
    return fail(MatchFailure::Arity, node, [&](PartialMatch &p) {
      p.expected = cat(operandsText(wanted), " of ", pattern.opText());
      p.found = cat(operandsText(found), " of ", shortText(node));
    });
  auto pushOne = [&](uint32_t at, uint32_t from) {
    return stepOperand(pattern, at, node, from < found ? node->operand(from) : nullptr, from);
  };
  for (uint32_t i = after; i-- > 0;)
    if (!pushOne(before + 1 + i, found - after + i))
      return false;
  if (pattern.rest >= 0) {
    std::vector<Value *> values;
    for (uint32_t i = before; i + after < found; ++i)
      values.push_back(node->operand(i));
    if (!bindRest(pattern, node, std::move(values)))
      return false;
  }
  for (uint32_t i = before; i-- > 0;)
    if (!pushOne(i, i))
      return false;
  return true;
}

bool Matcher::checkAbsent(const PatternNode &pattern, const Node *node, uint32_t operand,
                          const Value *value) {
  return !value || fail(MatchFailure::Arity, node, [&](PartialMatch &p) {
    p.expected = cat("operand ", operand, " of ", pattern.opText(), " absent");
    p.found = cat("operand ", operand, " of ", shortText(node), " is ", shortText(value->node()));
  });
}

bool Matcher::bindRest(const PatternNode &pattern, const Node *node, std::vector<Value *> values) {
  uint32_t at = pattern.operands[uint32_t(pattern.rest)];
  for (; pattern_->values()[at].kind == Kind::Where; at = pattern_->values()[at].choices[0])
    for (Value *value : values)
      if (value &&
          !checkType(pattern_->constraints()[uint32_t(pattern_->values()[at].constraint)], value))
        return false;
  uint32_t index = pattern_->values()[at].index;
  if (restBound_[index])
    return match_.rests_[index] == values ||
           fail(MatchFailure::Binding, node, [&](PartialMatch &p) {
             p.expected = "the same operands as in the other place of this Rest";
             p.found = cat("others of ", shortText(node));
           });
  restBound_[index] = 1;
  match_.rests_[index] = std::move(values);
  bind(Bound::Rest, index);
  return true;
}

bool Matcher::stepAnyOf(const Goal &goal, uint32_t option) {
  const PatternValue &v = pattern_->values()[goal.pattern];
  if (option + 1 < v.choices.size())
    choices_.push({ChoiceKind::AnyOf, first_, uint32_t(trail_.size()), uint32_t(goals_.size()),
                   goal, option + 1, nullptr});
  push(GoalKind::Value, v.choices[option], goal.value);
  return true;
}

bool Matcher::stepAssign(const Goal &goal, uint32_t option) {
  const PatternNode &pattern = pattern_->nodes()[goal.pattern];
  const Node *node = match_.nodes_[goal.pattern];
  uint32_t found = operandCount(node);
  // Commutative operands come first; a Rest among them takes the remaining ones.
  uint32_t most = pattern.rest >= 0 ? found : pattern.commuting;
  uint32_t position = goal.position;
  if (int32_t(position) == pattern.rest && position < pattern.commuting)
    ++position;
  if (position >= pattern.commuting) {
    if (pattern.rest >= 0) {
      std::vector<Value *> values;
      for (uint32_t i = 0; i != found; ++i)
        if (!(goal.used >> i & 1))
          values.push_back(node->operand(i));
      return bindRest(pattern, node, std::move(values));
    }
    for (uint32_t i = found; i-- > pattern.commuting;) {
      if (pattern.operands[i] != PatternNode::kAbsent)
        push(GoalKind::Value, pattern.operands[i], node->operand(i));
      else if (!checkAbsent(pattern, node, i, node->operand(i)))
        return false;
    }
    return true;
  }
  // An operand that was tried in this position is not tried again under another index.
  auto nextOption = [&](uint32_t from) {
    for (uint32_t i = from; i < most; ++i) {
      if (goal.used >> i & 1)
        continue;
      bool isTried = false;
      for (uint32_t k = 0; k != i && !isTried; ++k)
        isTried = !(goal.used >> k & 1) && node->operand(k) == node->operand(i);
      if (!isTried)
        return i;
    }
    return kNone;
  };
  uint32_t now = nextOption(option);
  if (now == kNone)
    return false;
  if (uint32_t later = nextOption(now + 1); later != kNone)
    choices_.push({ChoiceKind::Assign, first_, uint32_t(trail_.size()), uint32_t(goals_.size()),
                   goal, later, nullptr});
  bool isLast = pattern.rest < 0 && position + 1 == pattern.commuting && found <= most;
  if (!isLast)
    push(GoalKind::Assign, goal.pattern, nullptr, position + 1, goal.used | uint64_t(1) << now);
  uint32_t operand = pattern.operands[position];
  Value *value = node->operand(now);
  if (operand == PatternNode::kAbsent)
    return checkAbsent(pattern, node, now, value);
  if (!bindWildcard(operand, value))
    push(GoalKind::Value, operand, value);
  return true;
}

} // namespace ge
