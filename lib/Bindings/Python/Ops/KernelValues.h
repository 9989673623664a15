//===- KernelValues.h - Python's values as kernels take them -----------------------------------===//
//
// Python's values become 16-byte values for a call, and the result a Python value. Tensors are
// borrowed from NumPy arrays, or through DLPack from other frameworks; a result is an array over
// the kernel's memory, which is given back with the last reference to the array.
//
#ifndef GE_BINDINGS_PYTHON_OPS_KERNELVALUES_H
#define GE_BINDINGS_PYTHON_OPS_KERNELVALUES_H

#include "Records.h"

#include "ge-c/Kernels.h"

#include <deque>
#include <nanobind/ndarray.h>
#include <vector>

namespace ge::python {

/// The arguments of one call, and what they borrow.
class Values {
public:
  /// `counted`: what is borrowed otherwise becomes counted objects, for functions of tvm-ffi.
  explicit Values(bool counted) : counted_(counted) {}
  Values(const Values &) = delete;
  ~Values();
  GeAny of(nb::handle value);
  /// A counted tensor, which holds `owner`.
  GeAny held(const DLTensor &t, PyObject *owner);
  /// The object that such a tensor holds; null for any other value.
  static PyObject *ownerOf(GeObject *object);

private:
  GeAny object(int32_t tag, GeObject *object);
  GeAny bytes(int32_t tag, const char *data, size_t size);
  GeAny list(nb::handle sequence);
  DLTensor *tensor(nb::handle array);

  struct Tensor {
    DLTensor value;
    std::vector<int64_t> shape, strides;
    nb::ndarray<nb::ro> held;
  };
  const bool counted_;
  int depth_ = 0;              ///< of the list that is being converted
  std::deque<Tensor> tensors_; ///< addresses stay
  std::vector<GeObject *> objects_;
};

/// Takes the value over: an object of a class that GE has not becomes an opaque handle, those of
/// other tags are none. Throws ValueError, whose text goes after the kernel's name.
nb::object toPython(GeAny &value, bool isTvmFfi = false);

/// An argument that C gave to a kernel in Python. A tensor that is not counted is copied, as the
/// kernel may keep it; `view` is over the caller's memory, for what the kernel writes. Both are
/// tuples for a list.
struct Argument {
  nb::object value, view;
};
Argument argumentToPython(const GeAny &value);
/// A result of a kernel in Python, for a caller in C, who owns it.
GeAny ownedValue(nb::handle value);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_KERNELVALUES_H
