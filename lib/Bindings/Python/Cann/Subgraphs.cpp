//===- Subgraphs.cpp - subgraphs by name ------------------------------------------------------===//
//
// In CANN a root graph has a flat list of subgraphs; in GE each subgraph belongs to a node.
// Graph.add_subgraph puts graphs that no node owns under one node `ge.Subgraphs`, created with the
// first of them. A control edge to the NetOutput keeps that node from being dead code.
//
#include "Cann.h"

namespace ge::python::vocabulary {

namespace {

/// Calls `function(node, index, subgraph)` for all subgraphs at any depth, until it returns true.
template <typename Function> bool forEachSubgraph(GeGraphRef *graph, Function function) {
  CursorHolder holder;
  check(geCursorCreate(graph, false, &holder.cursor));
  while (true) {
    HeldNode node;
    check(geCursorNext(holder.cursor, node.out()));
    if (!node)
      return false;
    size_t count;
    check(geNodeNumSubgraphs(node.get(), &count));
    for (size_t i = 0; i < count; ++i) {
      HeldGraph subgraph;
      check(geNodeGetSubgraph(node.get(), i, subgraph.out()));
      GeGraphRef *ref = subgraph.get();
      geGraphRetain(ref); // keeps the graph alive during the walk, even if the callback erases it
      HeldGraph inside(ref);
      if (function(node.get(), i, std::move(subgraph)) || forEachSubgraph(ref, function))
        return true;
    }
  }
}

nb::list getAllSubgraphs(const GraphObject &self) {
  nb::list graphs;
  forEachSubgraph(self.ref, [&](GeNodeRef *, size_t, HeldGraph subgraph) {
    graphs.append(wrapped(std::move(subgraph)));
    return false;
  });
  return graphs;
}

HeldGraph find(GeGraphRef *graph, const std::string &name, HeldNode *owner, size_t *index) {
  HeldGraph found;
  forEachSubgraph(graph, [&](GeNodeRef *node, size_t i, HeldGraph subgraph) {
    if (nameOf(subgraph.get()) != name)
      return false;
    if (owner) {
      geNodeRetain(node);
      *owner = HeldNode(node);
      *index = i;
    }
    found = std::move(subgraph);
    return true;
  });
  return found;
}

std::string nameArgument(nb::handle name) {
  GeStringRef text = textArgument(name, "name");
  return std::string(text.data, text.length);
}

nb::object getSubgraph(const GraphObject &self, nb::handle name) {
  return wrapped(find(self.ref, nameArgument(name), nullptr, nullptr));
}

HeldNode holderOf(GeGraphRef *graph) {
  GeContext *context = geRefGetContext(graph);
  GeNodeSpec spec{};
  check(geOperatorNameParse(context, stringRef(kHolderOp), &spec.op));
  GeNodeRef *first = nullptr;
  size_t count;
  check(geGraphFindAll(graph, spec.op, &first, 1, &count));
  if (count)
    return HeldNode(first);
  HeldNode holder, output;
  spec.name = stringRef("");
  checkCall(geNodeCreate(graph, nullptr, &spec, holder.out()));
  check(geGraphGetOutputNode(graph, output.out()));
  checkCall(geNodeAddControlInput(output.get(), holder.get()));
  return holder;
}

void eraseIfEmpty(GeNodeRef *node) {
  size_t count;
  check(geNodeNumSubgraphs(node, &count));
  if (!count && isHolder(node))
    checkCall(geNodeErase(node, true));
}

void addSubgraph(const GraphObject &self, nb::handle object) {
  GeGraphRef *subgraph = graphArgument(object, "subgraph");
  std::string name = nameOf(subgraph);
  auto refuse = [&](const std::string &why) {
    fail("Failed to add subgraph '" + name + "' to graph '" + nameOf(self.ref) + "': " + why);
  };
  if (find(self.ref, name, nullptr, nullptr))
    refuse("it has a subgraph of that name");
  HeldGraph root;
  check(geGraphGetRoot(subgraph, root.out()));
  if (root.get() != subgraph)
    refuse("it is a subgraph of another node; clone it first");
  check(geGraphGetRoot(self.ref, root.out()));
  if (root.get() == subgraph)
    refuse("the graph is inside it");
  TracedEdit traced(self.ref);
  HeldNode holder = holderOf(self.ref);
  GeStatus status = geNodeAdoptSubgraph(holder.get(), stringRef(name), subgraph);
  if (status) {
    // Copied, because the next failing call replaces the message.
    GeStringRef message = geErrorMessage();
    std::string text(message.data, message.length);
    eraseIfEmpty(holder.get());
    refuse(text);
  }
}

void removeSubgraph(const GraphObject &self, nb::handle object) {
  std::string name = nameArgument(object);
  HeldNode owner;
  size_t index = 0;
  if (!find(self.ref, name, &owner, &index))
    fail("Failed to remove subgraph '" + name + "' from graph '" + nameOf(self.ref) +
         "': it has none of that name");
  TracedEdit traced(self.ref);
  checkCall(geNodeEraseSubgraph(owner.get(), index));
  eraseIfEmpty(owner.get());
}

} // namespace

void populateSubgraphs() {
  auto graph = existing<GraphObject>(classes.graph);
  graph.def("get_all_subgraphs", getAllSubgraphs,
            nb::sig("def get_all_subgraphs(self) -> list[Graph]"),
            "Return the subgraphs at any depth: those of control-flow nodes and those that "
            "`add_subgraph` took.\n"
            "Cost: O(nodes).");
  graph.def("get_subgraph", getSubgraph, nb::arg("name"),
            nb::sig("def get_subgraph(self, name: str) -> Graph | None"),
            "Return the first subgraph of that name at any depth, or None. Cost: O(nodes).");
  graph.def("add_subgraph", addSubgraph, nb::arg("subgraph"),
            nb::sig("def add_subgraph(self, subgraph: Graph) -> None"),
            "Take a graph as a subgraph that no control-flow node owns; handles into it stay "
            "alive. A node\n"
            "``ge.Subgraphs`` holds it. `Node.add_subgraph` gives one to a control-flow node.\n\n"
            "Raises\n------\nGEError\n    If there is a subgraph of that name, or the graph is in "
            "a module or owned by a node.");
  graph.def("remove_subgraph", removeSubgraph, nb::arg("name"),
            nb::sig("def remove_subgraph(self, name: str) -> None"),
            "Erase the first subgraph of that name with all inside it.\n\n"
            "Raises\n------\nGEError\n    If there is none.\n\nCost: O(nodes).");
}

} // namespace ge::python::vocabulary
