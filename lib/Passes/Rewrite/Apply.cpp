//===- Apply.cpp - one match replaced ---------------------------------------------------------===//
#include "Apply.h"

#include "../Match/Conditions.h"
#include "ResultTypes.h"

#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge {

namespace {

/// Where `node` is in the list of `graph`: itself, or the node whose subgraph holds it. Null: not
/// in it.
Node *listedIn(const Graph *graph, Node *node) {
  while (node->graph() != graph) {
    Graph *inside = node->graph();
    node = inside ? inside->parentNode() : nullptr;
    if (!node)
      return nullptr;
  }
  return node->isListed() ? node : nullptr;
}

/// Whether `first` stands before `then`, which depends on it, wherever the two are.
bool isInOrder(Node *first, Node *then) {
  if (!first->isListed() || !then->graph() || then->isNetOutput())
    return true;
  Node *listed = listedIn(first->graph(), then);
  return !listed || (listed != first && first->isBefore(listed));
}

template <typename T> bool contains(const std::vector<T> &items, const T &item) {
  return std::ranges::find(items, item) != items.end();
}

/// Whether the value is an output of its graph, or of a body. O(uses).
bool isOutput(const Value *value) {
  for (const Use *use = value->firstUse(); use; use = use->next())
    if (use->owner()->isNetOutput())
      return true;
  return false;
}

} // namespace

/// What a replacement function does beside giving values.
class Applier::Watch final : public MutationListener {
public:
  Watch(Applier &applier, Root &root) : applier_(applier), root_(root) { root_.addListener(this); }
  ~Watch() override { root_.removeListener(this); }
  void inserted(Node *node) override {
    if (node->isListed() && node->graph() == applier_.graph_ && !applier_.isMatched(node))
      applier_.stamped_.nodes.push_back(node);
  }
  void removed(Node *node, Graph *) override {
    std::erase(applier_.stamped_.nodes, node);
    if (applier_.isMatched(node) && lost.empty())
      lost = node->describe();
  }
  void operandChanged(Node *node, uint32_t, Value *) override {
    for (uint32_t i = 0; applier_.ordered_ && i != node->numOperands(); ++i)
      if (const Value *value = node->operand(i))
        applier_.ordered_ = isInOrder(value->node(), node);
  }
  void controlChanged(Node *from, Node *to) override {
    applier_.ordered_ = applier_.ordered_ && isInOrder(from, to);
  }
  void reordered(Graph *) override { applier_.ordered_ = false; }
  std::string lost; ///< a matched node that was taken away

private:
  Applier &applier_;
  Root &root_;
};

void Applier::enter(Graph *graph) {
  graph_ = graph;
  ordered_ = false;
}

bool Applier::isMatched(const Node *node) const {
  return std::ranges::find(matched_, node) != matched_.end();
}
bool Applier::isNew(const Node *node) const {
  return std::ranges::find(stamped_.nodes, node) != stamped_.nodes.end();
}

void Applier::keepOrder() {
  if (!ordered_)
    Mutation::sort(graph_);
  ordered_ = true;
}

Applier::Result Applier::apply(const RewriteRule &rule, const Match &match) {
  stamped_.nodes.clear();
  stamped_.outputs.clear();
  if (rule.build)
    keepOrder();
  match.matchedNodes(matched_);
  Place place = findPlace(match);
  if (!place.legal)
    return Result::Cyclic;
  for (const Node *node : matched_)
    Mutation::loadName(node);
  if (rule.replacement)
    rule.replacement->stamp(match, graph_, place.before, stamped_);
  else if (!build(rule, match, place.before))
    return Result::Skipped;
  Mutation::loadNamePlace(match.anchor());
  checkTypes(rule, match);
  if (observer_)
    tell(rule, match);
  exchange(rule, match);
  return Result::Replaced;
}

// --- The place

Applier::Place Applier::findPlace(const Match &match) {
  // Matched nodes after the anchor, or edges that go around the values, leave room for a way from
  // the match out and back into it. Without them there is none that was not there before.
  bool isPlain =
      matched_.back() == match.anchor() && match.pattern().outputs().size() == 1 &&
      std::ranges::all_of(matched_, [&](const Node *node) {
        return node == match.anchor() || !node->extra() || node->controlOutputs().empty();
      });
  if (isPlain && !options_.match.allowOutsideUses)
    return {match.anchor(), true};
  if (!ordered_) {
    keepOrder();
    match.matchedNodes(matched_);
  }
  std::unordered_set<const Node *> needed; // by the new nodes
  Node *last = nullptr;                    // of these
  auto need = [&](Node *node) {
    if (node->graph() != graph_ || !node->isListed() || isMatched(node) ||
        !needed.insert(node).second)
      return;
    if (!last || last->isBefore(node))
      last = node;
  };
  std::vector<Node *> after; // what must come after them
  auto follow = [&](Node *node) {
    Node *listed = listedIn(graph_, node);
    if (listed && !isMatched(listed) && !contains(after, listed))
      after.push_back(listed);
  };
  for (Node *node : matched_) {
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (Value *value = node->operand(i))
        need(value->node());
    for (Node *input : node->controlInputs())
      need(input);
    for (Node *output : node->controlOutputs())
      follow(output);
    for (uint32_t i = 0; i != node->numResults(); ++i)
      for (const Use *use = node->result(i)->firstUse(); use; use = use->next())
        follow(use->owner());
  }
  if (!clearWay(needed, last, after))
    return {nullptr, false};
  return {last ? last->next() : graph_->front(), true};
}

/// Moves what depends on the match, and stands before `last`, after it. False: something needed,
/// or a matched node, depends on the match by a way outside of it. O(nodes in between).
bool Applier::clearWay(const std::unordered_set<const Node *> &needed, Node *last,
                       std::vector<Node *> &after) {
  if (!last)
    return true;
  std::unordered_set<const Node *> seen;
  std::vector<Node *> region;
  for (size_t i = 0; i != after.size(); ++i) {
    Node *node = after[i];
    if (node != last && !node->isBefore(last))
      continue;
    if (isMatched(node) || needed.contains(node))
      return false;
    if (!seen.insert(node).second)
      continue;
    region.push_back(node);
    for (Node *output : node->controlOutputs())
      if (Node *listed = listedIn(graph_, output))
        after.push_back(listed);
    for (uint32_t r = 0; r != node->numResults(); ++r)
      for (const Use *use = node->result(r)->firstUse(); use; use = use->next())
        if (Node *listed = listedIn(graph_, use->owner()))
          after.push_back(listed);
  }
  std::ranges::sort(region, [](const Node *a, const Node *b) { return a != b && a->isBefore(b); });
  Node *at = last->next();
  for (Node *node : region)
    Mutation::insert(node, graph_, at);
  // The new nodes come between `last` and the first that was moved.
  return true;
}

// --- What comes in

bool Applier::build(const RewriteRule &rule, const Match &match, Node *before) {
  Replacement built;
  struct Release {
    Replacement &built;
    ~Release() {
      if (built.release)
        built.release();
    }
  } release{built};
  {
    Watch watch(*this, graph_->root());
    built = rule.build(match, before);
    if (!watch.lost.empty())
      throwError(ErrorKind::Pass, "rule '", rule.name, "': its replacement took away ", watch.lost,
                 ", which it is to replace; give the new values instead, the rewriter erases what "
                 "was matched");
  }
  if (!ordered_) // by what the function did
    match.matchedNodes(matched_);
  if (built.skip) {
    if (!stamped_.nodes.empty())
      throwError(ErrorKind::Pass, "rule '", rule.name,
                 "': its replacement skips the match after "
                 "it made ",
                 stamped_.nodes.front()->describe(), "; decide first, or in the condition");
    return false;
  }
  if (built.graph) {
    Template made(built.graph, match.pattern());
    made.stamp(match, graph_, before, stamped_);
    return true;
  }
  checkBuilt(rule, match, built);
  stamped_.outputs = std::move(built.values);
  return true;
}

void Applier::checkBuilt(const RewriteRule &rule, const Match &match,
                         const Replacement &built) const {
  auto refuse = [&](const auto &...what) {
    throwError(ErrorKind::Pass, "rule '", rule.name, "': its replacement ", what...);
  };
  if (built.values.size() != match.pattern().outputs().size())
    refuse("gives ", built.values.size(), " values for the ", match.pattern().outputs().size(),
           " outputs of the pattern");
  for (const Node *node : stamped_.nodes)
    for (uint32_t i = 0; i != node->numOperands(); ++i) {
      const Value *value = node->operand(i);
      Node *producer = value ? listedIn(graph_, value->node()) : nullptr;
      if (producer && producer != node && !producer->isBefore(node))
        refuse("uses ", producer->describe(), ", which comes after the match: ", node->describe(),
               " stands before it");
    }
  for (uint32_t i = 0; i != built.values.size(); ++i) {
    const Value *value = built.values[i];
    if (!value) {
      if (const Value *old = match.output(i); old && old->hasUses())
        refuse("gives nothing for output ", i, ", which is used");
      continue;
    }
    if (&value->root() != &graph_->root())
      refuse("gives ", value->node()->describe(), ", which is of another graph");
    Graph *home = value->graph();
    if (!home || !home->encloses(graph_))
      refuse("gives ", value->node()->describe(), ", which cannot be seen from ",
             graph_->describe());
    if (Node *producer = listedIn(graph_, value->node());
        producer && !isNew(producer) && !isMatched(producer) && !producer->isBefore(match.anchor()))
      refuse("gives ", producer->describe(), ", which comes after the match");
  }
}

// --- Types

size_t Applier::SeenTypes::Hash::operator()(const SeenTypes &seen) const {
  uint64_t hash = reinterpret_cast<uintptr_t>(seen.rule);
  for (uint32_t id : seen.ids)
    hash = hashCombine(hash, id);
  return size_t(hash);
}

/// Error(Pass) when a new node does not fit its operator's definition, when an output's users would
/// get a value of another kind or element type, and when an output of the graph would get another
/// shape. Definitions and inference are asked once for each combination of types, which most
/// matches share; what captured attributes are is for the pass manager to check.
void Applier::checkTypes(const RewriteRule &rule, const Match &match) {
  uint32_t count = uint32_t(stamped_.outputs.size());
  std::vector<uint32_t> &ids = types_.ids;
  auto add = [&](const Value *value) { ids.push_back(value ? value->typeId() : UINT32_MAX); };
  types_.rule = &rule;
  ids.clear();
  for (uint32_t i = 0; i != count; ++i) {
    const Value *from = match.output(i);
    add(from);
    add(stamped_.outputs[i]);
    ids.push_back(from && isOutput(from));
  }
  for (const Node *node : stamped_.nodes) {
    ids.push_back(node->opId());
    ids.push_back(node->numOperands());
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      add(node->operand(i));
  }
  if (types_ == lastTypes_ || knownTypes_.contains(types_))
    return;
  // What a subgraph computes depends on more than the operands of its node.
  bool isPlain = std::ranges::none_of(
      stamped_.nodes, [](const Node *node) { return node->extra() && !node->subgraphs().empty(); });
  for (const Node *node : stamped_.nodes)
    if (std::string fault = structureFault(node, stamped_.nodes); !fault.empty())
      throwError(ErrorKind::Pass, "rule '", rule.name,
                 "': its replacement makes a wrong node: ", fault);
  for (uint32_t i = 0; i != count; ++i)
    if (Value *from = match.output(i), *to = stamped_.outputs[i];
        from && to && from != to && isMatched(from->node()))
      isPlain &= checkOutputType(rule, i, from, to);
  if (!isPlain)
    return;
  knownTypes_.insert(types_);
  lastTypes_ = types_;
}

/// False: the type of `to` was corrected, so that others with these types are to be looked at, too.
bool Applier::checkOutputType(const RewriteRule &rule, uint32_t output, Value *from, Value *to) {
  const Type *declared = to->type(), *has = declared, *had = from->type();
  bool isMade = isNew(to->node());
  // A template takes the types of what it replaces; only inference says what comes out.
  const Type *inferred = isMade ? inferredType(to) : nullptr;
  if (inferred)
    has = preferInferred(inferred, declared);
  auto correct = [&](const Type *type) {
    if (type == declared || (!inferred && meetTypes(declared, type)))
      return true;
    Mutation::setType(to, type);
    return false;
  };
  if (has->kind() == TypeKind::Unknown || isGuess(from))
    return true;
  if (isMade && isGuess(to) && has == declared) {
    if (had != declared)
      Mutation::setType(to, had);
    return had == declared;
  }
  if (const Type *met = meetTypes(had, has))
    return !isMade || correct(inferred ? preferInferred(has, had) : met);
  auto refuse = [&](const auto &...hint) {
    throwError(ErrorKind::Pass, "rule '", rule.name, "': its replacement gives ", shortType(has),
               " of ", to->node()->describe(), " for output ", output, ", which is ",
               shortType(had), " of ", from->node()->describe(), hint...);
  };
  // Declared shapes are often wrong, and a number may stand for a tensor that its users broadcast:
  // the value says its own. Not where nothing broadcasts it, and inference confirms the old shape.
  if (had->isTensor() && has->isTensor() && had->dtype() == has->dtype()) {
    if (const Type *confirmed = isOutput(from) ? inferredType(from) : nullptr;
        confirmed && !meetTypes(confirmed, has))
      refuse(" and an output of ", graph_->describe(),
             "; give a value of that shape, or add a condition that leaves such matches out");
    return !isMade || correct(has);
  }
  // What a file declares may be wrong: then the replacement is right.
  if (const Type *confirmed = inferredType(from); confirmed && meetTypes(confirmed, has))
    return !isMade || correct(has);
  refuse("; give a value of that type (a Cast), or add a condition that leaves such matches out");
  return true;
}

// --- The exchange

void Applier::tell(const RewriteRule &rule, const Match &match) {
  if (!observer_->isHeard()) {
    observer_->tell({});
    return;
  }
  std::string at;
  match.anchor()->appendName(at);
  std::vector<Value *> before;
  for (uint32_t i = 0; i != match.pattern().outputs().size(); ++i)
    before.push_back(match.output(i));
  observer_->tell({rule.name, at, graph_, matched_, stamped_.nodes, before, stamped_.outputs});
}

void Applier::exchange(const RewriteRule &rule, const Match &match) {
  moveControl(match);
  setOrigins(rule);
  const std::vector<uint32_t> &outputs = match.pattern().outputs();
  for (uint32_t i = 0; i != outputs.size(); ++i) {
    Value *from = match.output(i), *to = stamped_.outputs[i];
    if (!from || !to || from == to)
      continue;
    // An input of the pattern may be an output, too: it stays what it is.
    if (!isMatched(from->node()))
      continue;
    Mutation::replaceAllUses(from, to, newUsers(from));
    // Of an operator without type inference.
    if (to->type() == graph_->context().unknownType() && isNew(to->node()))
      Mutation::setType(to, from->type());
    Mutation::moveName(from, to);
    if (isNew(to->node()))
      Mutation::moveName(from->node(), to->node());
  }
  std::vector<Value *> constants;
  if (match.pattern().hasConstants())
    constants = match.matchedConstants();
  for (size_t i = matched_.size(); i-- > 0;)
    if (!matched_[i]->hasUses())
      Mutation::erase(matched_[i]);
  for (Value *constant : constants)
    if (Node *node = constant->node();
        !node->hasUses() && node->isListed() && node->controlOutputs().empty())
      Mutation::erase(node);
}

/// The new nodes, and the users of a value that are inside of them.
std::vector<Node *> &Applier::newUsers(const Value *value) {
  users_ = stamped_.nodes;
  for (const Use *use = value->firstUse(); use; use = use->next())
    if (use->owner()->graph() != graph_)
      if (Node *listed = listedIn(graph_, use->owner()); listed && isNew(listed))
        users_.push_back(use->owner());
  return users_;
}

void Applier::moveControl(const Match &match) {
  std::vector<Node *> ins, outs;
  for (Node *node : matched_) {
    if (!node->extra())
      continue;
    for (Node *input : node->controlInputs())
      if (!isMatched(input) && !contains(ins, input))
        ins.push_back(input);
    for (Node *output : node->controlOutputs())
      if (!isMatched(output) && !contains(outs, output))
        outs.push_back(output);
  }
  if (ins.empty() && outs.empty())
    return;
  // Without new nodes the order is kept between those outside.
  if (stamped_.nodes.empty()) {
    bool stays = std::ranges::any_of(
        stamped_.outputs, [&](const Value *value) { return value && isMatched(value->node()); });
    if (!stays)
      for (Node *input : ins)
        for (Node *output : outs)
          if (input != output)
            Mutation::addControlEdge(input, output);
    return;
  }
  for (Node *node : stamped_.nodes) {
    bool isFirst = true, isLast = true;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      isFirst &= !node->operand(i) || !isNew(node->operand(i)->node());
    for (uint32_t i = 0; i != node->numResults(); ++i)
      for (const Use *use = node->result(i)->firstUse(); use; use = use->next())
        isLast &= !isNew(use->owner());
    for (Node *input : ins)
      if (isFirst)
        Mutation::addControlEdge(input, node);
    for (Node *output : outs)
      if (isLast)
        Mutation::addControlEdge(node, output);
  }
  (void)match;
}

void Applier::setOrigins(const RewriteRule &rule) {
  if (stamped_.nodes.empty())
    return;
  // What came from what came from something else is named by its last steps.
  constexpr size_t kMost = 16;
  Context &context = graph_->context();
  const EditScope *scope = EditScope::current();
  if (namedRule_ != &rule) {
    namedRule_ = &rule;
    ruleName_ = rule.name.empty() ? nullptr : context.identifier(rule.name);
  }
  const Identifier *pass = scope ? scope->passIn(context) : nullptr;
  const Location *where = scope ? scope->whereIn(context) : nullptr;
  origins_.clear();
  generatedNames_.clear();
  for (const Node *node : matched_) {
    std::string_view name = node->name();
    if (!node->hasName()) {
      generatedNames_.reserve(matched_.size()); // they are not moved
      node->appendName(generatedNames_.emplace_back());
      name = generatedNames_.back();
    }
    origins_.push_back({name, node->op(), pass, ruleName_, where});
  }
  for (const Node *node : matched_)
    for (const OriginView &origin : node->origins())
      if (origins_.size() < kMost && !origin.node.empty())
        origins_.push_back(origin);
  for (Node *node : stamped_.nodes)
    if (node->origins().empty())
      Mutation::setOrigins(node, origins_);
    else
      for (const OriginView &origin : origins_)
        Mutation::addOrigin(node, origin);
}

} // namespace ge
