//===- DlpackExchange.h - the C functions of a framework's tensors -----------------------------===//
//
// DLPack 1.3: a class of tensors may have `__dlpack_c_exchange_api__`, a table of C functions that
// take and make its objects without a Python call. Operands are read by it, results become objects
// of the first operand's class, and memory on a device is its framework's. Classes without it have
// the way by `__dlpack__`.
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
  Allocate allocate; ///< null: not there
  int (*fromObject)(void *object, DLManagedTensorVersioned **out);
  int (*toObject)(DLManagedTensorVersioned *taken, void **object);
  int (*borrow)(void *object, DLTensor *out); ///< null: not there
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **out);
};

/// A class of tensors with such a table.
struct Framework {
  PyObject *type; ///< stays for the life of the process
  const DlpackExchange *exchange;
  bool isTorch;
};

/// Of an object's own class, not of one that it derives from; null without an exception.
const Framework *frameworkOf(PyObject *object);

/// Fills a tensor whose shape and strides the object holds. False without an exception where the
/// table has no such function, and for what PyTorch's `__dlpack__` refuses, too: gradients, and
/// bits that say how to read the memory.
bool borrowTensor(const Framework &framework, PyObject *object, DLTensor &out);

/// Whether the object's own memory may be written. No exception.
bool isWriteable(const Framework &framework, PyObject *object);

/// A tensor of the framework over the memory of `owner`, which it holds; null with an exception.
/// The strides are in elements.
PyObject *tensorOfFramework(const Framework &framework, const DLTensor &memory, PyObject *owner);

/// A new tensor of the framework, by its allocator; null with an exception. Only element type,
/// shape and device of `like` count.
PyObject *newOfFramework(const Framework &framework, DLTensor &like);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_DLPACKEXCHANGE_H
