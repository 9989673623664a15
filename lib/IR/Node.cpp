//===- Node.cpp - reading nodes and values ----------------------------------------------------===//

#include "ge/IR/Node.h"

#include "ge/IR/Root.h"

namespace ge {

namespace {

const Name *asName(uintptr_t word) {
  return (word & Link::kTags) ? nullptr : reinterpret_cast<const Name *>(word);
}

} // namespace

uint32_t Use::index() const { return uint32_t(this - &owner_->use(0)); }

// --- Value
// -------------------------------------------------------------------------------------------

const Type *Value::type() const { return context().typeAt(type_); }
bool Value::isAbsent() const { return type_ == context().noneType()->id(); }
Graph *Value::graph() const { return node()->graph(); }
Root &Value::root() const { return node()->root(); }
Context &Value::context() const { return node()->context(); }

size_t Value::numUses() const {
  size_t count = 0;
  for (const Use *use = firstUse_; use; use = use->next())
    ++count;
  return count;
}

std::string_view Value::name() const {
  const Name *name = asName(link_.name());
  return name ? name->str() : std::string_view();
}

void Value::appendName(std::string &out) const {
  if (hasName()) {
    out.append(name());
    return;
  }
  node()->appendName(out);
  out.push_back(':');
  appendPart(out, index_);
}

bool Value::nameIsDuplicate() const {
  const Name *name = asName(link_.name());
  return name && name->duplicate;
}

// --- Node
// --------------------------------------------------------------------------------------------

const OperatorName *Node::op() const { return context().operatorAt(op_); }
Root &Node::root() const { return graph_->root(); }
Context &Node::context() const { return graph_->root().context(); }
const Location *Node::location() const { return context().locationAt(location_); }

Attribute Node::attribute(std::string_view name) const {
  const Identifier *identifier = context().lookupIdentifier(name);
  return identifier ? attribute(identifier) : Attribute();
}

const NodeExtra *Node::extra() const {
  if (!(flags_ & kHasExtra))
    return nullptr;
  return &root().extras_.find(this)->second;
}
std::span<Node *const> Node::controlInputs() const {
  const NodeExtra *e = extra();
  return e ? std::span<Node *const>(e->controlInputs) : std::span<Node *const>();
}
std::span<Node *const> Node::controlOutputs() const {
  const NodeExtra *e = extra();
  return e ? std::span<Node *const>(e->controlOutputs) : std::span<Node *const>();
}
std::span<Graph *const> Node::subgraphs() const {
  const NodeExtra *e = extra();
  return e ? std::span<Graph *const>(e->subgraphs) : std::span<Graph *const>();
}
std::span<const int32_t> Node::operandSegments() const {
  const NodeExtra *e = extra();
  return e && e->segments ? std::span<const int32_t>(e->segments->operands)
                          : std::span<const int32_t>();
}
std::span<const int32_t> Node::resultSegments() const {
  const NodeExtra *e = extra();
  return e && e->segments ? std::span<const int32_t>(e->segments->results)
                          : std::span<const int32_t>();
}
std::string_view Node::name() const {
  const Name *name = asName(link_.name());
  return name ? name->str() : std::string_view();
}

void Node::appendName(std::string &out) const {
  uintptr_t word = link_.name();
  if (const Name *name = asName(word)) {
    out.append(name->str());
    return;
  }
  out.append(op()->type());
  out.push_back('#');
  appendPart(out, uint64_t(word >> 2));
}

bool Node::nameIsDuplicate() const {
  const Name *name = asName(link_.name());
  return name && name->duplicate;
}

/// An attribute with that text as name; few nodes have many.
static Attribute findKept(const Node *node, std::string_view name) {
  const AttributeList &list = node->attributes();
  for (uint32_t i = 0; i != list.size(); ++i)
    if (node->context().identifierAt(list.nameIdAt(i))->str() == name)
      return list.at(i);
  return Attribute();
}

static std::string_view keptName(const Node *node, size_t index) {
  Attribute names = findKept(node, kOriginalNames);
  bool has = names.kind() == AttrKind::List && index < names.size() &&
             names.elements()[index].kind() == AttrKind::String;
  return has ? names.elements()[index].stringValue() : std::string_view();
}

std::string_view Node::originalName() const {
  std::string_view kept = keptName(this, 0);
  return kept.empty() ? name() : kept;
}
std::string_view Node::originalName(uint32_t i) const {
  std::string_view kept = keptName(this, size_t(i) + 1);
  return kept.empty() ? result(i)->name() : kept;
}

std::string Node::describe() const {
  std::string text = "node '";
  appendName(text);
  return cat(text, "' (", op()->str(), ")");
}

namespace {

/// The ancestor of `node` (or itself) that is in `graph`; null when there is none.
const Node *ancestorIn(const Node *node, const Graph *graph) {
  while (node && node->graph() != graph)
    node = node->graph() ? node->graph()->parentNode() : nullptr;
  return node;
}

} // namespace

bool Node::isBeforeElsewhere(const Node *other) const {
  if (this == other)
    return false;
  auto refuse = [&](std::string_view why) {
    throwError(ErrorKind::Value, describe(), " and ", other->describe(), " have no order: ", why);
  };
  if (isDetached() || other->isDetached())
    refuse("one is detached");
  const Graph *common = graph_;
  while (!common->encloses(other->graph_)) {
    common = common->parentGraph();
    if (!common)
      refuse("they are in different graphs");
  }
  const Node *a = ancestorIn(this, common), *b = ancestorIn(other, common);
  if (a == b)
    refuse("one contains the other");
  auto rank = [](const Node *n) { return n->isData() ? 0 : n->isNetOutput() ? 2 : 1; };
  if (rank(a) != rank(b))
    return rank(a) < rank(b);
  if (a->isData()) {
    for (Node *input : common->inputNodes())
      if (input == a || input == b)
        return input == a;
  }
  return a->order_ < b->order_;
}

} // namespace ge
