//===- Graphs.cpp - graphs and iteration ------------------------------------------------------===//

#include "Live.h"

#include "ge/IR/Analysis.h"

using namespace ge;
using namespace ge::capi;

// --- Making and naming

GeStatus geGraphCreate(GeContext *context, GeStringRef name, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&made = result(out);
    Root *root = Root::create(need(context), text(name, "name"));
    try {
      made = newRef(root->graph());
    } catch (...) {
      root->drop();
      throw;
    }
    root->drop();
  });
}
GeStatus geGraphClone(GeGraphRef *graph, GeContext *context, GeGraphRef **out) {
  return interruptible([&] {
    GeGraphRef *&made = result(out);
    Reading<Graph> g(graph, "graph");
    Root *root = clone(g.get(), unwrap(context));
    try {
      made = newRef(root->graph());
    } catch (...) {
      root->drop();
      throw;
    }
    root->drop();
  });
}

GeStatus geGraphGetName(GeGraphRef *graph, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &name = result(out);
    name = keptString(Reading<Graph>(graph, "graph")->name());
  });
}
GeStatus geGraphSetName(GeGraphRef *graph, GeStringRef name) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    // Two graphs of a module must not be given the same name concurrently.
    std::optional<LiveModule<Access::Write>> module;
    if (g->isRoot() && g->module())
      module.emplace(*g->module());
    Mutation::setName(g.get(), text(name, "name"));
  });
}
GeStatus geGraphGetSlotName(GeGraphRef *graph, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &name = result(out);
    name = keptString(Reading<Graph>(graph, "graph")->slot());
  });
}

GeStatus geGraphGetModule(GeGraphRef *graph, GeModule **out) {
  return guarded([&] {
    GeModule *&found = result(out);
    Reading<Graph> g(graph, "graph");
    Module *module = g->module();
    if (module)
      module->retain();
    found = wrap(module);
  });
}
GeStatus geGraphGetParentNode(GeGraphRef *graph, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g->parentNode());
  });
}
GeStatus geGraphGetRoot(GeGraphRef *graph, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g.root().graph());
  });
}

// --- Inputs and outputs

GeStatus geGraphNumInputs(GeGraphRef *graph, size_t *out) {
  return guarded([&] { result(out) = Reading<Graph>(graph, "graph")->numInputs(); });
}
GeStatus geGraphGetInput(GeGraphRef *graph, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g->input(needIndex("input", index, g->numInputs())));
  });
}
GeStatus geGraphAddInput(GeGraphRef *graph, GeStringRef name, GeType type, GeOperatorName op,
                         size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&added = result(out);
    Writing<Graph> g(graph, "graph");
    const Type *t = needIn(g.context(), type, "type");
    const OperatorName *variant = nullOrIn(g.context(), op, "op");
    uint32_t place = UINT32_MAX;
    if (index != SIZE_MAX)
      place = needIndex("place for an input", index, size_t(g->numInputs()) + 1);
    Node *node = Mutation::addInput(g.get(), text(name, "name"), t, variant, place);
    added = newRef(node->result(0));
  });
}
GeStatus geGraphEraseInput(GeGraphRef *graph, size_t index, bool force) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    Mutation::eraseInput(g->inputNodes()[needIndex("input", index, g->numInputs())], force);
  });
}
GeStatus geGraphMoveInput(GeGraphRef *graph, size_t from, size_t to) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    uint32_t place = needIndex("input", to, g->numInputs());
    Mutation::moveInput(g->inputNodes()[needIndex("input", from, g->numInputs())], place);
  });
}

GeStatus geGraphNumOutputs(GeGraphRef *graph, size_t *out) {
  return guarded([&] { result(out) = Reading<Graph>(graph, "graph")->numOutputs(); });
}
GeStatus geGraphGetOutput(GeGraphRef *graph, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g->outputValue(needIndex("output", index, g->numOutputs())));
  });
}
GeStatus geGraphSetOutputs(GeGraphRef *graph, GeValueRef *const *values, size_t count) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    Mutation::setOutputs(g.get(), Peers<Value>(g, values, count, "values", true));
  });
}
GeStatus geGraphGetOutputName(GeGraphRef *graph, size_t index, GeStringRef *out, bool *generated) {
  return guarded([&] {
    GeStringRef &name = result(out);
    Reading<Graph> g(graph, "graph");
    uint32_t i = needIndex("output", index, g->numOutputs());
    name = keptString(g->outputName(i));
    if (generated)
      *generated = !g->hasOutputName(i);
  });
}
GeStatus geGraphSetOutputName(GeGraphRef *graph, size_t index, GeStringRef name) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    Mutation::setOutputName(g.get(), needIndex("output", index, g->numOutputs()),
                            text(name, "name"));
  });
}
GeStatus geGraphSetOutputNames(GeGraphRef *graph, const GeStringRef *names, size_t count) {
  return guarded([&] {
    needArray(names, count, "names");
    Writing<Graph> g(graph, "graph");
    if (count != g->numOutputs())
      throwError(ErrorKind::Index, g->describe(), " has ", g->numOutputs(), " outputs, got ", count,
                 " names");
    std::vector<std::string> copies;
    copies.reserve(count);
    for (size_t i = 0; i < count; ++i)
      copies.emplace_back(text(names[i], "name"));
    Mutation::setOutputNames(g.get(), std::move(copies));
  });
}
GeStatus geGraphGetOutputNode(GeGraphRef *graph, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g->output());
  });
}

// --- Nodes

GeStatus geGraphNumNodes(GeGraphRef *graph, size_t *out) {
  return guarded([&] { result(out) = Reading<Graph>(graph, "graph")->numNodes(); });
}
GeStatus geGraphGetNode(GeGraphRef *graph, size_t index, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g->nodeAt(needIndex("node", index, g->numNodes())));
  });
}
GeStatus geGraphFindNode(GeGraphRef *graph, GeStringRef name, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g.root().findNode(text(name, "name")));
  });
}
GeStatus geGraphFindValue(GeGraphRef *graph, GeStringRef name, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&found = result(out);
    Reading<Graph> g(graph, "graph");
    found = newRef(g.root().findValue(text(name, "name")));
  });
}
static void findNamed(const Graph *graph, std::string_view name, std::vector<Node *> &out) {
  auto check = [&](Node *node) {
    if (node->originalName() == name && node->hasName())
      out.push_back(node);
  };
  for (Node *input : graph->inputNodes())
    check(input);
  for (Node *node = graph->front(); node; node = node->next()) {
    check(node);
    for (const Graph *inner : node->subgraphs())
      findNamed(inner, name, out);
  }
}

GeStatus geGraphFindAllNamed(GeGraphRef *graph, GeStringRef name, GeNodeRef **out, size_t capacity,
                             size_t *count) {
  return guarded([&] {
    size_t &total = result(count, "count");
    needArray(out, capacity, "out");
    Reading<Graph> g(graph, "graph");
    std::vector<Node *> nodes;
    findNamed(g.get(), text(name, "name"), nodes);
    size_t wanted = std::min(capacity, nodes.size());
    std::vector<GeNodeRef *> refs(wanted);
    for (size_t i = 0; i < wanted; ++i)
      refs[i] = newRef(nodes[i]);
    std::copy(refs.begin(), refs.end(), out);
    total = nodes.size();
  });
}

GeStatus geGraphFindAll(GeGraphRef *graph, GeOperatorName op, GeNodeRef **out, size_t capacity,
                        size_t *count) {
  return guarded([&] {
    size_t &total = result(count, "count");
    needArray(out, capacity, "out");
    Reading<Graph> g(graph, "graph");
    std::vector<Node *> nodes = g.root().findAll(g.get(), needIn(g.context(), op, "op"));
    size_t wanted = std::min(capacity, nodes.size());
    std::vector<GeNodeRef *> refs(wanted);
    for (size_t i = 0; i < wanted; ++i)
      refs[i] = newRef(nodes[i]);
    std::copy(refs.begin(), refs.end(), out);
    total = nodes.size();
  });
}

// --- Attributes

GeStatus geGraphNumAttributes(GeGraphRef *graph, size_t *out) {
  return guarded([&] { result(out) = Reading<Graph>(graph, "graph")->attributes().size(); });
}
GeStatus geGraphGetAttributeAt(GeGraphRef *graph, size_t index, GeNamedAttribute *out) {
  return guarded([&] {
    GeNamedAttribute &found = result(out);
    Reading<Graph> g(graph, "graph");
    const AttributeList &list = g->attributes();
    uint32_t i = needIndex("attribute", index, list.size());
    list.at(i).retain();
    found = {wrap(g.context().identifierAt(list.nameIdAt(i))), wrap(list.at(i))};
  });
}
GeStatus geGraphGetAttribute(GeGraphRef *graph, GeIdentifier name, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &found = result(out);
    Reading<Graph> g(graph, "graph");
    Attribute attribute = g->attributes().find(needIn(g.context(), name, "name")->id());
    attribute.retain();
    found = wrap(attribute);
  });
}
GeStatus geGraphSetAttribute(GeGraphRef *graph, GeIdentifier name, GeAttribute value) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    Mutation::setAttribute(g.get(), needIn(g.context(), name, "name"),
                           nullOrIn(g.context(), value, "value"));
  });
}

// --- Whole graphs

GeStatus geGraphSort(GeGraphRef *graph) {
  return interruptible(geRefGetContext(graph),
                       [&] { Mutation::sort(Writing<Graph>(graph, "graph").get()); });
}
GeStatus geGraphVerify(GeGraphRef *graph) {
  return interruptible(geRefGetContext(graph), [&] {
    Reading<Graph> g(graph, "graph");
    std::optional<LiveModule<Access::Read>> module; // graph symbols are resolved in it
    if (g->module())
      module.emplace(*g->module());
    std::vector<Diagnostic> diagnostics = verify(g.get());
    if (!diagnostics.empty())
      throw Error(ErrorKind::Verify, std::move(diagnostics));
  });
}
GeStatus geGraphEraseDeadNodes(GeGraphRef *graph, size_t *erased) {
  return interruptible([&] {
    Writing<Graph> g(graph, "graph");
    Transaction undo(g.root());
    size_t count = Mutation::eraseDeadNodes(g.get());
    undo.commit();
    if (erased)
      *erased = count;
  });
}
GeStatus geGraphIsStructurallyEqual(GeGraphRef *a, GeGraphRef *b, bool *out) {
  return interruptible([&] {
    bool &equal = result(out);
    Reading<Graph> first(a, "a"), second(b, "b");
    equal = isStructurallyEqual(first.get(), second.get());
  });
}
GeStatus geGraphStructuralHash(GeGraphRef *graph, uint64_t *out) {
  return interruptible([&] {
    uint64_t &hash = result(out);
    hash = structuralHash(Reading<Graph>(graph, "graph").get());
  });
}
GeStatus geGraphChangeCount(GeGraphRef *graph, uint64_t *out) {
  return guarded([&] { result(out) = Reading<Graph>(graph, "graph").root().changeCount(); });
}

// --- Iteration

struct GeCursor final : NodeCursor {
  GeCursor(Graph *graph, bool reverse) : NodeCursor(graph, reverse) {}
  GeGraphRef *held = nullptr;
};

GeStatus geCursorCreate(GeGraphRef *graph, bool reverse, GeCursor **out) {
  return guarded([&] {
    GeCursor *&made = result(out);
    Reading<Graph> g(graph, "graph");
    made = new GeCursor(g.get(), reverse);
    made->held = graph;
    geGraphRetain(graph);
  });
}

GeStatus geCursorNext(GeCursor *cursor, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    if (!cursor)
      throwNull("cursor");
    Reading<Graph> g(cursor->held, "cursor");
    found = newRef(cursor->next());
  });
}

void geCursorDestroy(GeCursor *cursor) {
  if (!cursor)
    return;
  GeGraphRef *held = cursor->held;
  try {
    RootAccess<Access::Read> access(record(held));
    delete cursor;
  } catch (...) { // busy: the thread with access removes the cursor
    record(held)->root.load(std::memory_order_acquire)->abandon(cursor);
  }
  geGraphRelease(held);
}
