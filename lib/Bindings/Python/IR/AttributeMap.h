//===- AttributeMap.h - getters of `.attributes` -----------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_ATTRIBUTEMAP_H
#define GE_BINDINGS_PYTHON_IR_ATTRIBUTEMAP_H

#include <Python.h>

namespace ge::python {

// For PyGetSetDef.
PyObject *attributesOfNode(PyObject *node, void *);
PyObject *attributesOfGraph(PyObject *graph, void *);
PyObject *attributesOfModule(PyObject *module, void *);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_ATTRIBUTEMAP_H
