//===- InsertionPoint.cpp - InsertionPoint -----------------------------------------------------===//
#include "Errors.h"
#include "Members.h"
#include "PopulateIR.h"
#include "Scope.h"

namespace ge::python {

namespace {

/// Takes `graph` over.
PyObject *makePoint(PyObject *graph, PyObject *before) {
  PyObject *object = graph ? allocate(classes.insertionPoint) : nullptr;
  if (!object) {
    Py_XDECREF(graph);
    return nullptr;
  }
  auto &point = payload<InsertionPointObject>(object);
  point.graph = graph;
  point.before = Py_XNewRef(before);
  return object;
}

/// The graph of a node in a list; a new reference.
PyObject *graphOf(GeNodeRef *node) {
  GeGraphRef *graph;
  if (GeStatus s = geNodeGetGraph(node, &graph))
    return raise(s);
  if (!graph)
    PyErr_SetString(PyExc_ValueError, "a detached node is in no list, so it is no place to insert");
  return graph ? wrapRef(graph) : nullptr;
}

PyObject *before(PyObject *node) { return makePoint(graphOf(payload<NodeObject>(node).ref), node); }

PyObject *after(PyObject *node) {
  GeNodeRef *ref = payload<NodeObject>(node).ref, *next;
  PyObject *graph = graphOf(ref);
  if (!graph)
    return nullptr;
  if (GeStatus s = geNodeGetNext(ref, &next)) {
    Py_DECREF(graph);
    return raise(s);
  }
  nb::object following = nb::steal(next ? wrapRef(next) : nullptr);
  return makePoint(graph, following.ptr());
}

PyObject *newPoint(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"graph", nullptr};
  PyObject *graph;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:InsertionPoint", const_cast<char **>(names),
                                   &graph))
    return nullptr;
  if (isNode(graph))
    return before(graph);
  if (!isGraph(graph))
    return raiseType("graph", "a Graph (or a Node, to insert before it)", graph);
  size_t count; // only checks that the graph is alive
  if (GeStatus s = geGraphNumNodes(payload<GraphObject>(graph).ref, &count))
    return raise(s);
  return makePoint(Py_NewRef(graph), nullptr);
}

template <PyObject *(*make)(PyObject *)> PyObject *atNode(PyObject *, PyObject *node) {
  return isNode(node) ? make(node) : raiseType("node", "a Node", node);
}

PyObject *getGraph(PyObject *self, void *) {
  return Py_NewRef(payload<InsertionPointObject>(self).graph);
}
PyObject *getBefore(PyObject *self, void *) {
  PyObject *node = payload<InsertionPointObject>(self).before;
  return Py_NewRef(node ? node : Py_None);
}

PyObject *repr(PyObject *self) {
  auto &point = payload<InsertionPointObject>(self);
  return point.before ? PyUnicode_FromFormat("InsertionPoint.before(%R)", point.before)
                      : PyUnicode_FromFormat("InsertionPoint(%R)", point.graph);
}

constexpr Property properties[] = {
    {"graph", "Graph", safe<getGraph>, "The graph."},
    {"ref_node", "Node | None", safe<getBefore>, "The node before which it is; None at the end."},
};

const Method methods[] = {
    {"def before(node: Node, /) -> InsertionPoint", safe<atNode<before>>, METH_O | METH_STATIC,
     R"(Return the place before a node.

Raises
------
ValueError
    If it is detached.)"},
    {"def after(node: Node, /) -> InsertionPoint", safe<atNode<after>>, METH_O | METH_STATIC,
     R"(Return the place after a node: before the one that follows it now, so that several nodes come
out in the order in which they are made.

Raises
------
ValueError
    If it is detached.)"},
};

Members members("InsertionPoint", properties, methods, {scopeEnter, scopeExit});

PyType_Slot slots[] = {
    {Py_tp_new, slot<newPoint>()},      {Py_tp_init, reinterpret_cast<void *>(initNothing)},
    {Py_tp_repr, slot<repr>()},         {Py_tp_getset, members.properties()},
    {Py_tp_methods, members.methods()}, {0, nullptr}};

} // namespace

void populateInsertionPoint(nb::module_ &m) {
  declareConstructor("InsertionPoint", {"def __init__(self, graph: Graph) -> None"});
  nb::class_<InsertionPointObject>(
      m, "InsertionPoint", nb::is_final(), nb::type_slots(slots),
      "Where new nodes go: ``InsertionPoint(graph)`` is the end of a graph. ``with point:`` makes "
      "it the place\n"
      "of all nodes made inside, if it is in the graph that they go into.\n\n"
      "If the node it is before was erased, inserting raises `StaleHandleError`.")
      .def_prop_ro_static(
          "current",
          [](nb::handle) {
            nb::object scope = nb::steal(currentScope());
            PyObject *point = scope.is_valid() ? payload<ScopeObject>(scope.ptr()).point : nullptr;
            if (!point) {
              if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError,
                                "there is no enclosing `with InsertionPoint(...)`");
              throw nb::python_error();
            }
            return nb::borrow(point);
          },
          nb::sig("def current(self, /) -> InsertionPoint"),
          "The point of the innermost ``with``.\n\nRaises\n------\nValueError\n    If there is "
          "none.");
  m.def(
      "_current_point",
      []() -> nb::object {
        nb::object scope = nb::steal(currentScope());
        if (!scope.is_valid() && PyErr_Occurred())
          throw nb::python_error();
        PyObject *point = scope.is_valid() ? payload<ScopeObject>(scope.ptr()).point : nullptr;
        return point ? nb::borrow(point) : nb::object(nb::none());
      },
      "The point of the innermost ``with``, or None: without an exception, which costs more.");
}

} // namespace ge::python
