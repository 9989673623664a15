//===- MutationNode.cpp - making, moving and erasing nodes ------------------------------------===//

#include "MutationImpl.h"

#include "ge/IR/Segments.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <ranges>
#include <unordered_set>

namespace ge {

// --- Checks
// ------------------------------------------------------------------------------------------

void Mutation::Impl::checkContext(const Context &context, const Context *other,
                                  std::string_view what) {
  if (other && other != &context)
    throwError(
        ErrorKind::Value, what,
        " belongs to another context; make it in the context of the graph, or move it by text");
}

void Mutation::Impl::checkOperand(Root &root, const Value *value) {
  if (!value) [[unlikely]]
    return;
  if (&value->root() != &root) [[unlikely]] {
    checkContext(root.context(), &value->context(),
                 cat(value->node()->describe(), ", whose result is to be an operand,"));
    throwError(ErrorKind::Value, value->node()->describe(), " is of another graph ('",
               value->root().graph() ? value->root().graph()->name() : std::string_view("?"),
               "'): operands must be of the same root graph; clone the node, or add a graph input");
  }
  if (value->isAbsent()) [[unlikely]]
    throwError(ErrorKind::Value, "result ", value->index(), " of ", value->node()->describe(),
               " is absent (type none) and cannot be used");
}

static void checkRepeated(std::span<const NamedAttribute> attributes) {
  auto refuse = [](const Identifier *name) {
    throwError(ErrorKind::Value, "attribute '", name->str(), "' is given twice");
  };
  // Comparing all pairs is fastest for the few that nodes have.
  constexpr size_t kFew = 16;
  if (attributes.size() <= kFew) {
    for (size_t i = 1; i < attributes.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (attributes[k].name == attributes[i].name)
          refuse(attributes[i].name);
    return;
  }
  std::vector<const Identifier *> names;
  names.reserve(attributes.size());
  for (const NamedAttribute &attribute : attributes)
    names.push_back(attribute.name);
  std::sort(names.begin(), names.end(),
            [](const Identifier *a, const Identifier *b) { return a->id() < b->id(); });
  if (auto it = std::adjacent_find(names.begin(), names.end()); it != names.end())
    refuse(*it);
}

void Mutation::Impl::checkSpec(Root &root, const NodeSpec &spec) {
  if (!spec.op)
    throwError(ErrorKind::Type, "a node needs an operator");
  if (!isValidUtf8(spec.name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  const Context &context = root.context();
  checkContext(context, &spec.op->context(), "the operator");
  const uint32_t none = context.noneType()->id();
  for (const Value *value : spec.operands)
    if (value && (value->node()->graph_->root_ != &root || value->typeId() == none)) [[unlikely]]
      checkOperand(root, value);
  if (spec.resultTypes.size() >= (1u << 24) || spec.operands.size() >= (size_t(1) << 31))
    throwError(ErrorKind::Value, "a node has at most 16777215 results and 2147483647 operands");
  for (const Type *type : spec.resultTypes)
    if (&type->context() != &context) [[unlikely]]
      checkContext(context, &type->context(), "a result type");
  for (size_t i = 0; i < spec.attributes.size(); ++i) {
    const NamedAttribute &attribute = spec.attributes[i];
    checkContext(context, &attribute.name->context(), "an attribute name");
    checkContext(context, attribute.value.context(), "an attribute");
  }
  checkRepeated(spec.attributes);
  checkSegments(spec.operandSegments, spec.operands.size(), "operand");
  checkSegments(spec.resultSegments, spec.resultTypes.size(), "result");
  if (spec.location)
    checkContext(context, &spec.location->context(), "the location");
}

// --- Memory
// ------------------------------------------------------------------------------------------

Node *Mutation::Impl::allocate(Root &root, uint32_t op, uint32_t operands, uint32_t results) {
  // A node that is created in a transaction usually replaces another one and gets origins.
  bool hasOriginPlace = root.journal_ != nullptr;
  auto *node = new (root.arena_.allocate(NodeBlock::bytes(results, operands, hasOriginPlace))) Node;
  node->graph_ = root.limbo_;
  node->prev_ = node->next_ = nullptr;
  node->link_.store((root.nextSerial_++ << 2) | Link::kSerial);
  node->order_ = 0;
  node->op_ = op;
  node->location_ = 0;
  node->numOperands_ = operands;
  node->numResults_ = results;
  node->flags_ = Node::kDetached;
  if (hasOriginPlace) {
    node->flags_ |= NodeBlock::kHasOriginPlace;
    ::new (static_cast<void *>(&originPlace(node))) OriginList *(nullptr);
  }
  for (uint32_t i = 0; i < results; ++i) {
    auto *value = new (node->results() + i) Value;
    value->type_ = 0;
    value->index_ = i;
    value->typeSource_ = uint32_t(TypeSource::Declared);
    value->firstUse_ = nullptr;
  }
  for (uint32_t i = 0; i < operands; ++i)
    new (node->uses() + i) Use{};
  for (uint32_t i = 0; i < operands; ++i)
    node->uses()[i].owner_ = node;
  return node;
}

void Mutation::Impl::created(Node *node) {
  Root &root = node->root();
  record(root, undo::Created{node});
  notify(root, [&](MutationListener &l) { l.created(node); });
}

NodeExtra &Mutation::Impl::extra(Node *node) {
  node->flags_ |= Node::kHasExtra;
  return node->root().extras_[node];
}

void Mutation::Impl::dropExtraIfEmpty(Node *node) {
  const NodeExtra *e = node->extra();
  if (!e || !e->controlInputs.empty() || !e->controlOutputs.empty() || !e->subgraphs.empty() ||
      e->segments)
    return;
  node->root().extras_.erase(node);
  node->flags_ &= ~Node::kHasExtra;
}

// --- Lists
// -------------------------------------------------------------------------------------------

void Mutation::Impl::moveCursors(Graph *graph, Node *node) {
  for (NodeCursor *cursor = graph->cursors_; cursor; cursor = cursor->nextCursor_)
    if (cursor->at_ == node)
      cursor->at_ = cursor->reverse_ ? node->next_ : node->prev_;
}

void Mutation::Impl::link(Node *node, Graph *graph, Node *before) {
  if (enter(node, graph, before))
    record(graph->root(), undo::Inserted{node});
}

bool Mutation::Impl::enter(Node *node, Graph *graph, Node *before) {
  node->graph_ = graph;
  node->next_ = before;
  node->prev_ = before ? before->prev_ : graph->last_;
  (node->prev_ ? node->prev_->next_ : graph->first_) = node;
  (before ? before->prev_ : graph->last_) = node;
  ++graph->numNodes_;
  Root &root = graph->root();
  if (graph == root.limbo_) {
    node->flags_ |= Node::kDetached;
    return false;
  }
  node->flags_ &= ~Node::kDetached;
  graph->lastAt_ = nullptr;
  OrderLabels::assign(node);
  notify(root, [&](MutationListener &l) { l.inserted(node); });
  return true;
}

void Mutation::Impl::unlink(Node *node) {
  Node *before = node->next_;
  if (Graph *graph = leave(node))
    record(graph->root(), undo::Removed{node, graph, before});
}

Graph *Mutation::Impl::leave(Node *node) {
  Graph *graph = node->graph_;
  if (graph->cursors_)
    moveCursors(graph, node);
  (node->prev_ ? node->prev_->next_ : graph->first_) = node->next_;
  (node->next_ ? node->next_->prev_ : graph->last_) = node->prev_;
  node->prev_ = node->next_ = nullptr;
  --graph->numNodes_;
  graph->lastAt_ = nullptr;
  Root &root = graph->root();
  node->graph_ = root.limbo_;
  node->flags_ |= Node::kDetached;
  if (graph == root.limbo_)
    return nullptr;
  notify(root, [&](MutationListener &l) { l.removed(node, graph); });
  return graph;
}

// --- Death
// -------------------------------------------------------------------------------------------

void Mutation::Impl::destroy(Node *node, Graph *from, Node *before) {
  Root &root = node->root();
  Journal *journal = root.journal_.get();
  bool undoing = journal && journal->isUndoing();
  bool parked = journal && !undoing;
  DeathCause cause = undoing ? DeathCause::RolledBack : DeathCause::Erased;
  notify(root, [&](MutationListener &l) { l.erased(node); });
  bool isInArena = node->attrs_.size() == 0 && !(node->flags_ & Node::kHasExtra) &&
                   (!(node->flags_ & Node::kHasOrigins) ||
                    node->flags_ & NodeBlock::kHasOriginPlace); // and nothing of it elsewhere
  auto kill = [&](Link &link) {
    if (!link.record())
      return;
    isInArena = false;
    root.table_.kill(root, link, cause, parked);
  };
  kill(node->link_);
  for (uint32_t i = 0; i < node->numResults_; ++i)
    kill(node->result(i)->link_);
  if (parked) {
    node->flags_ |= Node::kParked;
    ++root.changeCount_;
    if (isInArena)
      return journal->recordParked(node, from, before);
    return journal->record(undo::Destroyed{node, from, before});
  }
  ++root.changeCount_;
  leaveNames(node);
  root.freeNode(node);
}

void Mutation::Impl::revive(Node *node) {
  Root &root = node->root();
  node->flags_ &= ~Node::kParked;
  // A name that no other node has taken meanwhile is still in the index.
  auto isOut = [&](uintptr_t word) { return asName(word) && !asName(word)->isEntered; };
  if (isOut(node->link_.name()))
    enterName(root, node);
  for (uint32_t i = 0; i < node->numResults_; ++i)
    if (isOut(node->result(i)->link_.name()))
      enterName(root, node->result(i));
  auto revive = [&](Link &link) {
    if (HandleRecord *record = link.record())
      root.table_.revive(record);
  };
  revive(node->link_);
  for (uint32_t i = 0; i < node->numResults_; ++i)
    revive(node->result(i)->link_);
  if (!node->isData())
    link(node, root.limbo_, nullptr);
  ++root.changeCount_;
  notify(root, [&](MutationListener &l) { l.created(node); });
  restoreOperands(node);
}

void Mutation::Impl::loadNode(const Node *node) {
  constexpr size_t kLine = 64;
  prefetch(node);
  prefetch(reinterpret_cast<const char *>(node) + kLine);
}

void Mutation::Impl::loadNames(const Node *node) {
  prefetch(asName(node->link_.name()));
  for (uint32_t i = 0; i < node->numResults_; ++i)
    prefetch(asName(node->result(i)->link_.name()));
}

void Mutation::Impl::leaveNames(Node *node) {
  Root &root = node->root();
  leaveName(root, node);
  for (uint32_t i = 0; i < node->numResults_; ++i)
    leaveName(root, node->result(i));
}

void Mutation::Impl::loadPlaces(Root &root, const Node *node) {
  if (const Name *name = asName(node->link_.name()))
    root.nodeNames_.prepare(name);
  for (uint32_t i = 0; i < node->numResults_; ++i)
    if (const Name *name = asName(node->result(i)->link_.name()))
      root.valueNames_.prepare(name);
}

void Mutation::Impl::uncreate(Node *node) {
  dropOperands(node);
  if (!node->isData())
    unlink(node);
  destroy(node);
}

void Mutation::Impl::dropUses(Node *node) {
  for (uint32_t i = 0; i < node->numResults_; ++i)
    while (const Use *use = node->result(i)->firstUse())
      setOperand(use->owner(), use->index(), nullptr);
}

void Mutation::Impl::eraseContents(Graph *graph) {
  // Users usually follow their producers, so erasing backwards leaves few uses to drop.
  dropControl(graph->output_);
  dropOperands(graph->output_);
  while (Node *node = graph->back())
    eraseNode(node);
  while (!graph->inputs_.empty()) {
    Node *input = graph->inputs_.back();
    dropUses(input);
    dropControl(input);
    removeInput(input);
    destroy(input);
  }
}

void Mutation::Impl::eraseNode(Node *node) {
  if (node->flags_ & Node::kHasExtra) {
    while (!node->subgraphs().empty())
      Mutation::eraseSubgraph(node->subgraphs().back());
    dropControl(node);
  }
  if (node->hasUses())
    dropUses(node);
  if (const Journal *journal = node->root().journal_.get(); journal && !journal->isUndoing())
    parkOperands(node);
  else
    dropOperands(node);
  Node *before = node->next_;
  Graph *graph = leave(node);
  destroy(node, graph, graph ? before : nullptr);
}

// --- Primitives
// --------------------------------------------------------------------------------------

Node *Mutation::Impl::build(Root &root, const NodeSpec &spec) {
  checkSpec(root, spec);
  auto count = uint32_t(spec.operands.size());
  auto operandLengths = storedSegments(*spec.op, false, spec.operandSegments, count);
  auto resultLengths = storedSegments(*spec.op, true, spec.resultSegments, spec.resultTypes.size());
  Node *node = allocate(root, spec.op->id(), count, uint32_t(spec.resultTypes.size()));
  if (spec.location) {
    root.interned().use(spec.location);
    node->location_ = spec.location->id();
  } else {
    node->location_ = root.context().unknownLocation()->id();
  }
  for (uint32_t i = 0; i < count; ++i)
    if (Value *value = spec.operands[i])
      linkUse(node->uses()[i], value);
  for (size_t i = 0; i < spec.resultTypes.size(); ++i) {
    root.interned().use(spec.resultTypes[i]);
    Value *result = node->result(uint32_t(i));
    result->type_ = spec.resultTypes[i]->id();
    result->typeSource_ = uint32_t(spec.typeSource);
  }
  if (!operandLengths.empty() || !resultLengths.empty())
    extra(node).segments =
        std::make_unique<NodeSegments>(NodeSegments{{operandLengths.begin(), operandLengths.end()},
                                                    {resultLengths.begin(), resultLengths.end()}});
  for (const NamedAttribute &attribute : spec.attributes)
    useAttribute(root, attribute.name, attribute.value);
  if (!spec.attributes.empty())
    fillAttributes(root.arena_, node->attrs_, spec.attributes);
  if (!spec.name.empty()) {
    uintptr_t word = claimName(root, false, spec.name, spec.keepDuplicateName);
    node->link_.store(word);
    enterName(root, node);
  }
  const EditScope *scope = EditScope::current();
  if (scope && scope->where) {
    OriginView origin;
    origin.pass = scope->passIn(root.context());
    origin.where = scope->whereIn(root.context());
    exchangeOrigins(node, packOrigins(root, std::span<const OriginView>(&origin, 1)));
  }
  created(node);
  return node;
}

Node *Mutation::create(Root &root, const NodeSpec &spec) {
  Node *node = Impl::build(root, spec);
  Impl::link(node, root.limbo_, nullptr);
  return node;
}

Node *Mutation::create(Graph *graph, Node *before, const NodeSpec &spec) {
  Root &root = graph->root();
  if (before && (before->graph() != graph || !before->isListed()))
    throwError(ErrorKind::Value, before->describe(), " is not in the node list of ",
               graph->describe());
  Node *node = Impl::build(root, spec);
  Impl::enter(node, graph, before); // undoing the creation also removes it from the list
  return node;
}

namespace {

void refuseSpecial(const Node *node, std::string_view what) {
  if (node->isNetOutput())
    throwError(ErrorKind::Value, "the output node of ", node->graph()->describe(), " cannot be ",
               what, "; set graph.outputs instead");
  if (node->isData())
    throwError(ErrorKind::Value, node->describe(), " is an input of ", node->graph()->describe(),
               " and cannot be ", what, "; use the functions for inputs");
}

} // namespace

void Mutation::insert(Node *node, Graph *graph, Node *before) {
  refuseSpecial(node, "moved");
  if (&node->root() != &graph->root())
    throwError(ErrorKind::Value, node->describe(), " is of another root graph than ",
               graph->describe(), "; nodes do not move between root graphs: clone it there");
  if (before && (before->graph() != graph || !before->isListed()))
    throwError(ErrorKind::Value, before->describe(), " is not in the node list of ",
               graph->describe());
  if (before == node)
    return;
  uint32_t deepest = 0;
  for (const Graph *inner : node->subgraphs()) {
    if (inner->encloses(graph))
      throwError(ErrorKind::Value, node->describe(), " cannot be moved into a graph inside itself");
    deepest = std::max(deepest, Impl::depthOf(inner));
  }
  if (deepest && graph->depth() + deepest > Graph::kMaxDepth)
    throwError(ErrorKind::Value, "graphs nest at most ", Graph::kMaxDepth, " deep");
  if (!node->isDetached() && node->graph_ == graph && (node->next_ == before))
    return;
  Impl::unlink(node);
  Impl::link(node, graph, before);
  for (Graph *inner : node->subgraphs())
    Impl::setDepth(inner, graph->depth() + 1);
}

void Mutation::detach(Node *node) {
  refuseSpecial(node, "detached");
  if (node->isDetached())
    return;
  Impl::unlink(node);
  Impl::link(node, node->root().limbo_, nullptr);
}

namespace {

/// Users outside `node`, for the refusal: the first three by name.
std::string usersText(const Node *node) {
  std::vector<const Node *> users; // each once, the order of first uses
  std::unordered_set<const Node *> seen;
  for (uint32_t i = 0; i < node->numResults(); ++i)
    for (const Use *use = node->result(i)->firstUse(); use; use = use->next())
      if (seen.insert(use->owner()).second)
        users.push_back(use->owner());
  constexpr size_t kShown = 3;
  std::string text;
  for (const Node *user : users | std::views::take(kShown)) {
    text += text.empty() ? "" : ", ";
    text += user->isNetOutput() ? "the outputs of " + user->graph()->describe() : user->describe();
  }
  if (users.size() > kShown)
    text += cat(" and ", users.size() - kShown, " more");
  return text;
}

} // namespace

void Mutation::erase(Node *node, bool force) {
  refuseSpecial(node, "erased");
  if (!force && node->hasUses())
    throwError(ErrorKind::Value, node->describe(), " is still used by ", usersText(node),
               "; replace its uses first, or erase with force to make those operands absent");
  Impl::eraseNode(node);
}

void Mutation::replace(Node *node, std::span<Value *const> values) {
  refuseSpecial(node, "replaced");
  Root &root = node->root();
  if (values.size() != node->numResults())
    throwError(ErrorKind::Value, node->describe(), " has ", node->numResults(), " results, got ",
               values.size(), " values to replace them");
  for (uint32_t i = 0; i < node->numResults(); ++i) {
    Impl::checkOperand(root, values[i]);
    if (values[i] && values[i]->node() == node)
      throwError(ErrorKind::Value, node->describe(), " cannot be replaced by its own result");
    if (!values[i] && node->result(i)->hasUses())
      throwError(ErrorKind::Value, "result ", i, " of ", node->describe(),
                 " is used and has no replacement");
  }
  Origin origin = originFrom(node);
  std::vector<Node *> producers;
  for (uint32_t i = 0; i < node->numResults(); ++i) {
    Value *from = node->result(i), *to = values[i];
    if (!to)
      continue;
    replaceAllUses(from, to);
    moveName(from, to);
    if (std::find(producers.begin(), producers.end(), to->node()) == producers.end())
      producers.push_back(to->node());
  }
  if (!producers.empty() && producers.front()->isListed())
    moveName(node, producers.front());
  Impl::moveControl(node, producers);
  for (Node *producer : producers)
    if (producer->isListed())
      addOrigin(producer, origin);
  Impl::eraseNode(node);
}

void Mutation::setLocation(Node *node, const Location *location) {
  Root &root = node->root();
  Impl::checkContext(root.context(), &location->context(), "the location");
  root.interned().use(location);
  uint32_t old = node->location_;
  node->location_ = location->id();
  Impl::record(root, undo::LocationSet{node, old});
}

} // namespace ge
