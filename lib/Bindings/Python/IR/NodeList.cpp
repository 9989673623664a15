//===- NodeList.cpp - nodes of a graph, and walking into subgraphs -----------------------------===//
//
// Iterators hold cursors of the core, which stay valid under every edit.
//
#include "NodeList.h"

#include "Convert.h"
#include "Errors.h"
#include "Members.h"
#include "PopulateIR.h"

#include <vector>

namespace ge::python {

namespace {

struct NodeListObject {
  PyObject *graph;
  GeGraphRef *ref; ///< the graph's
  NodeListObject() = default;
  NodeListObject(const NodeListObject &) = delete;
  ~NodeListObject() { Py_XDECREF(graph); }
};
struct NodeIteratorObject {
  GeCursor *cursor; ///< null at the end
  NodeIteratorObject() = default;
  NodeIteratorObject(const NodeIteratorObject &) = delete;
  ~NodeIteratorObject() {
    if (cursor)
      geCursorDestroy(cursor);
  }
};
struct WalkObject {
  std::vector<GeCursor *> cursors; ///< outermost first
  PyObject *last;                  ///< the node returned last, whose subgraphs are next; null: none
  ~WalkObject() {
    for (GeCursor *cursor : cursors)
      geCursorDestroy(cursor);
    Py_XDECREF(last);
  }
};
PyTypeObject *listClass, *iteratorClass, *walkClass;

NodeListObject &listOf(PyObject *self) { return payload<NodeListObject>(self); }

Py_ssize_t length(PyObject *self) {
  size_t count;
  if (GeStatus s = geGraphNumNodes(listOf(self).ref, &count)) {
    raise(s);
    return -1;
  }
  return Py_ssize_t(count);
}

PyObject *at(GeGraphRef *graph, size_t index) {
  GeNodeRef *node;
  GeStatus s = geGraphGetNode(graph, index, &node);
  return s ? raise(s) : wrapRef(node);
}

PyObject *item(PyObject *self, Py_ssize_t index) {
  Py_ssize_t size = length(self);
  if (size < 0)
    return nullptr;
  if (index < 0 || index >= size) {
    PyErr_Format(PyExc_IndexError, "node index %zd is out of range: there are %zd", index, size);
    return nullptr;
  }
  return at(listOf(self).ref, size_t(index));
}

PyObject *subscript(PyObject *self, PyObject *key) {
  Py_ssize_t size = length(self);
  if (size < 0)
    return nullptr;
  size_t index;
  if (!PySlice_Check(key))
    return toIndex(key, size_t(size), "node", index) ? at(listOf(self).ref, index) : nullptr;
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(key, &start, &stop, &step) < 0)
    return nullptr;
  Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
  PyObject *list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    PyObject *node = at(listOf(self).ref, size_t(start + i * step));
    if (!node)
      Py_CLEAR(list);
    else
      PyList_SetItem(list, i, node);
  }
  return list;
}

int contains(PyObject *self, PyObject *object) {
  if (length(self) < 0)
    return -1;
  if (!isNode(object) || !geRefIsAlive(payload<NodeObject>(object).ref))
    return 0;
  GeNodeRef *node = payload<NodeObject>(object).ref;
  GeGraphRef *graph;
  bool input = false, output = false;
  GeStatus s = geNodeGetGraph(node, &graph);
  if (s == GE_OK) {
    geGraphRelease(graph); // used for the comparison only
    s = geNodeIsInput(node, &input);
  }
  if (s == GE_OK)
    s = geNodeIsOutput(node, &output);
  if (s) {
    raise(s);
    return -1;
  }
  return graph == listOf(self).ref && !input && !output;
}

PyObject *makeIterator(GeGraphRef *graph, bool reverse) {
  GeCursor *cursor;
  if (GeStatus s = geCursorCreate(graph, reverse, &cursor))
    return raise(s);
  PyObject *object = allocate(iteratorClass);
  if (!object) {
    geCursorDestroy(cursor);
    return nullptr;
  }
  payload<NodeIteratorObject>(object).cursor = cursor;
  return object;
}

PyObject *iterate(PyObject *self) { return makeIterator(listOf(self).ref, false); }
PyObject *reversed(PyObject *self, PyObject *) { return makeIterator(listOf(self).ref, true); }

PyObject *nextNode(PyObject *self) {
  auto &it = payload<NodeIteratorObject>(self);
  if (!it.cursor)
    return nullptr;
  GeNodeRef *node;
  if (GeStatus s = geCursorNext(it.cursor, &node))
    return raise(s);
  if (node)
    return wrapRef(node);
  geCursorDestroy(it.cursor);
  it.cursor = nullptr;
  return nullptr;
}

/// Descends into the subgraphs of `node` if it still exists. The first subgraph comes first.
GeStatus descend(WalkObject &walk, GeNodeRef *node) {
  size_t count;
  GeStatus s = geNodeNumSubgraphs(node, &count);
  for (size_t i = count; i-- > 0 && s == GE_OK;) {
    GeGraphRef *graph;
    if ((s = geNodeGetSubgraph(node, i, &graph)))
      break;
    GeCursor *cursor;
    if ((s = geCursorCreate(graph, false, &cursor)) == GE_OK)
      walk.cursors.push_back(cursor);
    geGraphRelease(graph);
  }
  return s;
}

PyObject *nextOfWalk(PyObject *self) {
  WalkObject &walk = payload<WalkObject>(self);
  if (PyObject *last = std::exchange(walk.last, nullptr)) {
    GeNodeRef *node = payload<NodeObject>(last).ref;
    GeStatus s = geRefIsAlive(node) ? descend(walk, node) : GE_OK;
    Py_DECREF(last);
    if (s)
      return raise(s);
  }
  while (!walk.cursors.empty()) {
    GeNodeRef *node = nullptr;
    GeStatus s = geCursorNext(walk.cursors.back(), &node);
    // Iteration over a subgraph that was erased with its owner ends; an erased graph itself is an
    // error.
    if (s && !(s == GE_ERROR_STALE && walk.cursors.size() > 1))
      return raise(s);
    if (s == GE_OK && node) {
      PyObject *object = wrapRef(node);
      walk.last = Py_XNewRef(object);
      return object;
    }
    geCursorDestroy(walk.cursors.back());
    walk.cursors.pop_back();
  }
  return nullptr;
}

const Method methods[] = {
    {"def __reversed__(self) -> Iterator[Node]", safe<reversed>, METH_NOARGS,
     "Iterate from the end; edits meanwhile are fine."},
};

Members members("NodeList", {}, methods);

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_sq_length, slot<length>()},
                       {Py_mp_length, slot<length>()},
                       {Py_sq_item, slot<item>()},
                       {Py_mp_subscript, slot<subscript>()},
                       {Py_sq_contains, slot<contains>()},
                       {Py_tp_iter, slot<iterate>()},
                       {Py_tp_methods, members.methods()},
                       {0, nullptr}};
PyType_Slot iteratorSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                               {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                               {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
                               {Py_tp_iternext, slot<nextNode>()},
                               {0, nullptr}};
PyType_Slot walkSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                           {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                           {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
                           {Py_tp_iternext, slot<nextOfWalk>()},
                           {0, nullptr}};

template <typename T> PyTypeObject *classOf(const nb::class_<T> &c) {
  return reinterpret_cast<PyTypeObject *>(Py_NewRef(c.ptr()));
}

} // namespace

PyObject *nodesOf(PyObject *graph, void *) {
  PyObject *object = allocate(listClass);
  if (object) {
    listOf(object).graph = Py_NewRef(graph);
    listOf(object).ref = payload<GraphObject>(graph).ref;
  }
  return object;
}

PyObject *walk(PyObject *graph, PyObject *) {
  GeCursor *cursor;
  if (GeStatus s = geCursorCreate(payload<GraphObject>(graph).ref, false, &cursor))
    return raise(s);
  PyObject *object = allocate(walkClass);
  if (!object) {
    geCursorDestroy(cursor);
    return nullptr;
  }
  auto *walk = new (&payload<WalkObject>(object)) WalkObject{};
  walk->cursors.push_back(cursor);
  return object;
}

void populateNodeList(nb::module_ &m) {
  nb::class_<NodeListObject> list(
      m, "NodeList", nb::is_final(), nb::pooled(32), nb::type_slots(slots),
      "Nodes of a graph in list order, without ``ge.Data`` and ``ge.NetOutput``.\n\n"
      "Editing while iterating is allowed: any node may be erased, also the current one; nodes "
      "inserted\n"
      "before the cursor are not visited, nodes after it are. Indexing costs O(distance from the "
      "last index);\n"
      "a step of an iteration O(1).");
  listClass = classOf(list);
  list.def("__repr__",
           [](nb::handle_t<NodeListObject> self) {
             nb::object nodes = nb::steal(checked(PySequence_List(self.ptr())));
             return nb::repr(nodes);
           })
      .def(
          "index",
          [](nb::handle_t<NodeListObject> self, nb::handle node) {
            size_t index = 0;
            for (nb::handle other : nb::steal(checked(iterate(self.ptr())))) {
              if (other.is(node))
                return index;
              ++index;
            }
            throw nb::value_error("the node is not in this graph's list");
          },
          nb::arg("node"), nb::sig("def index(self, node: Node) -> int"),
          "Return the position of a node. Cost: O(nodes).\n\nRaises\n------\nValueError\n    If it "
          "is not in the list.");
  iteratorClass = classOf(nb::class_<NodeIteratorObject>(
      m, "_NodeIterator", nb::is_final(), nb::pooled(32), nb::type_slots(iteratorSlots)));
  walkClass =
      classOf(nb::class_<WalkObject>(m, "_Walk", nb::is_final(), nb::type_slots(walkSlots)));
  importModule("_collections_abc").attr("Sequence").attr("register")(list);
}

} // namespace ge::python
