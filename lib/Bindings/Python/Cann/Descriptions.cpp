//===- Descriptions.cpp - TensorDesc and attributes of inputs and outputs ---------------------===//
//
// In the IR a type belongs to a value, so the description of an output is the type of the result.
// CANN keeps another description for each input, which may differ from its producer's. In that case
// the node has an attribute `ge.input_desc.<i>` that holds the type; attributes of descriptions are
// node attributes `ge.input_desc.<i>.<name>` and `ge.output_desc.<i>.<name>`, so that the text form
// contains all of it. Not promised: that they move along when operands are inserted or erased in
// the middle.
//
#include "Cann.h"

namespace ge::python::vocabulary {

namespace {

enum class Side { Input, Output };

bool isInput(GeNodeRef *node) {
  bool input;
  check(geNodeIsInput(node, &input));
  return input;
}

size_t countOf(GeNodeRef *node, Side side) {
  // In CANN, a Data node has an input, whose description is that of its output unless another one
  // is set.
  if (side == Side::Input && isInput(node))
    return 1;
  size_t count;
  check(side == Side::Input ? geNodeNumOperands(node, &count) : geNodeNumResults(node, &count));
  return count;
}

/// CANN's error for a call: "Failed to get input desc".
std::string wordsOf(const char *verb, Side side, const char *what) {
  return std::string("Failed to ") + verb + (side == Side::Input ? " input " : " output ") + what;
}

size_t portOf(GeNodeRef *node, Side side, nb::handle index, const std::string &words) {
  return indexArgument(index, side == Side::Input ? "Input index" : "Output index",
                       countOf(node, side), words.c_str());
}

std::string prefixOf(Side side, size_t index) {
  return (side == Side::Input ? "ge.input_desc." : "ge.output_desc.") + std::to_string(index);
}

GeIdentifier identifier(GeNodeRef *node, const std::string &text) {
  GeIdentifier name;
  check(geIdentifierGet(geRefGetContext(node), stringRef(text), &name));
  return name;
}

/// The type that was set for an input; null if none was.
GeType ownType(GeNodeRef *node, size_t input) {
  HeldAttribute value;
  check(geNodeGetAttribute(node, identifier(node, prefixOf(Side::Input, input)), &value.value));
  if (geAttributeGetKind(value.value) != GE_ATTR_TYPE)
    return nullptr;
  GeType type;
  check(geAttributeGetType(value.value, &type));
  return type;
}

/// The type of the value at a port; for the input of a Data node, the type of its output. Null for
/// an absent operand.
GeType valueType(GeNodeRef *node, Side side, size_t index) {
  if (side == Side::Input && isInput(node))
    side = Side::Output;
  HeldValue value;
  check(side == Side::Input ? geNodeGetOperand(node, index, value.out())
                            : geNodeGetResult(node, index, value.out()));
  if (!value)
    return nullptr;
  GeType type;
  check(geValueGetType(value.get(), &type));
  return type;
}

nb::object typeObject(GeType type) {
  if (!type)
    return nb::none();
  return nb::steal(checked(wrapType(type)));
}

template <Side side> nb::object getDesc(const NodeObject &self, nb::handle index) {
  std::string words = wordsOf("get", side, "desc");
  size_t port = portOf(self.ref, side, index, words);
  GeType type = side == Side::Input ? ownType(self.ref, port) : nullptr;
  if (!type)
    type = valueType(self.ref, side, port);
  if (!type)
    fail(words + " for index " + std::to_string(port) + ": at " + describe(self.ref) +
         " it is not connected, and no description was given");
  return member("TensorDesc").attr("_of_type")(typeObject(type));
}

template <Side side> void updateDesc(const NodeObject &self, nb::handle index, nb::handle desc) {
  intArgument(index, side == Side::Input ? "Input index" : "Output index");
  nb::object descClass = member("TensorDesc");
  int instance = PyObject_IsInstance(desc.ptr(), descClass.ptr());
  checked(instance);
  if (!instance)
    checked(raiseType("tensor_desc", "a TensorDesc", desc.ptr()));
  size_t port = portOf(self.ref, side, index, wordsOf("update", side, "desc"));
  GeContext *context = geRefGetContext(self.ref);
  GeType before = valueType(self.ref, side, port);
  nb::object contextObject = nb::steal(checked(wrapContext(context)));
  nb::object object = desc.attr("_to_type")(contextObject, typeObject(before));
  GeType type;
  if (!toType(object.ptr(), "the description's type", type))
    throw nb::python_error();
  TracedEdit traced(context);
  if constexpr (side == Side::Output) {
    HeldValue result;
    check(geNodeGetResult(self.ref, port, result.out()));
    checkCall(geValueSetType(result.get(), type));
  } else {
    // No attribute if the producer has the same description.
    HeldAttribute value;
    if (type != before)
      check(geAttributeType(type, &value.value));
    checkCall(
        geNodeSetAttribute(self.ref, identifier(self.ref, prefixOf(side, port)), value.value));
  }
}

GeIdentifier nameOfAttr(GeNodeRef *node, Side side, size_t port, nb::handle key) {
  GeStringRef text = textArgument(key, "Attribute name");
  return identifier(node, prefixOf(side, port) + "." + std::string(text.data, text.length));
}

/// "Failed to get Node <n> input attribute '<a>'".
std::string wordsOfAttr(const char *verb, GeNodeRef *node, Side side, nb::handle key) {
  GeStringRef name = textArgument(key, "Attribute name");
  return std::string("Failed to ") + verb + " Node " + nameOf(node) +
         (side == Side::Input ? " input" : " output") + " attribute " + quoted(name);
}

template <Side side>
nb::object getPortAttr(const NodeObject &self, nb::handle key, nb::handle index) {
  std::string words = wordsOfAttr("get", self.ref, side, key);
  size_t port = portOf(self.ref, side, index, words);
  GeAttribute value;
  check(geNodeGetAttribute(self.ref, nameOfAttr(self.ref, side, port, key), &value));
  if (!value.bits)
    fail(words + " for index " + std::to_string(port) + ": there is none of that name");
  return newGeAttribute(value);
}

template <Side side>
void setPortAttr(const NodeObject &self, nb::handle key, nb::handle index, nb::handle value) {
  std::string words = wordsOfAttr("set", self.ref, side, key);
  size_t port = portOf(self.ref, side, index, words);
  if (textArgument(key, "Attribute name").length == 0)
    fail(words + " for index " + std::to_string(port) + ": an attribute needs a name");
  ContextState &state = stateOf(self.ref);
  HeldAttribute attribute;
  toGeAttribute(state, value, key, attribute);
  TracedEdit traced(state.context());
  checkCall(geNodeSetAttribute(self.ref, nameOfAttr(self.ref, side, port, key), attribute.value));
}

} // namespace

void populateDescriptions() {
  auto node = existing<NodeObject>(classes.node);
  node.def(
      "get_input_desc", getDesc<Side::Input>, nb::arg("index"),
      nb::sig("def get_input_desc(self, index: int) -> " GE_PYTHON_PACKAGE ".graph.TensorDesc"),
      "Return a copy of the description of an input: as set by `update_input_desc`, else the "
      "type of\n"
      "its value. Input 0 of a Data node is described as its output.\n\n"
      "Raises\n------\nGEError\n    If there is no such input, or it has neither.");
  node.def(
      "get_output_desc", getDesc<Side::Output>, nb::arg("index"),
      nb::sig("def get_output_desc(self, index: int) -> " GE_PYTHON_PACKAGE ".graph.TensorDesc"),
      "Return a copy of the description of an output, which is the type of the result.\n\n"
      "Raises\n------\nGEError\n    If there is no such output, or it is not a tensor.");
  node.def("update_input_desc", updateDesc<Side::Input>, nb::arg("index"), nb::arg("desc"),
           nb::sig("def update_input_desc(self, index: int, desc: " GE_PYTHON_PACKAGE
                   ".graph.TensorDesc) -> None"),
           "Give an input a description of its own; the producer keeps its type. The attribute\n"
           "``ge.input_desc.<index>`` holds it.\n\n"
           "Raises\n------\nGEError\n    If there is no such input.");
  node.def("update_output_desc", updateDesc<Side::Output>, nb::arg("index"), nb::arg("desc"),
           nb::sig("def update_output_desc(self, index: int, desc: " GE_PYTHON_PACKAGE
                   ".graph.TensorDesc) -> None"),
           "Set the type of a result. Where a dimension stays unknown (-1) it keeps its symbol.\n\n"
           "Raises\n------\nGEError\n    If there is no such output.");
  node.def("get_input_attr", getPortAttr<Side::Input>, nb::arg("attr_name"), nb::arg("input_index"),
           nb::sig("def get_input_attr(self, attr_name: str, input_index: int) -> typing.Any"),
           "Return an attribute of an input's description; see `set_input_attr`.\n\n"
           "Raises\n------\nGEError\n    If there is no such input or attribute.");
  node.def("set_input_attr", setPortAttr<Side::Input>, nb::arg("attr_name"), nb::arg("input_index"),
           nb::arg("attr_value").none(),
           nb::sig("def set_input_attr(self, attr_name: str, input_index: int, attr_value: "
                   "typing.Any) -> None"),
           "Set an attribute of an input's description, of the kinds of `set_attr`. The node's "
           "attribute\n"
           "``ge.input_desc.<index>.<name>`` holds it.\n\n"
           "Raises\n------\nGEError\n    If there is no such input.\nValueError\n    For other "
           "kinds of values.");
  node.def("get_output_attr", getPortAttr<Side::Output>, nb::arg("attr_name"),
           nb::arg("output_index"),
           nb::sig("def get_output_attr(self, attr_name: str, output_index: int) -> typing.Any"),
           "Return an attribute of an output's description; see `set_output_attr`.\n\n"
           "Raises\n------\nGEError\n    If there is no such output or attribute.");
  node.def("set_output_attr", setPortAttr<Side::Output>, nb::arg("attr_name"),
           nb::arg("output_index"), nb::arg("attr_value").none(),
           nb::sig("def set_output_attr(self, attr_name: str, output_index: int, attr_value: "
                   "typing.Any) -> None"),
           "Set an attribute of an output's description, of the kinds of `set_attr`. The node's "
           "attribute\n"
           "``ge.output_desc.<index>.<name>`` holds it.\n\n"
           "Raises\n------\nGEError\n    If there is no such output.\nValueError\n    For other "
           "kinds of values.");
}

} // namespace ge::python::vocabulary
