//===- Eager.h - calls in CANN's eager style ----------------------------------------------------===//
//
// CANN's GraphBuilder and TensorHolder are Python classes over the functions of this module. A call
// that has one of them among its arguments goes to a hook, which makes values of them and comes
// back through callIn().
//
#ifndef GE_BINDINGS_PYTHON_OPS_EAGER_H
#define GE_BINDINGS_PYTHON_OPS_EAGER_H

#include "../Imported/Imported.h"

namespace ge::python {

/// Whether the hook takes the call. Looks into lists and tuples, one level deep.
bool isEager(PyObject *args, PyObject *kwargs);
/// `target`: the function, or the tuple of its overloads.
PyObject *callEager(PyObject *target, PyObject *args, PyObject *kwargs);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_EAGER_H
