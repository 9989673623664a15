//===- OpsBuild.cpp - ge-c/Ops.h: nodes from operators, with inferred types -------------------===//

#include "Live.h"
#include "Ops.h"

#include "ge/Ops/Infer.h"
#include "ge/Support/Few.h"
#include "ge/Support/StringUtil.h"

#include <vector>

using namespace ge;
using namespace ge::capi;

namespace {

void inferInto(const OpDef &def, uint32_t opset, Root &root, const OperatorName *op,
               std::span<Value *const> operands, std::span<const NamedAttribute> attributes,
               const Node *node, std::span<const Type *> types) {
  Few<const Type *> given(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i])
      given.get()[i] = operands[i]->type();
  InferArgs args;
  Context &context = root.context();
  args.context = &context;
  args.op = op;
  args.root = &root;
  args.def = &def;
  args.opset = opset;
  args.operands = given.get();
  args.values = operands;
  args.attributes = attributes;
  args.checksElementTypes = true;
  if (node) {
    args.attributeList = &node->attributes();
    args.subgraphs = node->subgraphs();
  }
  InferOutcome outcome = infer(args, types);
  if (outcome.status == InferStatus::Failed)
    throw Error(ErrorKind::Verify, cat(def.qualifiedName(), "(): ", outcome.message));
  for (const Type *&type : types)
    if (!type)
      type = context.unknownType();
}

/// The innermost graph of the operands; none of them is detached.
Graph *graphOf(std::span<Value *const> operands) {
  Graph *found = nullptr;
  for (const Value *value : operands) {
    Graph *graph = value ? value->node()->graph() : nullptr;
    if (graph && graph != found && (!found || graph->depth() > found->depth()))
      found = graph;
  }
  if (!found)
    throwError(ErrorKind::Value, "no operand is in a graph");
  return found;
}

/// A graph sees its own values and those of the graphs around it.
void needVisible(const OpDef &def, std::span<Value *const> operands, const Graph *graph) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Graph *home = operands[i] ? operands[i]->node()->graph() : nullptr;
    if (home && !home->encloses(graph))
      throw Error(ErrorKind::Verify,
                  cat(def.qualifiedName(), "(): operand ", i, " is a result of ",
                      operands[i]->node()->describe(), ", which is in graph '", home->name(),
                      "'; from graph '", graph->name(),
                      "' only its own values can be used and those of the graphs around it"));
  }
}

/// Makes the node; `live` holds access to the root graph.
template <typename L>
Node *buildIn(const L &live, Graph *graph, Node *before, const OpDef &def, uint32_t opset,
              const GeNodeSpec &spec, bool infers, GeValueRef **results) {
  Peers<Value> operands(live, spec.operands, spec.numOperands, "operands", true);
  std::span<const NamedAttribute> attributes{
      reinterpret_cast<const NamedAttribute *>(spec.attributes), spec.numAttributes};
  Few<const Type *> types(spec.numResults, live.context().unknownType());
  NodeSpec wanted;
  wanted.op = need(spec.op, "op");
  wanted.operands = operands;
  wanted.attributes = attributes;
  wanted.name = text(spec.name, "name");
  wanted.location = unwrap(spec.location);
  if (!graph)
    graph = graphOf(operands);
  needVisible(def, operands, graph);
  if (infers)
    inferInto(def, opset, live.root(), wanted.op, operands, attributes, nullptr, types.get());
  wanted.resultTypes = types.get();
  Node *node = Mutation::create(graph, before, wanted);
  size_t made = 0;
  try {
    for (; made < spec.numResults; ++made)
      results[made] = newRef(node->result(uint32_t(made)));
  } catch (...) {
    while (made > 0)
      geValueRelease(results[--made]);
    Mutation::erase(node, true);
    throw;
  }
  return node;
}

/// Moves the bodies into the node; without them it goes again.
void adopt(GeGraphRef *graph, Node *node, const GeBuildBodies &bodies, size_t numResults,
           GeValueRef **results) {
  GeNodeRef *ref = nullptr;
  {
    Reading<Graph> g(graph, "graph");
    ref = newRef(node);
  }
  GeStatus s = GE_OK;
  for (size_t i = 0; i < bodies.count && s == GE_OK; ++i)
    s = geNodeAdoptSubgraph(ref, bodies.slots[i], bodies.graphs[i]);
  if (s == GE_OK) {
    geNodeRelease(ref);
    return;
  }
  Error failure(ErrorKind(numberOf(s)), std::string(text(geErrorMessage(), "message")));
  geNodeErase(ref, true);
  geNodeRelease(ref);
  for (size_t i = 0; i < numResults; ++i)
    geValueRelease(results[i]);
  throw failure;
}

} // namespace

GeStatus geNodeBuild(GeGraphRef *graph, GeNodeRef *before, GeOpDef op, uint32_t opset,
                     const GeNodeSpec *spec, const GeBuildBodies *bodies, GeValueRef **results) {
  return guarded([&] {
    if (!spec)
      throwNull("spec");
    const OpDef *def = need(op, "op");
    needArray(results, spec->numResults, "results");
    needArray(spec->operands, spec->numOperands, "operands");
    needArray(spec->attributes, spec->numAttributes, "attributes");
    for (size_t i = 0; i < spec->numAttributes; ++i)
      if (!spec->attributes[i].name || !spec->attributes[i].value.bits)
        throwNull("attributes");
    if (!graph && !(bodies && bodies->count) && !before) {
      for (size_t i = 0; i < spec->numOperands; ++i)
        if (spec->operands[i]) {
          Writing<Value> first(spec->operands[i], "operands");
          buildIn(first, nullptr, nullptr, *def, opset, *spec, true, results);
          return;
        }
    }
    Node *node = nullptr;
    bool hasBodies = bodies && bodies->count;
    if (hasBodies) {
      needArray(bodies->graphs, bodies->count, "bodies");
      needArray(bodies->slots, bodies->count, "bodies");
    }
    {
      Writing<Graph> g(graph, "graph");
      Node *place = g.peerOrNull<Node>(before, "before");
      // What subgraphs say counts when they are in their place: geNodeInferTypes.
      node = buildIn(g, g.get(), place, *def, opset, *spec, !hasBodies, results);
    }
    if (hasBodies)
      adopt(graph, node, *bodies, spec->numResults, results);
  });
}

GeStatus geNodeInferTypes(GeNodeRef *node, GeOpDef op, uint32_t opset) {
  return guarded([&] {
    const OpDef *def = need(op, "op");
    Writing<Node> n(node, "node");
    std::vector<Value *> operands;
    for (uint32_t i = 0; i < n->numOperands(); ++i)
      operands.push_back(n->operand(i));
    Few<const Type *> types(n->numResults(), n.context().unknownType());
    inferInto(*def, opset, n.root(), n->op(), operands, {}, n.get(), types.get());
    for (uint32_t i = 0; i < n->numResults(); ++i)
      if (types.get()[i] != n->result(i)->type())
        Mutation::setType(n->result(i), types.get()[i]);
  });
}

bool geRefHasSameRoot(const GeRef *a, const GeRef *b) {
  return a && b &&
         static_cast<const HandleRecord *>(a)->root.load(std::memory_order_acquire) ==
             static_cast<const HandleRecord *>(b)->root.load(std::memory_order_acquire);
}

GeStatus geValueGetGraph(GeValueRef *value, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    Reading<Value> v(value, "value");
    found = newRef(v->node()->graph());
  });
}
