//===- KernelValues.h - Python's values as kernels take them -----------------------------------===//
//
// Python values are converted to 16-byte values for a call, and the result to a Python value.
// Tensors are borrowed from NumPy arrays, or from other frameworks through DLPack; a result is an
// array over the kernel's memory, which is released with the last reference to the array.
//
#ifndef GE_BINDINGS_PYTHON_OPS_KERNELVALUES_H
#define GE_BINDINGS_PYTHON_OPS_KERNELVALUES_H

#include "../IR/DlpackTensor.h"
#include "Records.h"

#include "ge-c/Kernels.h"

#include <deque>
#include <vector>

namespace ge::python {

/// The arguments of one call, and the objects that they borrow from.
class Values {
public:
  /// `counted`: tensors are counted objects instead of borrowed ones, as functions of tvm-ffi need.
  explicit Values(bool counted) : counted_(counted) {}
  Values(const Values &) = delete;
  ~Values();
  GeAny of(nb::handle value);
  /// A counted tensor, which holds `owner`.
  GeAny held(const DLTensor &t, PyObject *owner);
  /// The object that owns such a tensor; null for any other value.
  static PyObject *ownerOf(GeObject *object);

private:
  GeAny object(int32_t tag, GeObject *object);
  GeAny bytes(int32_t tag, const char *data, size_t size);
  GeAny list(nb::handle sequence);
  DLTensor *tensor(nb::handle array);

  struct Tensor {
    DLTensor value;
    std::vector<int64_t> shape, strides;
    DlpackTensor held; ///< of another framework
  };
  const bool counted_;
  int depth_ = 0;              ///< of the list that is being converted
  std::deque<Tensor> tensors_; ///< addresses stay
  std::vector<GeObject *> objects_;
};

/// Takes over the value and converts it to a Python object. An object of an unregistered class
/// becomes an opaque handle; an unknown tag throws ValueError, whose text goes after the kernel's
/// name.
nb::object toPython(GeAny &value, bool isTvmFfi = false);

/// Converts an argument that C passed to a kernel in Python. A tensor that is not counted is
/// copied, as the kernel may keep it; `view` is an array over the caller's memory, for arguments
/// that the kernel writes. For a list, both are tuples.
struct Argument {
  nb::object value, view;
};
Argument argumentToPython(const GeAny &value);
/// Converts the result of a kernel in Python for a caller in C, who owns it.
GeAny ownedValue(nb::handle value);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_KERNELVALUES_H
