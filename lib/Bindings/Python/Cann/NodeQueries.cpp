//===- NodeQueries.cpp - neighbours and attributes of nodes -----------------------------------===//
#include "Cann.h"

#include <vector>

namespace ge::python::vocabulary {

namespace {

template <GeStatus (*count)(GeNodeRef *, size_t *),
          GeStatus (*get)(GeNodeRef *, size_t, GeNodeRef **)>
nb::list controlNodes(const NodeObject &self) {
  size_t n;
  check(count(self.ref, &n));
  nb::list nodes;
  for (size_t i = 0; i < n; ++i) {
    HeldNode node;
    check(get(self.ref, i, node.out()));
    if (!isHolder(node.get()))
      nodes.append(wrapped(std::move(node)));
  }
  return nodes;
}

nb::object producerOf(const NodeObject &self, nb::handle index) {
  size_t count;
  check(geNodeNumOperands(self.ref, &count));
  size_t i = indexArgument(index, "Input index", count, "Failed to get input data node");
  HeldValue operand;
  check(geNodeGetOperand(self.ref, i, operand.out()));
  if (!operand)
    fail("Failed to get input data node for index " + std::to_string(i) +
         ": it is not connected at " + describe(self.ref));
  HeldNode producer;
  size_t port;
  check(geValueGetNode(operand.get(), producer.out()));
  check(geValueGetIndex(operand.get(), &port));
  return nb::make_tuple(wrapped(std::move(producer)), port);
}

nb::list consumersOf(const NodeObject &self, nb::handle index) {
  size_t count;
  check(geNodeNumResults(self.ref, &count));
  HeldValue result;
  size_t i = indexArgument(index, "Output index", count, "Failed to get output data node");
  check(geNodeGetResult(self.ref, i, result.out()));
  size_t uses;
  check(geValueGetUses(result.get(), nullptr, 0, &uses));
  std::vector<GeUse> found(uses);
  check(geValueGetUses(result.get(), found.data(), uses, &uses));
  std::vector<HeldNode> nodes;
  for (GeUse &use : found)
    nodes.emplace_back(use.node);
  // The latest use is listed first; CANN lists the oldest first.
  nb::list pairs;
  for (size_t use = nodes.size(); use-- > 0;)
    pairs.append(nb::make_tuple(wrapped(std::move(nodes[use])), found[use].operandIndex));
  return pairs;
}

constexpr char kNode[] = "Node";
std::string nodeAttributeAbsent(GeNodeRef *node) {
  return "Node: " + describe(node) + " has none of that name";
}

bool hasAttr(const NodeObject &self, nb::handle key) {
  GeIdentifier name = keyArgument(stateOf(self.ref), key, "attr_name");
  HeldAttribute value;
  check(geNodeGetAttribute(self.ref, name, &value.value));
  return value.value.bits != 0;
}

/// Returns the data of the constant that feeds an input.
nb::object inputConstant(const NodeObject &self, nb::handle index) {
  size_t count;
  check(geNodeNumOperands(self.ref, &count));
  HeldValue operand;
  size_t i = indexArgument(index, "Input index", count, "Failed to get input const tensor");
  check(geNodeGetOperand(self.ref, i, operand.out()));
  if (!operand)
    return nb::none();
  HeldNode producer;
  check(geValueGetNode(operand.get(), producer.out()));
  GeOperatorName op;
  check(geNodeGetOperatorName(producer.get(), &op));
  GeStringRef type = geIdentifierStr(geOperatorNameType(op));
  std::string_view text(type.data, type.length);
  if (text != "Const" && text != "Constant")
    return nb::none();
  GeIdentifier value;
  check(geIdentifierGet(geRefGetContext(self.ref), stringRef("value"), &value));
  HeldAttribute attribute;
  check(geNodeGetAttribute(producer.get(), value, &attribute.value));
  if (geAttributeGetKind(attribute.value) != GE_ATTR_TENSOR)
    return nb::none();
  return newGeAttribute(attribute.take());
}

template <GeStatus (*count)(GeNodeRef *, size_t *)> size_t sizeOf(const NodeObject &self) {
  size_t n;
  check(count(self.ref, &n));
  return n;
}

template <bool out> nb::object anchorsOf(nb::handle_t<NodeObject> self) {
  return importModule(GE_PYTHON_PACKAGE ".graph._anchor")
      .attr(out ? "out_anchors" : "in_anchors")(self);
}

} // namespace

void populateNodeQueries() {
  auto node = existing<NodeObject>(classes.node);
  node.def(
      "get_in_control_nodes", controlNodes<geNodeNumControlInputs, geNodeGetControlInput>,
      nb::sig("def get_in_control_nodes(self) -> list[Node]"),
      "Return the nodes that run before this one without giving it data; see `control_inputs`.");
  node.def(
      "get_out_control_nodes", controlNodes<geNodeNumControlOutputs, geNodeGetControlOutput>,
      nb::sig("def get_out_control_nodes(self) -> list[Node]"),
      "Return the nodes that run after this one without taking its data; see `control_outputs`.");
  node.def(
      "get_in_data_nodes_and_port_indexes", producerOf, nb::arg("in_index"),
      nb::sig("def get_in_data_nodes_and_port_indexes(self, in_index: int) -> tuple[Node, int]"),
      "Return the node that produces an input, and which of its outputs that is.\n\n"
      "Raises\n------\nGEError\n    If there is no such input or it is not connected.");
  node.def(
      "get_out_data_nodes_and_port_indexes", consumersOf, nb::arg("out_index"),
      nb::sig("def get_out_data_nodes_and_port_indexes(self, out_index: int) -> list[tuple[Node, "
              "int]]"),
      "Return the nodes that take an output, each with the input that takes it, oldest first.\n\n"
      "Raises\n------\nGEError\n    If there is no such output.\n\nCost: O(uses).");
  node.def("get_all_in_anchors", anchorsOf<false>,
           nb::sig("def get_all_in_anchors(self) -> list[" GE_PYTHON_PACKAGE ".graph.Anchor]"),
           "Return the inputs as CANN's anchors, absent ones included, and after them the one of "
           "control edges;\nsee `operands`.");
  node.def("get_all_out_anchors", anchorsOf<true>,
           nb::sig("def get_all_out_anchors(self) -> list[" GE_PYTHON_PACKAGE ".graph.Anchor]"),
           "Return the outputs as CANN's anchors, and after them the one of control edges; see "
           "`results`.");
  node.def("get_inputs_size", sizeOf<geNodeNumOperands>,
           nb::sig("def get_inputs_size(self) -> int"),
           "Return the number of inputs, absent ones included.");
  node.def("get_outputs_size", sizeOf<geNodeNumResults>,
           nb::sig("def get_outputs_size(self) -> int"), "Return the number of outputs.");
  node.def(
      "get_attr", getAttr<geNodeGetAttribute, nodeAttributeAbsent, NodeObject>, nb::arg("key"),
      nb::sig("def get_attr(self, key: str) -> typing.Any"),
      "Return an attribute; lists come as lists, element types as `DataType`.\n\n"
      "Raises\n------\nGEError\n    If there is none of that name, or it is of a kind that CANN "
      "lacks.");
  node.def("set_attr", setAttr<geNodeSetAttribute, kNode, NodeObject>, nb::arg("key"),
           nb::arg("value").none(),
           nb::sig("def set_attr(self, key: str, value: typing.Any) -> None"),
           "Set an attribute to a str, float (32 bits), bool, DataType, Tensor, int (64 bits), or "
           "a list of float,\n"
           "bool, int, DataType or str; also to a NumPy scalar or array.\n\n"
           "Raises\n------\nValueError\n    For anything else, and for an empty list. `attributes` "
           "takes more.");
  node.def("has_attr", hasAttr, nb::arg("attr_name"),
           nb::sig("def has_attr(self, attr_name: str) -> bool"),
           "Whether there is an attribute of that name.");
  node.def("get_input_const_tensor", inputConstant, nb::arg("in_index"),
           nb::sig("def get_input_const_tensor(self, in_index: int) -> Tensor | None"),
           "Return the data of an input that a constant produces, None for other inputs.\n\n"
           "Raises\n------\nGEError\n    If there is no such input.");
}

} // namespace ge::python::vocabulary
