//===- Sequences.h - operands, results, inputs and so on as sequences --------------------------===//
//
// A view holds the wrapper of its owner and asks the C API for each element, which checks the
// owner: a view, or an iterator over it, of an erased owner raises StaleHandleError.
//
#ifndef GE_BINDINGS_PYTHON_IR_SEQUENCES_H
#define GE_BINDINGS_PYTHON_IR_SEQUENCES_H

#include "Objects.h"

namespace ge::python {

// For PyGetSetDef; a setter replaces all elements.
PyObject *operandsOf(PyObject *node, void *);
int setOperandsOf(PyObject *node, PyObject *values, void *);
PyObject *resultsOf(PyObject *node, void *);
PyObject *controlInputsOf(PyObject *node, void *);
PyObject *controlOutputsOf(PyObject *node, void *);
PyObject *subgraphsOf(PyObject *node, void *);
PyObject *inputsOf(PyObject *graph, void *);
PyObject *outputsOf(PyObject *graph, void *);
int setOutputsOf(PyObject *graph, PyObject *values, void *);
PyObject *outputNamesOf(PyObject *graph, void *);
int setOutputNamesOf(PyObject *graph, PyObject *names, void *);
PyObject *usesOf(PyObject *value, void *);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_SEQUENCES_H
