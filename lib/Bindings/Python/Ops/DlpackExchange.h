//===- DlpackExchange.h - the C functions of a framework's tensors -----------------------------===//
//
// DLPack 1.3: a class of tensors may have `__dlpack_c_exchange_api__`, a table of C functions that
// take and make its objects without a Python call. It is used for PyTorch, whose tensors are what
// results are converted to; other classes have the way by `__dlpack__`.
//
#ifndef GE_BINDINGS_PYTHON_OPS_DLPACKEXCHANGE_H
#define GE_BINDINGS_PYTHON_OPS_DLPACKEXCHANGE_H

#include "Records.h"

#include "ge-c/Kernels.h"

namespace ge::python {

/// The layout is DLPack's.
struct DlpackExchange {
  DLPackVersion version;
  DlpackExchange *older;
  int (*allocate)(DLTensor *, DLManagedTensorVersioned **, void *,
                  void (*)(void *, const char *, const char *));
  int (*fromObject)(void *object, DLManagedTensorVersioned **out);
  int (*toObject)(DLManagedTensorVersioned *taken, void **object);
  int (*borrow)(void *object, DLTensor *out); ///< null: not there
};

/// The table of PyTorch's own class of tensors; null without an exception for objects of others.
const DlpackExchange *exchangeOf(PyObject *object);

/// Fills a tensor whose shape and strides the object holds. False without an exception for what
/// `__dlpack__` refuses, too: gradients, and bits that say how to read the memory.
bool borrowTensor(const DlpackExchange &exchange, PyObject *object, DLTensor &out);

/// A tensor of the framework over the memory of `owner`, which it holds; null with an exception.
/// The strides are in elements.
PyObject *tensorOfFramework(const DlpackExchange &exchange, const DLTensor &memory,
                            PyObject *owner);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_DLPACKEXCHANGE_H
