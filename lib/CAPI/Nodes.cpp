//===- Nodes.cpp - nodes: making, moving, erasing, naming -------------------------------------===//

#include "NewSubgraphs.h"
#include "NodeSegments.h"

#include "ge/IR/Analysis.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace ge;
using namespace ge::capi;

// --- Creation

namespace {

// Types and attributes of a spec have the representation of the core.
static_assert(sizeof(GeNamedAttribute) == sizeof(NamedAttribute) &&
              offsetof(GeNamedAttribute, value) == offsetof(NamedAttribute, value));

/// The parts of a spec that the core takes as they are. It checks contexts itself.
NodeSpec specOf(const GeNodeSpec &given) {
  needArray(given.resultTypes, given.numResults, "resultTypes");
  for (size_t i = 0; i < given.numResults; ++i)
    if (!given.resultTypes[i]) [[unlikely]]
      throwNull("resultTypes");
  needArray(given.attributes, given.numAttributes, "attributes");
  for (size_t i = 0; i < given.numAttributes; ++i)
    if (!given.attributes[i].name || !given.attributes[i].value.bits) [[unlikely]]
      throwNull("attributes");
  NodeSpec spec;
  spec.op = need(given.op, "op");
  spec.operandSegments =
      segmentsOf(given.operandSegments, given.numOperandSegments, "operandSegments");
  spec.resultSegments = segmentsOf(given.resultSegments, given.numResultSegments, "resultSegments");
  spec.resultTypes = {reinterpret_cast<const Type *const *>(given.resultTypes), given.numResults};
  spec.attributes = {reinterpret_cast<const NamedAttribute *>(given.attributes),
                     given.numAttributes};
  spec.name = text(given.name, "name");
  spec.location = unwrap(given.location);
  return spec;
}

/// The lists of a spec, as the node has them; `operands` are all operands.
class SpecLists {
public:
  /// `graph`: of the node; null: it is detached.
  SpecLists(NodeSpec &spec, const Graph *graph, std::span<Value *const> operands)
      : arranged_(operands, spec.operandSegments,
                  slotsFor(spec.op, graph, false, spec.operandSegments)) {
    auto slots = slotsFor(spec.op, graph, true, spec.resultSegments);
    checkResultSegments(spec.resultSegments, spec.resultTypes.size(), slots);
    spec.resultSegments = notImplied(spec.resultSegments, spec.resultTypes.size(), slots);
    spec.operands = arranged_.operands();
    spec.operandSegments = arranged_.lengths();
  }

private:
  ArrangedOperands arranged_;
};

/// Returns a reference to a new node; without memory for it, the node is erased again.
GeNodeRef *refToNew(Node *node) {
  try {
    return newRef(node);
  } catch (...) {
    Mutation::erase(node, true);
    throw;
  }
}

} // namespace

GeStatus geNodeCreate(GeGraphRef *graph, GeNodeRef *before, const GeNodeSpec *given,
                      GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&made = result(out);
    GeNodeSpec spec = sized(given, "GeNodeSpec");
    Writing<Graph> g(graph, "graph");
    Node *place = g.peerOrNull<Node>(before, "before");
    Peers<Value> operands(g, spec.operands, spec.numOperands, "operands", true);
    NodeSpec wanted = specOf(spec);
    SpecLists lists(wanted, g.get(), operands);
    if (spec.numControlInputs == 0 && spec.numSubgraphs == 0) [[likely]] {
      made = refToNew(Mutation::create(g.get(), place, wanted));
      return;
    }
    Peers<Node> inputs(g, spec.controlInputs, spec.numControlInputs, "controlInputs", false);
    for (const Node *input : inputs)
      if (input->graph() != g.get() || input->isNetOutput())
        throwError(ErrorKind::Value, input->describe(), " cannot come before a node of ",
                   g->describe(), ": control edges order the nodes of one graph");
    NewSubgraphs subgraphs(g.root(), g.get(), spec);
    Node *node = Mutation::create(g.get(), place, wanted);
    GeNodeRef *ref = refToNew(subgraphs.moveInto(node));
    for (Node *input : inputs)
      Mutation::addControlEdge(input, node);
    made = ref;
  });
}

GeStatus geNodeCreateDetached(GeGraphRef *graph, const GeNodeSpec *given, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&made = result(out);
    GeNodeSpec spec = sized(given, "GeNodeSpec");
    Writing<Graph> g(graph, "graph");
    if (spec.numControlInputs)
      throwError(ErrorKind::Value, "a detached node has no control inputs; insert it first");
    Peers<Value> operands(g, spec.operands, spec.numOperands, "operands", true);
    NodeSpec wanted = specOf(spec);
    SpecLists lists(wanted, nullptr, operands);
    NewSubgraphs subgraphs(g.root(), nullptr, spec);
    made = refToNew(subgraphs.moveInto(Mutation::create(g.root(), wanted)));
  });
}

GeStatus geGraphCopyNodes(GeGraphRef *graph, GeNodeRef *before, GeValueRef *const *inputs,
                          size_t numInputs, GeStringRef prefix,
                          void (*made)(GeNodeRef *node, void *userData), void *userData,
                          GeValueRef **outputs) {
  return interruptible([&] {
    Writing<Node> n(before, "before");
    Reading<Graph> g(graph, "graph");
    if (&g.root() == &n.root() || !g->isRoot())
      throwError(ErrorKind::Value, g->describe(), " is not a root graph; clone it");
    if (!n->isListed())
      throwError(ErrorKind::Value, n->describe(),
                 " is not in the node list of a graph: nodes cannot be inserted beside it");
    if (numInputs != g->numInputs())
      throwError(ErrorKind::Index, g->describe(), " has ", g->numInputs(), " inputs, not ",
                 numInputs);
    if (g->numOutputs() && !outputs)
      throwNull("outputs");
    Peers<Value> given(n, inputs, numInputs, "inputs", true);
    std::string_view names = text(prefix, "prefix");
    Transaction transaction(n.root());
    Copied copied = cloneNodes(g.get(), n->graph(), n.get(), given, names);
    struct Refs {
      std::vector<GeNodeRef *> nodes;
      std::vector<GeValueRef *> values;
      ~Refs() {
        std::ranges::for_each(nodes, geNodeRelease);
        std::ranges::for_each(values, geValueRelease);
      }
    } refs;
    refs.nodes.reserve(copied.nodes.size());
    refs.values.reserve(copied.outputs.size());
    if (made)
      for (Node *node : copied.nodes)
        refs.nodes.push_back(newRef(node));
    for (Value *value : copied.outputs)
      refs.values.push_back(newRef(value));
    transaction.commit();
    std::ranges::copy(std::exchange(refs.values, {}), outputs);
    if (made)
      for (GeNodeRef *node : std::exchange(refs.nodes, {}))
        made(node, userData);
  });
}

GeStatus geNodeClone(GeNodeRef *node, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&made = result(out);
    made = refToNew(cloneNode(Writing<Node>(node, "node").get()));
  });
}

// --- Moving and erasing

GeStatus geNodeInsert(GeNodeRef *node, GeGraphRef *graph, GeNodeRef *before) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Graph *target = n.peer<Graph>(graph, "graph");
    Mutation::insert(n.get(), target, n.peerOrNull<Node>(before, "before"));
  });
}

namespace {

GeStatus moveBeside(GeNodeRef *node, GeNodeRef *other, bool after) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Node *o = n.peer<Node>(other, "other");
    if (!o->isListed())
      throwError(ErrorKind::Value, o->describe(), " is not in the node list of a graph");
    if (o == n.get())
      return;
    Node *before = after ? o->next() : o;
    Mutation::insert(n.get(), o->graph(), before == n.get() ? before->next() : before);
  });
}

} // namespace

GeStatus geNodeMoveBefore(GeNodeRef *node, GeNodeRef *other) {
  return moveBeside(node, other, false);
}
GeStatus geNodeMoveAfter(GeNodeRef *node, GeNodeRef *other) {
  return moveBeside(node, other, true);
}
GeStatus geNodeDetach(GeNodeRef *node) {
  return guarded([&] { Mutation::detach(Writing<Node>(node, "node").get()); });
}
GeStatus geNodeErase(GeNodeRef *node, bool force) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::erase(n.get(), force);
  });
}
GeStatus geNodeReplace(GeNodeRef *node, GeValueRef *const *values, size_t count) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::replace(n.get(), Peers<Value>(n, values, count, "values", true));
  });
}

// --- Identity and place

GeStatus geNodeGetOperatorName(GeNodeRef *node, GeOperatorName *out) {
  return guarded([&] { result(out) = wrap(Reading<Node>(node, "node")->op()); });
}
GeStatus geNodeGetOp(GeNodeRef *node, GeIdentifier *out) {
  return guarded([&] { result(out) = wrap(Reading<Node>(node, "node")->op()->fullIdentifier()); });
}
GeStatus geNodeGetName(GeNodeRef *node, GeStringRef *out, bool *generated) {
  return guarded([&] {
    GeStringRef &name = result(out);
    Reading<Node> n(node, "node");
    bool named = n->hasName();
    if (named) {
      name = keptString(n->name());
    } else {
      std::string standIn;
      n->appendName(standIn);
      name = keptString(std::move(standIn));
    }
    if (generated)
      *generated = !named;
  });
}
GeStatus geNodeGetOriginalName(GeNodeRef *node, GeStringRef *out) {
  return guarded([&] { result(out) = keptString(Reading<Node>(node, "node")->originalName()); });
}
GeStatus geNodeSetName(GeNodeRef *node, GeStringRef name) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::rename(n.get(), text(name, "name"));
  });
}
GeStatus geNodeGetLocation(GeNodeRef *node, GeLocation *out) {
  return guarded([&] { result(out) = wrap(Reading<Node>(node, "node")->location()); });
}
GeStatus geNodeSetLocation(GeNodeRef *node, GeLocation location) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::setLocation(n.get(), needIn(n.context(), location, "location"));
  });
}
GeStatus geNodeGetGraph(GeNodeRef *node, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    Reading<Node> n(node, "node");
    found = newRef(n->graph());
  });
}
GeStatus geNodeGetRoot(GeNodeRef *node, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    Reading<Node> n(node, "node");
    found = newRef(n.root().graph());
  });
}

namespace {

GeStatus neighbour(GeNodeRef *node, GeNodeRef **out, Node *(Node::*step)() const) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Node> n(node, "node");
    // The list of detached nodes is internal to the root.
    found = newRef(n->isListed() ? (n.get()->*step)() : nullptr);
  });
}

} // namespace

GeStatus geNodeGetNext(GeNodeRef *node, GeNodeRef **out) {
  return neighbour(node, out, &Node::next);
}
GeStatus geNodeGetPrevious(GeNodeRef *node, GeNodeRef **out) {
  return neighbour(node, out, &Node::prev);
}
GeStatus geNodeIsBefore(GeNodeRef *node, GeNodeRef *other, bool *out) {
  return guarded([&] {
    bool &before = result(out);
    Reading<Node> n(node, "node");
    before = n->isBefore(n.peer<Node>(other, "other"));
  });
}
GeStatus geNodeIsInput(GeNodeRef *node, bool *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->isData(); });
}
GeStatus geNodeIsOutput(GeNodeRef *node, bool *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->isNetOutput(); });
}

// --- Operands and results

GeStatus geNodeNumOperands(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->numOperands(); });
}
GeStatus geNodeGetOperand(GeNodeRef *node, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&found = result(out);
    Reading<Node> n(node, "node");
    found = newRef(n->operand(needIndex("operand", index, n->numOperands())));
  });
}
GeStatus geNodeSetOperand(GeNodeRef *node, size_t index, GeValueRef *value) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Value *operand = n.peerOrNull<Value>(value, "value");
    Mutation::setOperand(n.get(), needIndex("operand", index, n->numOperands()), operand);
  });
}
GeStatus geNodeSetOperands(GeNodeRef *node, GeValueRef *const *values, size_t count) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Peers<Value> operands(n, values, count, "values", true);
    if (n->isNetOutput()) // the names of outputs follow
      Mutation::setOutputs(n->graph(), operands);
    else
      Mutation::setOperands(n.get(), operands);
  });
}
GeStatus geNodeInsertOperand(GeNodeRef *node, size_t index, GeValueRef *value) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Value *operand = n.peerOrNull<Value>(value, "value");
    uint32_t place = needIndex("place for an operand", index, size_t(n->numOperands()) + 1);
    Mutation::insertOperand(n.get(), place, operand);
  });
}
GeStatus geNodeEraseOperand(GeNodeRef *node, size_t index) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::eraseOperand(n.get(), needIndex("operand", index, n->numOperands()));
  });
}
GeStatus geNodeNumResults(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->numResults(); });
}
GeStatus geNodeGetResult(GeNodeRef *node, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&found = result(out);
    Reading<Node> n(node, "node");
    found = newRef(n->result(needIndex("result", index, n->numResults())));
  });
}

GeStatus geNodeGetOnlyResult(GeNodeRef *node, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&found = result(out);
    Reading<Node> n(node, "node");
    if (n->numResults() != 1) [[unlikely]]
      throwError(ErrorKind::Value, n->describe(), " has ", n->numResults(),
                 " results; say which of `results`");
    found = newRef(n->result(0));
  });
}

// --- Attributes

GeStatus geNodeNumAttributes(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->attributes().size(); });
}
GeStatus geNodeGetAttributeAt(GeNodeRef *node, size_t index, GeNamedAttribute *out) {
  return guarded([&] {
    GeNamedAttribute &found = result(out);
    Reading<Node> n(node, "node");
    const AttributeList &list = n->attributes();
    uint32_t i = needIndex("attribute", index, list.size());
    list.at(i).retain();
    found = {wrap(n.context().identifierAt(list.nameIdAt(i))), wrap(list.at(i))};
  });
}
GeStatus geNodeGetAttribute(GeNodeRef *node, GeIdentifier name, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &found = result(out);
    Reading<Node> n(node, "node");
    Attribute attribute = n->attribute(needIn(n.context(), name, "name"));
    attribute.retain();
    found = wrap(attribute);
  });
}
GeStatus geNodeSetAttribute(GeNodeRef *node, GeIdentifier name, GeAttribute value) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::setAttribute(n.get(), needIn(n.context(), name, "name"),
                           nullOrIn(n.context(), value, "value"));
  });
}

// --- Comparison

GeStatus geNodeIsStructurallyEqual(GeNodeRef *a, GeNodeRef *b, bool *out) {
  return guarded([&] {
    bool &equal = result(out);
    Reading<Node> first(a, "a"), second(b, "b");
    equal = isStructurallyEqual(first.get(), second.get());
  });
}
GeStatus geNodeStructuralHash(GeNodeRef *node, uint64_t *out) {
  return guarded([&] {
    uint64_t &hash = result(out);
    hash = structuralHash(Reading<Node>(node, "node").get());
  });
}
