//===- GraphQueries.cpp - nodes and attributes of graphs --------------------------------------===//
#include "Cann.h"

namespace ge::python::vocabulary {

namespace {

/// Graphs nest at most 256 deep.
void appendNodes(GeGraphRef *graph, bool deep, nb::list &nodes) {
  forEachNode(graph, [&](HeldNode node) {
    size_t subgraphs;
    check(geNodeNumSubgraphs(node.get(), &subgraphs));
    GeNodeRef *ref = node.get();
    nb::object object = wrapped(std::move(node)); // keeps `ref`
    if (!subgraphs || !isHolder(ref))
      nodes.append(object);
    for (size_t i = 0; deep && i < subgraphs; ++i) {
      HeldGraph subgraph;
      check(geNodeGetSubgraph(ref, i, subgraph.out()));
      appendNodes(subgraph.get(), deep, nodes);
    }
  });
}

template <bool deep> nb::list getNodes(const GraphObject &self) {
  nb::list nodes;
  appendNodes(self.ref, deep, nodes);
  return nodes;
}

/// The node that displays this generated name ("Relu#2"), which no index contains. O(nodes).
bool findShownName(GeGraphRef *graph, std::string_view name, HeldNode &found) {
  bool done = false;
  forEachNode(graph, [&](HeldNode node) {
    if (done)
      return;
    GeStringRef shown;
    bool isGenerated;
    check(geNodeGetName(node.get(), &shown, &isGenerated));
    bool isWanted = isGenerated && std::string_view(shown.data, shown.length) == name;
    size_t subgraphs;
    check(geNodeNumSubgraphs(node.get(), &subgraphs));
    for (size_t i = 0; !done && i < subgraphs; ++i) {
      HeldGraph subgraph;
      check(geNodeGetSubgraph(node.get(), i, subgraph.out()));
      done = findShownName(subgraph.get(), name, found);
    }
    if (!done && isWanted) {
      found = std::move(node);
      done = true;
    }
  });
  return done;
}

nb::object findNode(const GraphObject &self, nb::handle name) {
  GeStringRef text = textArgument(name, "name");
  HeldNode node;
  check(geGraphFindNode(self.ref, text, node.out()));
  std::string_view wanted(text.data, text.length);
  if (!node && wanted.find('#') != std::string_view::npos)
    findShownName(self.ref, wanted, node);
  // Nothing leads to this NetOutput, so CANN would not have it.
  bool isOutput = false;
  if (node)
    check(geNodeIsOutput(node.get(), &isOutput));
  if (!node || (isOutput && !hasOutput(node.get())))
    fail("Failed to find Node name " + std::string(wanted) + ": Graph " + nameOf(self.ref) +
         " has none of that name");
  return wrapped(std::move(node));
}

constexpr char kGraph[] = "Graph";
std::string graphAttributeAbsent(GeGraphRef *graph) {
  return "Graph " + nameOf(graph) + ": it has none of that name";
}

/// The node that owns a subgraph. Null for the node that holds the graph's own subgraphs, which
/// CANN does not have.
nb::object getParentNode(const GraphObject &self) {
  HeldNode node;
  check(geGraphGetParentNode(self.ref, node.out()));
  return !node || isHolder(node.get()) ? nb::object(nb::none()) : wrapped(std::move(node));
}

nb::object getParentGraph(const GraphObject &self) {
  HeldNode node;
  HeldGraph graph;
  check(geGraphGetParentNode(self.ref, node.out()));
  if (node)
    check(geNodeGetGraph(node.get(), graph.out()));
  return graph ? wrapped(std::move(graph)) : nb::object(nb::none());
}

} // namespace

void populateGraphQueries() {
  auto graph = existing<GraphObject>(classes.graph);
  graph.def("get_parent_node", getParentNode, nb::sig("def get_parent_node(self) -> Node | None"),
            "Return the node that this subgraph belongs to; None for a root graph and for one of "
            "`add_subgraph`.\nSee `parent_node`.");
  graph.def("get_parent_graph", getParentGraph,
            nb::sig("def get_parent_graph(self) -> Graph | None"),
            "Return the graph around this subgraph; None for a root graph.");
  graph.def("get_all_nodes", getNodes<true>, nb::sig("def get_all_nodes(self) -> list[Node]"),
            "Return all nodes, those of subgraphs after the node that owns them: inputs (Data), "
            "nodes, and the\n"
            "NetOutput once something leads to it. Cost: O(nodes).");
  graph.def("get_direct_nodes", getNodes<false>,
            nb::sig("def get_direct_nodes(self) -> list[Node]"),
            "Return the nodes of this graph alone: inputs (Data), nodes, and the NetOutput once "
            "something leads\n"
            "to it. Cost: O(nodes).");
  graph.def(
      "find_node_by_name", findNode, nb::arg("name"),
      nb::sig("def find_node_by_name(self, name: str) -> Node"),
      "Return the node of that name in the root graph and all its subgraphs, also by a generated "
      "name that\n"
      "`get_all_nodes` shows (O(nodes), this graph and its subgraphs); `find` gives None instead "
      "of "
      "raising.\n\nRaises\n------\nGEError\n    If there is none.");
  graph.def("get_attr", getAttr<geGraphGetAttribute, graphAttributeAbsent, GraphObject>,
            nb::arg("key"), nb::sig("def get_attr(self, key: str) -> typing.Any"),
            "Return an attribute; lists come as lists, element types as `DataType`.\n\n"
            "Raises\n------\nGEError\n    If there is none of that name, or it is of a kind that "
            "CANN lacks.");
  graph.def("set_attr", setAttr<geGraphSetAttribute, kGraph, GraphObject>, nb::arg("key"),
            nb::arg("value").none(),
            nb::sig("def set_attr(self, key: str, value: typing.Any) -> None"),
            "Set an attribute; see `Node.set_attr`.\n\n"
            "Raises\n------\nValueError\n    For kinds that CANN lacks. `attributes` takes more.");
}

} // namespace ge::python::vocabulary
