//===- MutationSubgraph.cpp - graphs inside nodes ---------------------------------------------===//

#include "MutationImpl.h"

#include "ge/IR/Module.h"
#include "ge/IR/Subgraphs.h"

#include <algorithm>

namespace ge {

Graph *Mutation::Impl::makeGraph(Root &root, std::string_view name, Node *parent,
                                 std::string_view slot) {
  auto *graph = new Graph;
  graph->root_ = &root;
  graph->name_ = std::string(name);
  graph->slot_ = std::string(slot);
  graph->parent_ = parent;
  graph->depth_ = parent ? depthAround(parent) + 1 : 1;
  graph->output_ = allocate(root, root.context().operatorName("ge", "NetOutput")->id(), 0, 0);
  graph->output_->location_ = root.context().unknownLocation()->id();
  graph->output_->graph_ = graph;
  graph->output_->flags_ = Node::kOutput;
  return graph;
}

uint32_t Mutation::Impl::depthAround(const Node *node) {
  return node->graph() ? node->graph()->depth() : 1;
}

uint32_t Mutation::Impl::depthOf(const Graph *graph) {
  uint32_t deepest = 0;
  for (const Node *node = graph->first_; node; node = node->next_)
    for (const Graph *inner : node->subgraphs())
      deepest = std::max(deepest, depthOf(inner));
  return deepest + 1;
}

void Mutation::Impl::setDepth(Graph *graph, uint32_t depth) {
  if (graph->depth_ == depth)
    return;
  graph->depth_ = depth;
  for (Node *node = graph->first_; node; node = node->next_)
    for (Graph *inner : node->subgraphs())
      setDepth(inner, depth + 1);
}

void Mutation::Impl::linkSubgraph(Node *node, Graph *graph, uint32_t index) {
  Root &root = node->root();
  std::vector<Graph *> &subgraphs = extra(node).subgraphs;
  subgraphs.insert(subgraphs.begin() + std::min<size_t>(index, subgraphs.size()), graph);
  graph->parent_ = node;
  record(root, undo::SubgraphAdded{node, graph});
  notify(root, [&](MutationListener &l) { l.subgraphAdded(node, graph); });
}

void Mutation::Impl::unlinkSubgraph(Node *node, Graph *graph) {
  Root &root = node->root();
  std::vector<Graph *> &subgraphs = extra(node).subgraphs;
  auto it = std::find(subgraphs.begin(), subgraphs.end(), graph);
  auto index = uint32_t(it - subgraphs.begin());
  subgraphs.erase(it);
  dropExtraIfEmpty(node);
  Journal *journal = root.journal_.get();
  bool undoing = journal && journal->isUndoing();
  NodeCursor::detachAll(graph);
  bool parked = journal && !undoing;
  auto kill = [&](Link &link) {
    if (link.record())
      root.table_.kill(root, link, undoing ? DeathCause::RolledBack : DeathCause::Erased, parked);
  };
  kill(graph->output_->link_);
  kill(graph->link_);
  leaveName(root, graph->output_);
  record(root, undo::SubgraphRemoved{node, graph, index});
  if (!parked)
    root.destroyGraph(graph);
}

namespace {

/// The description in errors; null: a node that is about to be created.
std::string describe(const Node *node) { return node ? node->describe() : "the new node"; }

void checkDepth(const Node *node, uint32_t depth, uint32_t levels) {
  if (depth + levels > Graph::kMaxDepth)
    throwError(ErrorKind::Value, describe(node), " is in a graph ", depth,
               " deep; graphs nest at most ", Graph::kMaxDepth, " deep");
}

void refuseSpecial(const Node *node) {
  if (node->isData() || node->isNetOutput())
    throwError(ErrorKind::Value, node->describe(),
               " is an input or the output node of its graph and has no subgraphs");
}

} // namespace

Graph *Mutation::addSubgraph(Node *node, std::string_view slot, std::string_view name) {
  refuseSpecial(node);
  checkDepth(node, Impl::depthAround(node), 1);
  if (!isValidUtf8(slot) || !isValidUtf8(name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  Graph *graph = Impl::makeGraph(node->root(), name, node, slot);
  Impl::linkSubgraph(node, graph, UINT32_MAX);
  return graph;
}

void Mutation::eraseSubgraph(Graph *graph) {
  Node *node = graph->parentNode();
  if (!node)
    throwError(ErrorKind::Value, graph->describe(), " is a root graph, not a subgraph");
  Impl::eraseContents(graph);
  Impl::unlinkSubgraph(node, graph);
}

// --- Moving a root in
// --------------------------------------------------------------------------------

/// Makes all of `from` part of `into`; see Mutation::addSubgraph.
class Absorber {
public:
  Absorber(Root &into, Root &from) : into_(into), from_(from) {}

  /// Throws unless `from` can become a subgraph of `node` (null: one yet to be made), which is in a
  /// graph `depth` deep.
  static void check(Root &into, const Node *node, uint32_t depth, std::string_view slot,
                    Root &from);

  void run(Graph *graph) {
    into_.interned_.share(from_.interned_);
    while (from_.freeSome())
      ;
    into_.arena_.absorb(from_.arena_);
    from_.deleteAbandoned();
    into_.table_.adopt(into_, from_);
    for (auto &[node, extra] : from_.extras_)
      into_.extras_.emplace(node, std::move(extra));
    from_.extras_.clear();
    into_.origins_.merge(from_.origins_);
    rehome(graph);
    // Detached nodes come along.
    while (Node *node = from_.limbo_->first_) {
      from_.limbo_->first_ = node->next_;
      node->prev_ = node->next_ = nullptr;
      rename(node);
      Mutation::Impl::link(node, into_.limbo_, nullptr);
      for (Graph *inner : node->subgraphs())
        rehome(inner);
    }
    from_.limbo_->last_ = nullptr;
    from_.limbo_->numNodes_ = 0;
  }

private:
  void rehome(Graph *graph) {
    graph->root_ = &into_;
    rename(graph->output_);
    for (Node *input : graph->inputs_)
      rename(input);
    for (Node *node = graph->first_; node; node = node->next_) {
      rename(node);
      for (Graph *inner : node->subgraphs())
        rehome(inner);
    }
  }

  void rename(Node *node) {
    if (node->hasName())
      reenter(node);
    else
      node->link_.setName((into_.nextSerial_++ << 2) | Link::kSerial);
    for (uint32_t i = 0; i < node->numResults_; ++i)
      if (node->result(i)->hasName())
        reenter(node->result(i));
  }

  template <typename T> void reenter(T *holder) {
    constexpr bool ofValues = std::is_same_v<T, Value>;
    const Name *name = Mutation::Impl::asName(holder->link_.name());
    NameIndex &names = Mutation::Impl::index(into_, ofValues);
    if (!name->duplicate && names.find(name->str())) {
      uintptr_t old = holder->link_.name();
      holder->link_.setName(Mutation::Impl::claimName(into_, ofValues, name->str(), false));
      Mutation::Impl::freeNameWord(into_, old);
    }
    Mutation::Impl::enterName(into_, holder);
  }

  Root &into_;
  Root &from_;
};

void Absorber::check(Root &into, const Node *node, uint32_t depth, std::string_view slot,
                     Root &from) {
  const Graph *graph = from.graph_;
  if (!graph)
    throwError(ErrorKind::Value, "the graph to be moved in was erased");
  if (&from == &into)
    throwError(ErrorKind::Value, graph->describe(), " cannot become a subgraph of ", describe(node),
               ", which is inside it");
  Mutation::Impl::checkContext(into.context(), &from.context(), graph->describe());
  if (from.module_)
    throwError(ErrorKind::Value, graph->describe(), " is in a module; take it out, or clone it");
  if (into.journal_ || from.journal_)
    throwError(ErrorKind::Value, graph->describe(),
               " cannot be moved into another graph inside a transaction; add an empty subgraph "
               "and build it there");
  if (!isValidUtf8(slot))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  checkDepth(node, depth, Mutation::Impl::depthOf(graph));
}

void checkSubgraph(Root &root, const Graph *place, std::string_view slot, Root *from) {
  uint32_t depth = place ? place->depth() : 1;
  if (from)
    return Absorber::check(root, nullptr, depth, slot, *from);
  checkDepth(nullptr, depth, 1);
  if (!isValidUtf8(slot))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
}

Graph *Mutation::addSubgraph(Node *node, std::string_view slot, Root &from) {
  Root &into = node->root();
  refuseSpecial(node);
  Absorber::check(into, node, Impl::depthAround(node), slot, from);
  Graph *graph = from.graph_;
  Absorber(into, from).run(graph);
  // The empty root stays: handles created in it are counted there, and keep `into` alive.
  from.graph_ = nullptr;
  from.movedInto_ = &into;
  from.setAttachment(nullptr);
  into.dropOpIndex();
  {
    std::scoped_lock guard(into.absorbedLock_, from.absorbedLock_);
    into.absorbed_.emplace_back(&from);
    for (auto &shell : from.absorbed_)
      into.absorbed_.push_back(std::move(shell));
    from.absorbed_.clear();
  }
  if (from.holds_.load() > 0)
    into.hold();
  from.context_->removeRoot(&from);

  graph->slot_ = std::string(slot);
  Impl::setDepth(graph, Impl::depthAround(node) + 1);
  Impl::linkSubgraph(node, graph, UINT32_MAX);
  return graph;
}

} // namespace ge
