//===- Eager.h - calls in CANN's eager style ----------------------------------------------------===//
//
// CANN's GraphBuilder and TensorHolder are Python classes over the functions of this module. A call
// with one of them among its arguments is passed to a hook, which converts them to values and calls
// callIn().
//
#ifndef GE_BINDINGS_PYTHON_OPS_EAGER_H
#define GE_BINDINGS_PYTHON_OPS_EAGER_H

#include "../Imported/Imported.h"

namespace ge::python {

/// Returns whether the hook takes the call. Searches lists and tuples too, one level deep.
bool isEager(PyObject *args, PyObject *kwargs);
/// `target`: the function, or the tuple of its overloads.
PyObject *callEager(PyObject *target, PyObject *args, PyObject *kwargs);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_EAGER_H
