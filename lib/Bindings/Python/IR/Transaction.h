//===- Transaction.h - Graph.transaction() -----------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_TRANSACTION_H
#define GE_BINDINGS_PYTHON_IR_TRANSACTION_H

#include <Python.h>

namespace ge::python {

/// Returns a context manager; the transaction starts in `__enter__`.
PyObject *newTransaction(PyObject *graph);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_TRANSACTION_H
