//===- MatcherChecks.cpp - conditions of a match, and what is kept of failures ----------------===//
#include "ge/Passes/Match/Matcher.h"

#include "Conditions.h"

#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/InferGraph.h"

#include <algorithm>

namespace ge {

using Kind = PatternValue::Kind;

const char *matchFailureName(MatchFailure failure) {
  switch (failure) {
  case MatchFailure::None:
    return "none";
  case MatchFailure::Operator:
    return "operator";
  case MatchFailure::Arity:
    return "arity";
  case MatchFailure::Attribute:
    return "attribute";
  case MatchFailure::Constant:
    return "constant";
  case MatchFailure::Type:
    return "shape";
  case MatchFailure::Predicate:
    return "predicate";
  case MatchFailure::Binding:
    return "binding";
  case MatchFailure::OutsideUse:
    return "outside-use";
  case MatchFailure::Condition:
    return "condition";
  case MatchFailure::Overlap:
    return "overlap";
  case MatchFailure::Budget:
    break;
  }
  return "budget";
}

// --- Constants, attributes, types

bool Matcher::stepConstant(const PatternValue &pattern, Value *value) {
  TensorPtr tensor = value->node()->isData() ? TensorPtr() : constantContents(value);
  auto refuse = [&](std::string_view found) {
    return fail(MatchFailure::Constant, value->node(), [&](PartialMatch &p) {
      p.expected = pattern.tensor && pattern.constants != ConstantMatch::Any
                       ? cat("the constant ", shortText(*pattern.tensor))
                       : std::string("a constant");
      p.found = found;
    });
  };
  if (!tensor)
    return refuse(best_ ? shortText(value->node()) : std::string());
  if (!constantMatches(pattern, *tensor))
    return refuse(best_ ? shortText(*tensor) : std::string());
  if (pattern.predicate >= 0 &&
      !pattern_->options().predicates[uint32_t(pattern.predicate)].test(value, {}))
    return fail(MatchFailure::Predicate, value->node(), [&](PartialMatch &p) {
      p.expected = "a constant that the pattern's function accepts";
      p.found = shortText(*tensor);
    });
  return true;
}

bool Matcher::checkOpset(const PatternNode &pattern, const Node *node) {
  uint32_t opset = opsetOf(node->graph(), node->op()->domain());
  if (opset == 0 || (opset >= pattern.minOpset && opset <= pattern.maxOpset))
    return true;
  return fail(MatchFailure::Operator, node, [&](PartialMatch &p) {
    p.expected = cat(pattern.opText(), " of opset ", pattern.minOpset, " to ",
                     pattern.maxOpset == UINT32_MAX ? std::string("any") : cat(pattern.maxOpset));
    p.found = cat("opset ", opset);
  });
}

bool Matcher::checkAttributes(const PatternNode &pattern, const Node *node) {
  for (const PatternAttribute &attribute : pattern.attributes)
    if (!checkAttribute(pattern, attribute, node))
      return false;
  if (!pattern.allAttributes)
    return true;
  for (uint32_t i = 0; i != node->attributes().size(); ++i) {
    const Identifier *name = node->context().identifierAt(node->attributes().nameIdAt(i));
    if (std::ranges::any_of(pattern.attributes,
                            [&](const PatternAttribute &a) { return a.name == name; }))
      continue;
    // An attribute with the value of its default equals an absent one.
    PatternAttribute same;
    same.name = name;
    same.value = AttrRef(node->attributes().at(i));
    AttrRef implied = impliedByType(node, name->str());
    if (attributeMatches(same, node, *implied, defaultAttribute(node, name->str())))
      continue;
    return fail(MatchFailure::Attribute, node, [&](PartialMatch &p) {
      p.expected = cat("no attribute '", name->str(), "' beside the pattern's");
      p.found = shortText(node->attributes().at(i));
    });
  }
  return true;
}

AttrRef Matcher::impliedByType(const Node *node, std::string_view name) {
  AttrRef implied = impliedValue(node, name);
  return implied && options_.disputes && options_.disputes->find(node) ? AttrRef() : implied;
}

bool Matcher::checkAttribute(const PatternNode &, const PatternAttribute &attribute,
                             const Node *node) {
  Attribute found = node->attribute(attribute.name);
  if (attribute.isPlain && found == *attribute.value)
    return true;
  const Constant *absent = found ? nullptr : defaultAttribute(node, attribute.name->str());
  AttrRef implied;
  if (!found && !absent && !attribute.absent)
    implied = impliedByType(node, attribute.name->str());
  auto foundText = [&] {
    std::string text = shortText(found);
    if (AttrRef value = absent ? defaultValue(node->context(), *absent) : implied)
      text += cat(", which counts as ", shortText(*value), ",");
    else if (!found)
      text += otherFormNote(node, attribute.name->str());
    return cat(text, " at ", shortText(node), mismatchNote(attribute, found));
  };
  auto refuse = [&](MatchFailure failure) {
    return fail(failure, node, [&](PartialMatch &p) {
      p.expected = cat("attribute '", attribute.name->str(), "' = ", shortText(attribute));
      p.found = foundText();
    });
  };
  if (!attributeMatches(attribute, node, implied ? *implied : found, absent))
    return refuse(MatchFailure::Attribute);
  if (attribute.predicate < 0 && attribute.variable < 0)
    return true;
  // Functions and variables get the default of an absent attribute; a context keeps it alive,
  // unless it is a tensor.
  Attribute value = absent ? *defaultValue(node->context(), *absent) : implied ? *implied : found;
  if (attribute.predicate >= 0 &&
      (!value ||
       !pattern_->options().predicates[uint32_t(attribute.predicate)].test(nullptr, value)))
    return refuse(MatchFailure::Predicate);
  if (attribute.variable >= 0) {
    auto index = uint32_t(attribute.variable);
    Attribute &bound = match_.variables_[index];
    if (!bound && value) {
      bound = value;
      bind(Bound::Variable, index);
    } else if (!sameAttribute(attribute, node, bound, value)) {
      return fail(MatchFailure::Attribute, node, [&](PartialMatch &p) {
        p.expected = cat("attribute '", attribute.name->str(), "' = ", shortText(bound), ", as '",
                         pattern_->variables()[index], "' is elsewhere");
        p.found = foundText();
      });
    }
  }
  return true;
}

bool Matcher::bindSymbol(uint32_t symbol, const Dim &dim) {
  if (!symbolBound_[symbol]) {
    symbolBound_[symbol] = 1;
    symbols_[symbol] = dim;
    bind(Bound::Symbol, symbol);
    return true;
  }
  // Two unknown sizes may differ.
  bool isKnown = dim.isStatic() || dim.symbol;
  return isKnown && symbols_[symbol] == dim;
}

bool Matcher::checkShape(const PatternConstraint &constraint, const Value *value,
                         const Type *type) {
  auto refuse = [&] {
    return fail(MatchFailure::Type, value->node(), [&](PartialMatch &p) {
      p.expected = shortText(constraint);
      p.found = cat(type->str(), " of ", shortText(value->node()));
    });
  };
  if (!type->isRanked())
    return refuse();
  std::span<const Dim> shape = type->shape();
  const std::vector<PatternDim> &dims = constraint.dims;
  auto rest = std::ranges::find_if(
      dims, [](const PatternDim &d) { return d.kind == PatternDim::Kind::Rest; });
  auto before = size_t(rest - dims.begin());
  size_t after = rest == dims.end() ? 0 : dims.size() - before - 1;
  if (rest == dims.end() ? shape.size() != dims.size() : shape.size() < before + after)
    return refuse();
  auto isDim = [&](const PatternDim &wanted, const Dim &dim) {
    switch (wanted.kind) {
    case PatternDim::Kind::Size:
      return dim.size == wanted.size;
    case PatternDim::Kind::Symbol:
      return bindSymbol(wanted.symbol, dim);
    case PatternDim::Kind::Any:
    case PatternDim::Kind::Rest:
      break;
    }
    return true;
  };
  for (size_t i = 0; i != before; ++i)
    if (!isDim(dims[i], shape[i]))
      return refuse();
  for (size_t i = 0; i != after; ++i)
    if (!isDim(dims[before + 1 + i], shape[shape.size() - after + i]))
      return refuse();
  return true;
}

bool Matcher::checkType(const PatternConstraint &constraint, const Value *value) {
  const Type *type = value->type();
  bool isTensor = type->isTensor();
  auto rank = isTensor && type->isRanked() ? int64_t(type->shape().size()) : int64_t(-1);
  bool dtypeFits =
      constraint.dtypes.empty() ||
      (isTensor && std::ranges::find(constraint.dtypes, type->dtype()) != constraint.dtypes.end());
  bool rankFits =
      constraint.minRank < 0 || (rank >= constraint.minRank && rank <= constraint.maxRank);
  if (!dtypeFits || !rankFits || (constraint.hasShape && !isTensor))
    return fail(MatchFailure::Type, value->node(), [&](PartialMatch &p) {
      p.expected = shortText(constraint);
      p.found = cat(type->str(), " of ", shortText(value->node()));
    });
  if (constraint.hasShape && !checkShape(constraint, value, type))
    return false;
  if (options_.disputes)
    if (const std::string *dispute = options_.disputes->find(value))
      return fail(MatchFailure::Type, value->node(), [&](PartialMatch &p) {
        p.expected = cat("a type that inference does not contradict, for ", shortText(constraint));
        p.found = *dispute;
      });
  for (uint32_t predicate : constraint.predicates)
    if (!pattern_->options().predicates[predicate].test(const_cast<Value *>(value), {}))
      return fail(MatchFailure::Predicate, value->node(), [&](PartialMatch &p) {
        p.expected = "a value that the pattern's function accepts";
        p.found = shortText(value->node());
      });
  return true;
}

// --- The whole match

bool Matcher::isOutput(const Value *value) const {
  return std::ranges::any_of(pattern_->outputs(),
                             [&](uint32_t output) { return match_.values_[output] == value; });
}

bool Matcher::checkOutsideUses() {
  for (uint32_t index : boundNodes_) {
    const Node *node = match_.nodes_[index];
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Value *value = node->result(i);
      const Use *use = value->firstUse();
      if (!use || isOutput(value))
        continue;
      for (; use; use = use->next())
        if (!isTaken(use->owner()))
          return fail(MatchFailure::OutsideUse, node, [&](PartialMatch &p) {
            p.expected = cat("result ", i, " of ", shortText(node),
                             " used inside the match only, or an output of the pattern");
            p.found = use->owner()->isNetOutput()
                          ? cat("it is an output of ", use->owner()->graph()->describe())
                          : cat("it is used by ", shortText(use->owner()));
          });
    }
  }
  return true;
}

/// A value that the replacement uses as an input must not be one that the match removes; and if
/// that value is kept for other users, the replacement has no valid position before it.
bool Matcher::checkInputs() {
  auto isInside = [&](const Value *value, std::string_view name) {
    return isTaken(value->node()) &&
           !fail(MatchFailure::OutsideUse, value->node(), [&](PartialMatch &p) {
             p.expected = cat("a value from outside the match for '", name, "'");
             p.found = cat("result ", value->index(), " of ", shortText(value->node()),
                           ", which is inside");
           });
  };
  for (uint32_t input : pattern_->inputs())
    if (const Value *value = match_.values_[input])
      if (isInside(value, pattern_->values()[input].name))
        return false;
  for (const std::vector<Value *> &rest : match_.rests_)
    for (const Value *value : rest)
      if (value && isInside(value, "the rest"))
        return false;
  return true;
}

/// Python functions may read the types of all matched nodes.
bool Matcher::checkDisputes() {
  return std::ranges::none_of(boundNodes_, [&](uint32_t index) {
    const Node *node = match_.nodes_[index];
    const std::string *dispute = options_.disputes->find(node);
    return dispute && !fail(MatchFailure::Condition, node, [&](PartialMatch &p) {
             p.expected = "types that inference does not contradict: functions may look at them";
             p.found = *dispute;
           });
  });
}

bool Matcher::complete(const Condition *condition) {
  if ((!options_.allowOutsideUses && !checkOutsideUses()) || !checkInputs())
    return false;
  if (options_.disputes && (condition || options_.needsTypes) && !checkDisputes())
    return false;
  if (!condition)
    return true;
  match_.reason_.clear();
  return (*condition)(match_) ||
         fail(MatchFailure::Condition, match_.anchor_, [&](PartialMatch &p) {
           p.expected = "a match that the condition accepts";
           p.found = match_.reason_.empty() ? std::string("it returned false") : match_.reason_;
         });
}

PartialMatch *Matcher::record(MatchFailure failure, const Node *at) {
  auto matched = uint32_t(boundNodes_.size());
  // Of equally complete attempts, keeps the one that failed at the latest check: of these the
  // first, but for conditions and outside uses the last.
  bool isLast = failure == MatchFailure::OutsideUse || failure == MatchFailure::Condition;
  if (best_->failure != MatchFailure::None &&
      (matched < best_->matched ||
       (matched == best_->matched &&
        (failure < best_->failure || (failure == best_->failure && !isLast)))))
    return nullptr;
  *best_ = {};
  best_->anchor = match_.anchor_;
  best_->failure = failure;
  best_->matched = matched;
  best_->at = at;
  for (uint32_t index : boundNodes_)
    best_->nodes.push_back(match_.nodes_[index]);
  return best_;
}

// --- Match

bool Match::contains(const Node *node) const {
  return std::ranges::find(nodes_, node) != nodes_.end();
}

std::vector<Node *> Match::matchedNodes() const {
  std::vector<Node *> nodes;
  matchedNodes(nodes);
  return nodes;
}

void Match::matchedNodes(std::vector<Node *> &out) const {
  out.clear();
  bool isSorted = true;
  for (Node *node : nodes_) {
    if (!node)
      continue;
    isSorted = isSorted && (out.empty() || out.back()->isBefore(node));
    out.push_back(node);
  }
  if (!isSorted)
    std::ranges::sort(out, [](const Node *a, const Node *b) { return a != b && a->isBefore(b); });
}

std::vector<Value *> Match::matchedConstants() const {
  std::vector<Value *> constants;
  for (size_t i = 0; i != values_.size(); ++i)
    if (values_[i] && pattern_->values()[i].kind == Kind::Constant &&
        std::ranges::find(constants, values_[i]) == constants.end())
      constants.push_back(values_[i]);
  return constants;
}

std::vector<Node *> matchCandidates(const Pattern &pattern, const Graph *graph) {
  std::vector<Node *> nodes;
  for (Node *node = graph->front(); node; node = node->next())
    if (pattern.anchorsAt(node))
      nodes.push_back(node);
  if (pattern.anchors().size() > 1)
    std::ranges::reverse(nodes);
  return nodes;
}

} // namespace ge
