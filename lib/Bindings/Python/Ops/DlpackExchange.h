//===- DlpackExchange.h - the C functions of a framework's tensors -----------------------------===//
//
// In DLPack 1.3 a tensor class may have `__dlpack_c_exchange_api__`, a table of C functions that
// read and create its objects without a Python call. Operands are read through it, results become
// objects of the class of the first operand, and memory on a device comes from the framework's
// allocator. Classes without the table are converted through `__dlpack__`.
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
  using SetError = void (*)(void *, const char *kind, const char *message);
  using Allocate = int (*)(DLTensor *like, DLManagedTensorVersioned **out, void *, SetError);
  Allocate allocate; ///< null: not available
  int (*fromObject)(void *object, DLManagedTensorVersioned **out);
  int (*toObject)(DLManagedTensorVersioned *taken, void **object);
  int (*borrow)(void *object, DLTensor *out); ///< null: not available
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **out);
};

/// A class of tensors with such a table.
struct Framework {
  PyObject *type; ///< kept for the life of the process
  const DlpackExchange *exchange;
  bool isTorch;
};

/// Looks at the object's own class, not its base classes; null without an exception.
const Framework *frameworkOf(PyObject *object);

/// Fills a DLTensor whose shape and strides the object owns. Returns false without an exception if
/// the table has no such function, and for tensors that PyTorch's `__dlpack__` rejects: those that
/// require gradients, and those with a conjugate or negative bit.
bool borrowTensor(const Framework &framework, PyObject *object, DLTensor &out);

/// Returns whether the object's memory is writable. Sets no exception.
bool isWriteable(const Framework &framework, PyObject *object);

/// Returns a tensor of the framework over memory that `owner` keeps alive; null with an exception.
/// The strides are in elements.
PyObject *tensorOfFramework(const Framework &framework, const DLTensor &memory, PyObject *owner);

/// Allocates a tensor of the framework; null with an exception. Of `like`, only element type, shape
/// and device are used.
PyObject *newOfFramework(const Framework &framework, DLTensor &like);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_DLPACKEXCHANGE_H
