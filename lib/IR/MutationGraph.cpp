//===- MutationGraph.cpp - inputs, outputs, order, dead nodes ---------------------------------===//

#include "MutationImpl.h"

#include "ge/IR/Module.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <unordered_set>

namespace ge {

// --- Inputs
// ------------------------------------------------------------------------------------------

/// `index` follows from the position, so it is neither recorded nor reported to listeners.
void Mutation::Impl::renumberInputs(Graph *graph, uint32_t from) {
  Root &root = graph->root();
  uint32_t name = root.context().identifier("index")->id();
  for (uint32_t i = from; i < graph->inputs_.size(); ++i) {
    AttributeList &list = graph->inputs_[i]->attrs_;
    int32_t at = list.indexOf(name);
    if (at < 0)
      insertAttribute(root.arena_, list, 0, name, Attribute::inlineInt(i));
    else
      list.values()[at] = Attribute::inlineInt(i);
  }
}

void Mutation::Impl::insertInput(Graph *graph, Node *node, uint32_t index) {
  Root &root = graph->root();
  node->graph_ = graph;
  node->flags_ = (node->flags_ & ~Node::kDetached) | Node::kData;
  index = std::min<uint32_t>(index, graph->numInputs());
  graph->inputs_.insert(graph->inputs_.begin() + index, node);
  renumberInputs(graph, index);
  record(root, undo::InputInserted{node});
  notify(root, [&](MutationListener &l) { l.inserted(node); });
}

void Mutation::Impl::removeInput(Node *node) {
  Graph *graph = node->graph_;
  Root &root = graph->root();
  uint32_t name = root.context().identifier("index")->id();
  auto index = uint32_t(node->attrs_.find(name).intValue());
  graph->inputs_.erase(graph->inputs_.begin() + index);
  renumberInputs(graph, index);
  node->graph_ = root.limbo_;
  node->flags_ |= Node::kDetached;
  record(root, undo::InputRemoved{node, graph, index});
  notify(root, [&](MutationListener &l) { l.removed(node, graph); });
}

Node *Mutation::addInput(Graph *graph, const NodeSpec &given, std::string_view valueName,
                         uint32_t index) {
  Root &root = graph->root();
  NodeSpec spec = given;
  if (!spec.op)
    spec.op = root.context().operatorName("ge", "Data");
  if (spec.resultTypes.size() != 1 || spec.resultTypes[0]->isNone())
    throwError(ErrorKind::Value,
               "a graph input has exactly one result, of a type that is not none");
  if (!spec.operands.empty())
    throwError(ErrorKind::Value, "a graph input has no operands");
  for (const NamedAttribute &attribute : spec.attributes)
    if (attribute.name->str() == "index")
      throwError(ErrorKind::Value, "'index' of a graph input is its position and cannot be given");
  if (!isValidUtf8(valueName))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  Node *node = Impl::build(root, spec);
  Impl::insertInput(graph, node, index);
  if (!valueName.empty())
    rename(node->result(0), valueName, spec.keepDuplicateName);
  return node;
}

Node *Mutation::addInput(Graph *graph, std::string_view name, const Type *type,
                         const OperatorName *op, uint32_t index) {
  NodeSpec spec;
  spec.op = op;
  spec.resultTypes = {&type, 1};
  spec.name = name;
  return addInput(graph, spec, name, index);
}

void Mutation::eraseInput(Node *node, bool force) {
  if (!node->isData())
    throwError(ErrorKind::Value, node->describe(), " is not an input of its graph");
  if (!force && node->hasUses()) {
    const Node *user = node->result(0)->firstUse()->owner();
    throwError(ErrorKind::Value, node->describe(), " is still used by ", user->describe(),
               "; replace its uses first, or erase with force to make those operands absent");
  }
  Impl::dropUses(node);
  Impl::dropControl(node);
  Impl::removeInput(node);
  Impl::destroy(node);
}

void Mutation::moveInput(Node *node, uint32_t index) {
  if (!node->isData())
    throwError(ErrorKind::Value, node->describe(), " is not an input of its graph");
  Graph *graph = node->graph();
  if (index >= graph->numInputs())
    throwError(ErrorKind::Index, graph->describe(), " has ", graph->numInputs(),
               " inputs, no place ", index);
  if (graph->inputs_[index] == node)
    return;
  Impl::removeInput(node);
  Impl::insertInput(graph, node, index);
}

// --- Outputs
// -----------------------------------------------------------------------------------------

void Mutation::Impl::setOutputNames(Graph *graph, std::vector<std::string> names) {
  std::vector<std::string> old = std::exchange(graph->outputNames_, std::move(names));
  record(graph->root(), undo::OutputNamesSet{graph, std::move(old)});
}

void Mutation::setOutputs(Graph *graph, std::span<Value *const> values) {
  setOperands(graph->output_, values);
}

void Mutation::setOutputName(Graph *graph, uint32_t index, std::string_view name) {
  if (index >= graph->numOutputs())
    throwError(ErrorKind::Index, graph->describe(), " has ", graph->numOutputs(),
               " outputs, no output ", index);
  if (!isValidUtf8(name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  std::vector<std::string> names = graph->outputNames_;
  if (names.size() < graph->numOutputs())
    names.resize(graph->numOutputs());
  for (uint32_t i = 0; i < names.size() && !name.empty(); ++i)
    if (i != index && names[i] == name)
      throwError(ErrorKind::Value, "output ", i, " of ", graph->describe(), " has the name '", name,
                 "' already");
  if (names[index] == name)
    return;
  names[index] = std::string(name);
  Impl::setOutputNames(graph, std::move(names));
}

void Mutation::setOutputNames(Graph *graph, std::vector<std::string> names) {
  if (names.size() > graph->numOutputs())
    throwError(ErrorKind::Index, graph->describe(), " has ", graph->numOutputs(), " outputs, got ",
               names.size(), " names");
  std::unordered_set<std::string_view> taken;
  Interrupt interrupt;
  for (const std::string &name : names) { // all checks precede the first change
    interrupt.poll();
    if (!isValidUtf8(name))
      throwError(ErrorKind::Value, "a name must be valid UTF-8");
    if (!name.empty() && !taken.insert(name).second)
      throwError(ErrorKind::Value, "two outputs of ", graph->describe(), " get the name '", name,
                 "'");
  }
  names.resize(graph->numOutputs());
  if (names != graph->outputNames_)
    Impl::setOutputNames(graph, std::move(names));
}

// --- Order and liveness
// ------------------------------------------------------------------------------

void Mutation::Impl::reorder(Graph *graph, const std::vector<Node *> &order) {
  Root &root = graph->root();
  std::vector<Node *> old;
  if (root.journal_ && !root.journal_->isUndoing()) {
    old.reserve(graph->numNodes_);
    for (Node *node = graph->first_; node; node = node->next_)
      old.push_back(node);
  }
  graph->first_ = graph->last_ = nullptr;
  for (Node *node : order) {
    node->prev_ = graph->last_;
    node->next_ = nullptr;
    (graph->last_ ? graph->last_->next_ : graph->first_) = node;
    graph->last_ = node;
    OrderLabels::assign(node);
  }
  graph->lastAt_ = nullptr;
  record(root, undo::Reordered{graph, std::move(old)});
  notify(root, [&](MutationListener &l) { l.reordered(graph); });
}

namespace {

/// The new orders of a graph and of all nested graphs, outer first; computed completely before the
/// first change.
void collectOrders(Graph *graph, std::vector<std::pair<Graph *, std::vector<Node *>>> &orders) {
  size_t index = orders.size();
  orders.emplace_back(graph, graph->sortedNodes());
  for (size_t i = 0; i < orders[index].second.size(); ++i)
    for (Graph *inner : orders[index].second[i]->subgraphs())
      collectOrders(inner, orders);
}

} // namespace

void Mutation::sort(Graph *graph) {
  std::vector<std::pair<Graph *, std::vector<Node *>>> orders;
  collectOrders(graph, orders);
  for (const auto &[sorted, order] : orders) {
    const Node *node = sorted->first_;
    for (const Node *next : order) {
      if (next != node) {
        Impl::reorder(sorted, order);
        break;
      }
      node = node->next_;
    }
  }
}

uint32_t Mutation::eraseDeadNodes(Graph *graph) {
  auto isDead = [](const Node *node) {
    return node->isListed() && !node->hasUses() && node->controlOutputs().empty();
  };
  std::vector<Node *> dead;
  // Polled between two complete erasures, so that a caller can undo them.
  Interrupt interrupt;
  /// The nodes of `dead` that have not been erased with an enclosing node: a popped pointer is
  /// dereferenced only if it is in here.
  std::unordered_set<const Node *> pending;
  auto add = [&](Node *node) {
    if (isDead(node) && pending.insert(node).second)
      dead.push_back(node);
  };
  auto addAll = [&](const Graph *from, const auto &self) -> void {
    for (Node *node = from->front(); node; node = node->next()) {
      interrupt.poll();
      add(node);
      if (!pending.contains(node))
        for (const Graph *inner : node->subgraphs())
          self(inner, self);
    }
  };
  addAll(graph, addAll);
  /// Producers of a dead node, or of a node inside it, may become dead.
  std::vector<Node *> sources;
  auto collect = [&](const Node *node, const auto &self) -> void {
    pending.erase(node);
    for (uint32_t i = 0; i < node->numOperands(); ++i)
      if (Value *value = node->operand(i))
        sources.push_back(value->node());
    for (Node *input : node->controlInputs())
      sources.push_back(input);
    for (const Graph *inner : node->subgraphs()) {
      for (const Node *n = inner->front(); n; n = n->next())
        self(n, self);
      self(inner->output(), self);
    }
  };
  uint32_t erased = 0;
  while (!dead.empty()) {
    interrupt.poll();
    Node *node = dead.back();
    dead.pop_back();
    if (!pending.contains(node))
      continue;
    sources.clear();
    collect(node, collect);
    // Nested nodes are erased with it.
    std::erase_if(sources, [&](const Node *source) {
      if (source == node)
        return true;
      for (const Graph *inner : node->subgraphs())
        if (source->graph() && inner->encloses(source->graph()))
          return true;
      return false;
    });
    Impl::eraseNode(node);
    ++erased;
    for (Node *source : sources)
      add(source);
  }
  return erased;
}

} // namespace ge
