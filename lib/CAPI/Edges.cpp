//===- Edges.cpp - control edges, subgraphs and origins of nodes ------------------------------===//

#include "Live.h"

using namespace ge;
using namespace ge::capi;

// --- Control edges

GeStatus geNodeNumControlInputs(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->controlInputs().size(); });
}
GeStatus geNodeGetControlInput(GeNodeRef *node, size_t index, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Node> n(node, "node");
    auto inputs = n->controlInputs();
    found = newRef(inputs[needIndex("control input", index, inputs.size())]);
  });
}
GeStatus geNodeNumControlOutputs(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->controlOutputs().size(); });
}
GeStatus geNodeGetControlOutput(GeNodeRef *node, size_t index, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Node> n(node, "node");
    auto outputs = n->controlOutputs();
    found = newRef(outputs[needIndex("control output", index, outputs.size())]);
  });
}
GeStatus geNodeAddControlInput(GeNodeRef *node, GeNodeRef *input) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::addControlEdge(n.peer<Node>(input, "input"), n.get());
  });
}
GeStatus geNodeRemoveControlInput(GeNodeRef *node, GeNodeRef *input) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Mutation::removeControlEdge(n.peer<Node>(input, "input"), n.get());
  });
}

// --- Subgraphs

GeStatus geNodeNumSubgraphs(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->subgraphs().size(); });
}
GeStatus geNodeGetSubgraph(GeNodeRef *node, size_t index, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    Reading<Node> n(node, "node");
    auto subgraphs = n->subgraphs();
    found = newRef(subgraphs[needIndex("subgraph", index, subgraphs.size())]);
  });
}
GeStatus geNodeAddSubgraph(GeNodeRef *node, GeStringRef slot, GeStringRef name, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&added = result(out);
    Writing<Node> n(node, "node");
    added = newRef(Mutation::addSubgraph(n.get(), text(slot, "slot"), text(name, "name")));
  });
}
GeStatus geNodeAdoptSubgraph(GeNodeRef *node, GeStringRef slot, GeGraphRef *graph) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Writing<Graph> g(graph, "graph");
    if (!g->isRoot())
      throwError(ErrorKind::Value, g->describe(), " is a subgraph already; clone it");
    Mutation::addSubgraph(n.get(), text(slot, "slot"), g.root());
  });
}
GeStatus geNodeEraseSubgraph(GeNodeRef *node, size_t index) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    auto subgraphs = n->subgraphs();
    Mutation::eraseSubgraph(subgraphs[needIndex("subgraph", index, subgraphs.size())]);
  });
}

// --- Origins

GeStatus geNodeNumOrigins(GeNodeRef *node, size_t *out) {
  return guarded([&] { result(out) = Reading<Node>(node, "node")->origins().size(); });
}
GeStatus geNodeGetOrigin(GeNodeRef *node, size_t index, GeOrigin *out) {
  return guarded([&] {
    GeOrigin &found = result(out);
    Reading<Node> n(node, "node");
    auto origins = n->origins();
    OriginView origin = origins[needIndex("origin", index, origins.size())];
    found = {keptString(origin.node), wrap(origin.op), wrap(origin.pass), wrap(origin.rule),
             wrap(origin.where)};
  });
}
GeStatus geNodeAddOrigin(GeNodeRef *node, const GeOrigin *origin) {
  return guarded([&] {
    if (!origin)
      throwNull("origin");
    Writing<Node> n(node, "node");
    Origin added;
    added.node = text(origin->node, "origin");
    added.op = nullOrIn(n.context(), origin->op, "op");
    added.pass = nullOrIn(n.context(), origin->pass, "pass");
    added.rule = nullOrIn(n.context(), origin->rule, "rule");
    added.where = nullOrIn(n.context(), origin->location, "location");
    Mutation::addOrigin(n.get(), added);
  });
}
