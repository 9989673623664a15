//===- Transaction.h - Graph.transaction() -----------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_TRANSACTION_H
#define GE_BINDINGS_PYTHON_IR_TRANSACTION_H

#include <Python.h>

namespace ge::python {

/// An object for `with`; nothing starts before it is entered.
PyObject *newTransaction(PyObject *graph);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_TRANSACTION_H
