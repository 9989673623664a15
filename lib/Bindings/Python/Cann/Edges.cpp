//===- Edges.cpp - nodes and edges removed and added by CANN's words --------------------------===//
#include "Cann.h"

namespace ge::python::vocabulary {

namespace {

/// An edge as the arguments of a call describe it; errors begin with CANN's message for the call.
struct EdgeCall {
  GeGraphRef *graph;
  const char *words; ///< "Failed to add DataEdge"
  GeNodeRef *src = nullptr, *dst = nullptr;
  int64_t srcPort = -1, dstPort = -1;
  bool hasPorts = true;

  EdgeCall(GeGraphRef *graph, const char *words, nb::handle source, nb::handle sourcePort,
           nb::handle target, nb::handle targetPort)
      : graph(graph), words(words) {
    src = nodeArgument(source, "src_node");
    srcPort = intArgument(sourcePort, "src_port_index");
    dst = nodeArgument(target, "dst_node");
    dstPort = intArgument(targetPort, "dst_port_index");
    needMembers();
  }
  EdgeCall(GeGraphRef *graph, const char *words, nb::handle source, nb::handle target)
      : graph(graph), words(words), src(nodeArgument(source, "src_node")),
        dst(nodeArgument(target, "dst_node")), hasPorts(false) {
    needMembers();
  }

  std::string told() const {
    auto end = [&](GeNodeRef *node, int64_t port) {
      return nameOf(node) + (hasPorts ? ", Port Index " + std::to_string(port) : "");
    };
    return std::string(words) + " from Node " + end(src, srcPort) + " to Node " + end(dst, dstPort);
  }
  [[noreturn]] void refuse(const std::string &why) const { fail(told() + ": " + why); }
  void check(GeStatus status) const {
    checkCall(status, [&] { return told(); });
  }
  HeldValue result() const {
    size_t count;
    python::check(geNodeNumResults(src, &count));
    if (srcPort < 0 || size_t(srcPort) >= count)
      refuse(describe(src) + " has " + std::to_string(count) + " outputs");
    HeldValue value;
    python::check(geNodeGetResult(src, size_t(srcPort), value.out()));
    return value;
  }

private:
  void needMembers() const {
    for (GeNodeRef *node : {src, dst}) {
      HeldGraph home;
      python::check(geNodeGetGraph(node, home.out()));
      if (home.get() != graph)
        refuse(describe(node) + " is not in Graph " + nameOf(graph));
    }
  }
};

bool isConstant(GeNodeRef *node) {
  GeIdentifier op;
  check(geNodeGetOp(node, &op));
  GeStringRef name = geIdentifierStr(op);
  std::string_view text(name.data, name.length);
  return text == "ge.Const" || text == "onnx.Constant";
}

void addDataEdge(const GraphObject &self, nb::handle srcObject, nb::handle srcIndex,
                 nb::handle dstObject, nb::handle dstIndex) {
  EdgeCall edge(self.ref, "Failed to add DataEdge", srcObject, srcIndex, dstObject, dstIndex);
  GeNodeRef *dst = edge.dst;
  int64_t dstPort = edge.dstPort;
  HeldValue value = edge.result();
  bool isInput;
  size_t count;
  check(geNodeIsInput(dst, &isInput));
  check(geNodeNumOperands(dst, &count));
  // Without the operator's definition the number of inputs is unknown: one more may be added.
  bool takesNone = isInput || isConstant(dst);
  if (takesNone || dstPort < 0 || size_t(dstPort) > count)
    edge.refuse(describe(dst) + (takesNone ? " takes no inputs"
                                           : " has " + std::to_string(count) +
                                                 " inputs, and the next may be added"));
  TracedEdit traced(dst);
  if (size_t(dstPort) == count)
    return edge.check(geNodeInsertOperand(dst, count, value.get()));
  HeldValue before;
  check(geNodeGetOperand(dst, size_t(dstPort), before.out()));
  if (before)
    edge.refuse("that input is connected already; remove its edge first");
  edge.check(geNodeSetOperand(dst, size_t(dstPort), value.get()));
}

void addControlEdge(const GraphObject &self, nb::handle srcObject, nb::handle dstObject) {
  EdgeCall edge(self.ref, "Failed to add Control", srcObject, dstObject);
  TracedEdit traced(edge.dst);
  edge.check(geNodeAddControlInput(edge.dst, edge.src));
}

void removeControlEdge(const EdgeCall &edge) {
  GeNodeRef *src = edge.src, *dst = edge.dst;
  size_t count;
  check(geNodeNumControlInputs(dst, &count));
  bool found = false;
  for (size_t i = 0; i < count && !found; ++i) {
    HeldNode input;
    check(geNodeGetControlInput(dst, i, input.out()));
    found = input.get() == src;
  }
  if (!found)
    edge.refuse("there is no such control edge");
  TracedEdit traced(dst);
  edge.check(geNodeRemoveControlInput(dst, src));
}

void removeEdge(const GraphObject &self, nb::handle srcObject, nb::handle srcIndex,
                nb::handle dstObject, nb::handle dstIndex) {
  EdgeCall edge(self.ref, "Failed to remove Edge", srcObject, srcIndex, dstObject, dstIndex);
  GeNodeRef *dst = edge.dst;
  int64_t dstPort = edge.dstPort;
  if (edge.srcPort == -1 && dstPort == -1)
    return removeControlEdge(edge);
  HeldValue value = edge.result();
  size_t count;
  check(geNodeNumOperands(dst, &count));
  HeldValue operand;
  if (dstPort >= 0 && size_t(dstPort) < count)
    check(geNodeGetOperand(dst, size_t(dstPort), operand.out()));
  if (operand.get() != value.get())
    edge.refuse("there is no such edge");
  TracedEdit traced(dst);
  edge.check(geNodeSetOperand(dst, size_t(dstPort), nullptr));
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

/// A graph always has a NetOutput; CANN's members hide one without edges.
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
  GeNodeRef *node = nodeArgument(object, "node");
  HeldGraph home;
  check(geNodeGetGraph(node, home.out()));
  if (home.get() != self.ref)
    fail("Failed to remove Node " + nameOf(node) + " from Graph " + nameOf(self.ref) + ": " +
         describe(node) + " is not in it");
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
