//===- Builders.cpp - live builders, and operators of their values -----------------------------===//
//
// While a builder is alive, `a + b` of values of its root graph calls the builder's `_operator`.
// Without a builder the slots of Value return NotImplemented.
//
#include "../Imported/Imported.h"
#include "Function.h"
#include "PopulateOps.h"

#include "../IR/NodeObject.h"
#include "../IR/Scope.h"

#include <algorithm>

namespace ge::python {

namespace {

constexpr const char *kOperators[] = {
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
    "and", "or",  "xor", "lshift",  "rshift",   "neg", "abs", "invert",
    "lt",  "le",  "gt",  "ge",      "getitem",  "bool"};

struct LiveBuilder {
  PyObject *graph;   ///< owned
  PyObject *builder; ///< owned
  uint32_t opset;    ///< ONNX opset that the builder was created for; kAnyOpset: none
};
/// Never destroyed: threads may be at work when the process ends.
std::vector<LiveBuilder> &live = *new std::vector<LiveBuilder>;

const LiveBuilder *liveOf(const GeRef *ref) {
  for (auto it = live.rbegin(); it != live.rend(); ++it)
    if (geRefHasSameRoot(payload<GraphObject>(it->graph).ref, ref))
      return &*it;
  return nullptr;
}

PyObject *builderOf(PyObject *value) {
  const LiveBuilder *found = liveOf(payload<ValueObject>(value).ref);
  return found ? found->builder : nullptr;
}

/// Returns the first value among the arguments of a call, lists included; null if there is none.
PyObject *firstValue(PyObject *arguments) {
  for (Py_ssize_t i = 0; i < Py_SIZE(arguments); ++i) {
    PyObject *item = PyTuple_GetItem(arguments, i);
    if (PyList_Check(item) && Py_SIZE(item) > 0)
      item = PyList_GetItem(item, 0);
    if (isValue(item))
      return item;
  }
  return nullptr;
}

void setLowestOpset() {
  lowestOpset = kAnyOpset;
  for (const LiveBuilder &one : live)
    lowestOpset = std::min(lowestOpset, one.opset);
}

PyObject *valueOperator(ValueOperator op, PyObject *a, PyObject *b) {
  PyObject *builder = isValue(a) ? builderOf(a) : nullptr;
  if (!builder && b && isValue(b))
    builder = builderOf(b);
  if (!builder)
    return Py_NewRef(Py_NotImplemented);
  nb::object held = nb::borrow(builder);
  PyObject *result =
      PyObject_CallMethod(builder, "_operator", "sOO", kOperators[size_t(op)], a, b ? b : Py_None);
  if (!result) {
    // Reports errors at the line of the operator: the frames below belong to GE.
    nb::python_error error;
    PyException_SetTraceback(error.value().ptr(), Py_None);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.value().ptr())),
                    error.value().ptr());
  }
  return result;
}

void remove(nb::handle builder, nb::handle graph) {
  for (size_t i = live.size(); i-- > 0;)
    if (live[i].builder == builder.ptr() && live[i].graph == graph.ptr()) {
      LiveBuilder gone = live[i];
      live.erase(live.begin() + std::ptrdiff_t(i));
      Py_DECREF(gone.graph);
      Py_DECREF(gone.builder);
      break;
    }
  setLowestOpset();
  if (live.empty())
    lent().setValueOperators(nullptr);
}

} // namespace

uint32_t opsetOfCall(PyObject *args, PyObject *kwargs) {
  const LiveBuilder *found = nullptr;
  PyObject *value = firstValue(args);
  if (!value && kwargs) {
    nb::object named = nb::steal(checked(PyDict_Values(kwargs)));
    value = firstValue(nb::tuple(named).ptr());
  }
  if (value) {
    found = liveOf(payload<ValueObject>(value).ref);
  } else {
    PyObject *held = nullptr;
    GeGraphRef *graph = nullptr;
    GeNodeRef *before = nullptr;
    if (!resolveInsertionPoint(nullptr, nullptr, held, graph, before))
      throw nb::python_error();
    found = graph ? liveOf(graph) : nullptr;
    Py_XDECREF(held);
  }
  return found ? found->opset : kAnyOpset;
}

void populateBuilders(nb::module_ &m) {
  auto refOf = [](nb::handle node) {
    if (!isNode(node.ptr()))
      checked(raiseType("node", "a Node", node.ptr()));
    return payload<NodeObject>(node.ptr()).ref;
  };
  m.def("_infer_node", [refOf](nb::handle node) { check(geNodeInferRegistered(refOf(node))); });
  m.def("_verify_node", [refOf](nb::handle node) { check(geNodeVerifyDefinition(refOf(node))); });
  m.def("_live_add", [](nb::handle builder, nb::handle graph, uint32_t opset) {
    if (!isGraph(graph.ptr()))
      checked(raiseType("graph", "a Graph", graph.ptr()));
    live.push_back({Py_NewRef(graph.ptr()), Py_NewRef(builder.ptr()), opset ? opset : kAnyOpset});
    setLowestOpset();
    lent().setValueOperators(valueOperator);
  });
  m.def("_live_remove", [](nb::handle builder, nb::handle graph) { remove(builder, graph); });
}

} // namespace ge::python
