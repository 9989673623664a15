//===- Edges.cpp - nodes and edges removed and added by CANN's words --------------------------===//
#include "Cann.h"

namespace ge::python::vocabulary {

namespace {

/// A Node argument that is in this graph.
GeNodeRef *memberArgument(GeGraphRef *graph, nb::handle argument, const char *what) {
  GeNodeRef *node = nodeArgument(argument, what);
  HeldGraph home;
  check(geNodeGetGraph(node, home.out()));
  if (home.get() != graph)
    fail(std::string(what) + " " + describe(node) + " is not in Graph " + nameOf(graph));
  return node;
}

HeldValue resultOf(GeNodeRef *node, int64_t port) {
  size_t count;
  check(geNodeNumResults(node, &count));
  if (port < 0 || size_t(port) >= count)
    fail("src_port_index " + std::to_string(port) + " is out of range: " + describe(node) +
         " has " + std::to_string(count) + " outputs");
  HeldValue value;
  check(geNodeGetResult(node, size_t(port), value.out()));
  return value;
}

bool isConstant(GeNodeRef *node) {
  GeIdentifier op;
  check(geNodeGetOp(node, &op));
  GeStringRef name = geIdentifierStr(op);
  std::string_view text(name.data, name.length);
  return text == "ge.Const" || text == "onnx.Constant";
}

void addDataEdge(const GraphObject &self, nb::handle srcObject, nb::handle srcIndex,
                 nb::handle dstObject, nb::handle dstIndex) {
  GeNodeRef *src = memberArgument(self.ref, srcObject, "src_node");
  int64_t srcPort = intArgument(srcIndex, "src_port_index");
  GeNodeRef *dst = memberArgument(self.ref, dstObject, "dst_node");
  int64_t dstPort = intArgument(dstIndex, "dst_port_index");
  HeldValue value = resultOf(src, srcPort);
  bool isInput;
  size_t count;
  check(geNodeIsInput(dst, &isInput));
  check(geNodeNumOperands(dst, &count));
  // Without the operator's definition the number of its inputs is unknown: the next one may be
  // added.
  bool takesNone = isInput || isConstant(dst);
  if (takesNone || dstPort < 0 || size_t(dstPort) > count)
    fail("dst_port_index " + std::to_string(dstPort) + " is out of range: " + describe(dst) +
         (takesNone ? " takes no inputs"
                    : " has " + std::to_string(count) + " inputs, and the next may be added"));
  TracedEdit traced(dst);
  if (size_t(dstPort) == count)
    return checkCall(geNodeInsertOperand(dst, count, value.get()));
  HeldValue before;
  check(geNodeGetOperand(dst, size_t(dstPort), before.out()));
  if (before)
    fail("input " + std::to_string(dstPort) + " of " + describe(dst) +
         " is connected already; remove that edge first");
  checkCall(geNodeSetOperand(dst, size_t(dstPort), value.get()));
}

void addControlEdge(const GraphObject &self, nb::handle srcObject, nb::handle dstObject) {
  GeNodeRef *src = memberArgument(self.ref, srcObject, "src_node");
  GeNodeRef *dst = memberArgument(self.ref, dstObject, "dst_node");
  TracedEdit traced(dst);
  checkCall(geNodeAddControlInput(dst, src));
}

void removeControlEdge(GeNodeRef *src, GeNodeRef *dst) {
  size_t count;
  check(geNodeNumControlInputs(dst, &count));
  bool found = false;
  for (size_t i = 0; i < count && !found; ++i) {
    HeldNode input;
    check(geNodeGetControlInput(dst, i, input.out()));
    found = input.get() == src;
  }
  if (!found)
    fail("there is no control edge from " + describe(src) + " to " + describe(dst));
  TracedEdit traced(dst);
  checkCall(geNodeRemoveControlInput(dst, src));
}

void removeEdge(const GraphObject &self, nb::handle srcObject, nb::handle srcIndex,
                nb::handle dstObject, nb::handle dstIndex) {
  GeNodeRef *src = memberArgument(self.ref, srcObject, "src_node");
  int64_t srcPort = intArgument(srcIndex, "src_port_index");
  GeNodeRef *dst = memberArgument(self.ref, dstObject, "dst_node");
  int64_t dstPort = intArgument(dstIndex, "dst_port_index");
  if (srcPort == -1 && dstPort == -1)
    return removeControlEdge(src, dst);
  HeldValue value = resultOf(src, srcPort);
  size_t count;
  check(geNodeNumOperands(dst, &count));
  HeldValue operand;
  if (dstPort >= 0 && size_t(dstPort) < count)
    check(geNodeGetOperand(dst, size_t(dstPort), operand.out()));
  if (operand.get() != value.get())
    fail("there is no edge from output " + std::to_string(srcPort) + " of " + describe(src) +
         " to input " + std::to_string(dstPort) + " of " + describe(dst));
  TracedEdit traced(dst);
  checkCall(geNodeSetOperand(dst, size_t(dstPort), nullptr));
}

void removeInput(GeGraphRef *graph, GeNodeRef *node) {
  HeldValue value;
  check(geNodeGetResult(node, 0, value.out()));
  size_t count;
  check(geGraphNumInputs(graph, &count));
  for (size_t i = 0; i < count; ++i) {
    HeldValue input;
    check(geGraphGetInput(graph, i, input.out()));
    if (input.get() == value.get())
      return checkCall(geGraphEraseInput(graph, i, true));
  }
}

/// The NetOutput of a graph is always there; without edges it is one that CANN's members do not
/// show.
void clearOutput(GeGraphRef *graph, GeNodeRef *node) {
  checkCall(geGraphSetOutputs(graph, nullptr, 0));
  size_t count;
  check(geNodeNumControlInputs(node, &count));
  for (size_t i = count; i-- > 0;) {
    HeldNode input;
    check(geNodeGetControlInput(node, i, input.out()));
    if (!isHolder(input.get()))
      checkCall(geNodeRemoveControlInput(node, input.get()));
  }
}

void removeNode(const GraphObject &self, nb::handle object) {
  GeNodeRef *node = memberArgument(self.ref, object, "node");
  bool isInput, isOutput;
  check(geNodeIsInput(node, &isInput));
  check(geNodeIsOutput(node, &isOutput));
  TracedEdit traced(node);
  if (isInput)
    return removeInput(self.ref, node);
  if (isOutput)
    return clearOutput(self.ref, node);
  checkCall(geNodeErase(node, true));
}

} // namespace

void populateEdges() {
  auto graph = existing<GraphObject>(classes.graph);
  graph.def("remove_node", removeNode, nb::arg("node"),
            nb::sig("def remove_node(self, node: Node) -> None"),
            "Remove a node with all its edges; inputs that took its outputs are absent then. "
            "`Node.erase` refuses\n"
            "while outputs are used.\n\n"
            "Raises\n------\nGEError\n    If it is in another graph.\n\nCost: O(edges of the "
            "node), for inputs O(inputs).");
  graph.def("remove_edge", removeEdge, nb::arg("src_node"), nb::arg("src_port_index"),
            nb::arg("dst_node"), nb::arg("dst_port_index"),
            nb::sig("def remove_edge(self, src_node: Node, src_port_index: int, dst_node: Node, "
                    "dst_port_index: int) -> None"),
            "Remove a data edge, which leaves the input absent, or with both indices -1 a control "
            "edge.\n\n"
            "Raises\n------\nGEError\n    If there is no such edge.");
  graph.def("add_data_edge", addDataEdge, nb::arg("src_node"), nb::arg("src_port_index"),
            nb::arg("dst_node"), nb::arg("dst_port_index"),
            nb::sig("def add_data_edge(self, src_node: Node, src_port_index: int, dst_node: Node, "
                    "dst_port_index: int) -> None"),
            "Connect an output to an absent input, or to the input after the last.\n\n"
            "Raises\n------\nGEError\n    If a port is out of range, the input is connected, or a "
            "node is in another graph.");
  graph.def("add_control_edge", addControlEdge, nb::arg("src_node"), nb::arg("dst_node"),
            nb::sig("def add_control_edge(self, src_node: Node, dst_node: Node) -> None"),
            "Let `dst_node` run after `src_node`. An edge that exists is kept once.\n\n"
            "Raises\n------\nGEError\n    If a node is in another graph, or the edge would lead to "
            "an input.");
}

} // namespace ge::python::vocabulary
