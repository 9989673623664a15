//===- NodeViews.cpp - operands, results, control edges and subgraphs of a node ----------------===//
#include "Missing.h"
#include "NodeObject.h"
#include "Views.h"

namespace ge::python {

namespace {

/// The operands by the parameter names of the operator's record: a value, None if absent, or a
/// tuple for a variadic parameter.
PyObject *operandByName(GeRef *ref, PyObject *name) {
  geNodeRetain(nodeOf(ref));
  nb::object node = nb::steal(wrapRef(nodeOf(ref)));
  if (!node.is_valid())
    return nullptr;
  try {
    return typedViews().attr("_operand")(node, nb::handle(name)).release().ptr();
  } catch (nb::python_error &e) {
    e.restore();
    return nullptr;
  }
}

constexpr ViewKind kOperands = {
    "operand",
    [](GeRef *ref, size_t *out) { return geNodeNumOperands(nodeOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeValueRef *value;
      GeStatus s = geNodeGetOperand(nodeOf(ref), i, &value);
      return s ? raise(s) : wrapRef(value);
    },
    [](GeRef *ref, size_t i, PyObject *value) {
      return editOperand(ref, value, "an operand", geNodeSetOperand, i);
    },
    [](GeRef *ref, PyObject *values) {
      ValueRefs refs;
      if (!refs.loadLists(values, "operands"))
        return false;
      TracedEdit traced(ref);
      if (refs.lengths().empty())
        return ok(geNodeSetOperands(nodeOf(ref), refs.data(), refs.size()));
      return ok(geNodeSetOperandLists(nodeOf(ref), refs.data(), refs.size(), refs.lengths().data(),
                                      refs.lengths().size()));
    },
    [](GeRef *ref, size_t i, PyObject *value) {
      return editOperand(ref, value, "an operand", geNodeInsertOperand, i);
    },
    [](GeRef *ref, size_t i) {
      TracedEdit traced(ref);
      return ok(geNodeEraseOperand(nodeOf(ref), i));
    },
    operandByName};

// --- Results, control edges, subgraphs

constexpr ViewKind kResults = {
    "result",
    [](GeRef *ref, size_t *out) { return geNodeNumResults(nodeOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeValueRef *value;
      GeStatus s = geNodeGetResult(nodeOf(ref), i, &value);
      return s ? raise(s) : wrapRef(value);
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

bool controlInput(GeRef *ref, PyObject *other, GeStatus (*use)(GeNodeRef *, GeNodeRef *)) {
  if (!isNode(other)) {
    raiseType("a control input", "a Node", other);
    return false;
  }
  TracedEdit traced(ref);
  return ok(use(nodeOf(ref), payload<NodeObject>(other).ref));
}

constexpr ViewKind kControlInputs = {
    "control input",
    [](GeRef *ref, size_t *out) { return geNodeNumControlInputs(nodeOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeNodeRef *other;
      GeStatus s = geNodeGetControlInput(nodeOf(ref), i, &other);
      return s ? raise(s) : wrapRef(other);
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

constexpr ViewKind kControlOutputs = {
    "control output",
    [](GeRef *ref, size_t *out) { return geNodeNumControlOutputs(nodeOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeNodeRef *other;
      GeStatus s = geNodeGetControlOutput(nodeOf(ref), i, &other);
      return s ? raise(s) : wrapRef(other);
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

constexpr ViewKind kSubgraphs = {
    "subgraph",
    [](GeRef *ref, size_t *out) { return geNodeNumSubgraphs(nodeOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeGraphRef *sub;
      GeStatus s = geNodeGetSubgraph(nodeOf(ref), i, &sub);
      return s ? raise(s) : wrapRef(sub);
    },
    nullptr,
    nullptr,
    nullptr,
    [](GeRef *ref, size_t i) {
      TracedEdit traced(ref);
      return ok(geNodeEraseSubgraph(nodeOf(ref), i));
    },
    [](GeRef *ref, PyObject *name) -> PyObject * {
      GeStringRef wanted, slot;
      size_t count;
      if (!toText(name, "slot", wanted) || !ok(geNodeNumSubgraphs(nodeOf(ref), &count)))
        return nullptr;
      for (size_t i = 0; i < count; ++i) {
        GeGraphRef *sub;
        if (!ok(geNodeGetSubgraph(nodeOf(ref), i, &sub)))
          return nullptr;
        GeStatus s = geGraphGetSlotName(sub, &slot);
        if (s == GE_OK && std::string_view(slot.data, slot.length) ==
                              std::string_view(wanted.data, wanted.length))
          return wrapRef(sub);
        geGraphRelease(sub);
        if (s)
          return raise(s);
      }
      return raiseMissing("subgraph", name, count, [&](size_t i) {
        GeGraphRef *sub = nullptr;
        std::string text;
        if (geNodeGetSubgraph(nodeOf(ref), i, &sub) == GE_OK &&
            geGraphGetSlotName(sub, &slot) == GE_OK)
          text.assign(slot.data, slot.length);
        geGraphRelease(sub);
        return text;
      });
    }};

} // namespace

bool editOperand(GeRef *node, PyObject *object, const char *what,
                 GeStatus (*use)(GeNodeRef *, size_t, GeValueRef *), size_t index) {
  std::vector<GeValueRef *> held;
  GeValueRef *value;
  if (!toValue(object, what, true, value, held))
    return false;
  TracedEdit traced(node);
  bool done = ok(use(nodeOf(node), index, value));
  for (GeValueRef *h : held)
    geValueRelease(h);
  return done;
}

PyObject *operandsOf(PyObject *self, void *) { return viewOf<&kOperands, NodeObject>(self); }
PyObject *resultsOf(PyObject *self, void *) { return viewOf<&kResults, NodeObject>(self); }
PyObject *controlInputsOf(PyObject *self, void *) {
  return viewOf<&kControlInputs, NodeObject>(self);
}
PyObject *controlOutputsOf(PyObject *self, void *) {
  return viewOf<&kControlOutputs, NodeObject>(self);
}
PyObject *subgraphsOf(PyObject *self, void *) { return viewOf<&kSubgraphs, NodeObject>(self); }
int setOperandsOf(PyObject *self, PyObject *values, void *) {
  return assignAll(kOperands, payload<NodeObject>(self).ref, values);
}

void populateNodeViews(nb::module_ &m) {
  auto operands = View<&kOperands>::bind(
      m, "OperandList",
      "Operands of a node: a mutable sequence of `Value`, None where one is absent. In a node with "
      "stored lengths of operand lists, `Node.operand_segments`, an insertion between two lists "
      "needs `Node.insert_operand`.");
  bindEditing(operands);
  auto results =
      View<&kResults>::bind(m, "ResultList", "Results of a node: a sequence of `Value`.");
  auto controls = View<&kControlInputs>::bind(
      m, "ControlInputList",
      "Nodes that run before this one without giving it data, in order of insertion.");
  controls
      .def(
          "append",
          [](nb::handle_t<View<&kControlInputs>> self, nb::handle other) {
            if (!controlInput(View<&kControlInputs>::refOf(self.ptr()), other.ptr(),
                              geNodeAddControlInput))
              throw nb::python_error();
          },
          nb::arg("node"), nb::sig("def append(self, node: Node) -> None"),
          "Make this node run after `node`; an edge that exists is kept once. Cost: O(degree).")
      .def(
          "remove",
          [](nb::handle_t<View<&kControlInputs>> self, nb::handle other) {
            if (!controlInput(View<&kControlInputs>::refOf(self.ptr()), other.ptr(),
                              geNodeRemoveControlInput))
              throw nb::python_error();
          },
          nb::arg("node"), nb::sig("def remove(self, node: Node) -> None"),
          "Take the edge from `node` away. Cost: O(degree).");
  auto controlled = View<&kControlOutputs>::bind(
      m, "ControlOutputList", "Nodes that run after this one without taking its data.");
  auto subgraphs = View<&kSubgraphs>::bind(
      m, "SubgraphList", "Subgraphs of a node, by index or by slot name. ``del`` erases one.");
  for (nb::handle c :
       {nb::handle(results), nb::handle(controls), nb::handle(controlled), nb::handle(subgraphs)})
    registerAs(c, "Sequence");
  registerAs(operands, "MutableSequence");
}

} // namespace ge::python
