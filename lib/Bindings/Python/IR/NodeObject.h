//===- NodeObject.h - making nodes -------------------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_NODEOBJECT_H
#define GE_BINDINGS_PYTHON_IR_NODEOBJECT_H

#include "Errors.h"
#include "Objects.h"

namespace ge::python {

/// Arguments of Graph.add_node and Node.create; borrowed, null when not given.
struct NodeArguments {
  PyObject *op, *operands, *attributes, *name, *resultTypes, *controlInputs, *subgraphs, *loc, *ip;
};
/// METH_FASTCALL | METH_KEYWORDS. False with a TypeError that names `function`.
bool parseNodeArguments(const char *function, PyObject *const *args, Py_ssize_t count,
                        PyObject *names, NodeArguments &out);

/// Creates a node at the end of `graph` or before `before`. `detached`: the node is in no list, but
/// belongs to the root of `graph`.
PyObject *createNode(GeGraphRef *graph, GeNodeRef *before, bool detached,
                     const NodeArguments &arguments);

/// The parameters of Graph.add_node and Node.create after `self` or `cls`.
#define GE_NODE_PARAMETERS                                                                         \
  " op: str, operands: Iterable[Value | Node | Sequence[Value | Node | None] | None] = (), "       \
  "attributes: Mapping[str, Any] | None = None, *, name: str | None = None, "                      \
  "result_types: Iterable[Type | Sequence[Type] | None] | None = None, "                           \
  "control_inputs: Iterable[Node] = (), "                                                          \
  "subgraphs: Iterable[Graph] | Mapping[str, Graph] = (), loc: Location | None = None, "           \
  "ip: InsertionPoint | Literal[False] | None = None) -> Node"

/// Graph.add_node and Node.create.
PyObject *addNode(PyObject *graph, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *createNodeMethod(PyObject *type, PyObject *const *args, Py_ssize_t count,
                           PyObject *names);

/// The lengths of the operand and result lists of a node, and an insertion that names its list.
PyObject *operandSegmentsOf(PyObject *node, void *);
int setOperandSegmentsOf(PyObject *node, PyObject *lengths, void *);
PyObject *resultSegmentsOf(PyObject *node, void *);
int setResultSegmentsOf(PyObject *node, PyObject *lengths, void *);
PyObject *insertOperandOf(PyObject *node, PyObject *const *args, Py_ssize_t count, PyObject *names);

/// Resolves the insertion point from the argument `ip` and the enclosing `with`: the graph
/// (borrowed from `held`) and the node to insert before. A null graph without an exception means
/// that there is none.
bool resolveInsertionPoint(PyObject *argument, GeGraphRef *within, PyObject *&held,
                           GeGraphRef *&graph, GeNodeRef *&before);

/// The result of a Node that has exactly one, a new reference. False with a Python error.
inline bool toOnlyResult(PyObject *node, const char *what, GeValueRef *&out) {
  GeNodeRef *ref = payload<NodeObject>(node).ref;
  size_t count = 0;
  GeStatus s = geNodeNumResults(ref, &count);
  if (s == GE_OK && count != 1) {
    PyErr_Format(PyExc_ValueError, "%s is a Node with %zu results; say which: node.results[i]",
                 what, count);
    return false;
  }
  if (s == GE_OK)
    s = geNodeGetResult(ref, 0, &out);
  if (s)
    raise(s);
  return s == GE_OK;
}

/// The class ge.ops.OpView; imports ge.ops. Throws.
nb::object typedViews();

/// Lines of text for `str` and `repr` of a live or dead object.
PyObject *describe(GeRef *ref);
/// A text for people, with names that a file may have made up: control characters are escaped as
/// the text form escapes them.
PyObject *newShownText(std::string_view text);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_NODEOBJECT_H
