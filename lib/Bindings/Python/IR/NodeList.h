//===- NodeList.h - nodes of a graph -----------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_NODELIST_H
#define GE_BINDINGS_PYTHON_IR_NODELIST_H

#include <Python.h>

namespace ge::python {

/// For PyGetSetDef.
PyObject *nodesOf(PyObject *graph, void *);
/// Graph.walk.
PyObject *walk(PyObject *graph, PyObject *);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_NODELIST_H
