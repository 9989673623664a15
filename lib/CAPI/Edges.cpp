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
    Reading<Node> n(node, "node");
    auto origins = n->origins();
    OriginView origin = origins[needIndex("origin", index, origins.size())];
    GeOrigin found{};
    found.node = keptString(origin.node);
    found.op = wrap(origin.op);
    found.pass = wrap(origin.pass);
    found.rule = wrap(origin.rule);
    found.location = wrap(origin.where);
    giveSized(found, out, "GeOrigin");
  });
}
GeStatus geNodeAddOrigin(GeNodeRef *node, const GeOrigin *origin) {
  return guarded([&] {
    GeOrigin given = sized(origin, "GeOrigin");
    Writing<Node> n(node, "node");
    Origin added;
    added.node = text(given.node, "origin");
    added.op = nullOrIn(n.context(), given.op, "op");
    added.pass = nullOrIn(n.context(), given.pass, "pass");
    added.rule = nullOrIn(n.context(), given.rule, "rule");
    added.where = nullOrIn(n.context(), given.location, "location");
    Mutation::addOrigin(n.get(), added);
  });
}
