//===- NumpyArrays.h - NumPy's arrays without a look-up of attributes --------------------------===//
//
// Reads NumPy arrays through the struct fields that NumPy's C API has exposed since version 1.7,
// and through two functions of its table. A field costs a thousandth of `__array_interface__`. This
// is used only after probes have shown that the fields agree with NumPy's Python interface;
// otherwise, and for subclasses of ndarray, callers use Python attributes.
//
#ifndef GE_BINDINGS_PYTHON_IR_NUMPYARRAYS_H
#define GE_BINDINGS_PYTHON_IR_NUMPYARRAYS_H

#include "ge-c/Kernels.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace nb = nanobind;

namespace ge::python {

struct NumpyArray {
  PyObject base;
  char *data;
  int ndim;
  Py_ssize_t *shape;
  Py_ssize_t *strides; ///< in bytes
  PyObject *owner;
  PyObject *dtype;
  int flags;

  static constexpr int kCompact = 1, kAligned = 0x100, kWriteable = 0x400;
  bool is(int flag) const { return (flags & flag) != 0; }
};

/// An element type that DLPack has, in bytes of its own.
struct NumpyElement {
  PyObject *dtype; ///< NumPy's, held
  GeDType ge;
  DLDataType type;
  Py_ssize_t size; ///< in bytes
};

/// The functions are virtual so that other modules call those of _ge.ir.
class Numpy {
public:
  virtual ~Numpy() = default;
  /// Imports NumPy; throws when that fails.
  static const Numpy &get();
  /// Null where NumPy was not imported yet: then no object is an array.
  static const Numpy *ifImported();
  /// Null when the object is not an array of NumPy's own class.
  const NumpyArray *view(PyObject *object) const {
    return reinterpret_cast<PyObject *>(Py_TYPE(object)) == arrayClass_
               ? reinterpret_cast<const NumpyArray *>(object)
               : nullptr;
  }
  /// Null for strings, structured types, elements of less than a byte and non-native byte order.
  /// Never sets an exception.
  const NumpyElement *element(PyObject *dtype) const {
    for (const NumpyElement *one : elements_)
      if (one->dtype == dtype)
        return one;
    return learn(dtype);
  }
  /// Null for an element type that no array has had yet.
  const NumpyElement *element(DLDataType type) const {
    for (const NumpyElement *one : elements_)
      if (one->type.code == type.code && one->type.bits == type.bits &&
          one->type.lanes == type.lanes)
        return one;
    return nullptr;
  }
  /// Whether make() works.
  bool canMake() const { return newArray_ && setOwner_; }
  /// Creates an array, over new memory or over `data`, which `owner` keeps alive; takes the
  /// reference to `owner`, also on failure. Null `strides` means compact. Returns null with an
  /// exception set.
  virtual PyObject *make(PyObject *dtype, int ndim, const Py_ssize_t *shape,
                         const Py_ssize_t *strides, void *data, int flags, PyObject *owner) const;
  /// Returns a read-only array over the same memory.
  virtual PyObject *readOnly(PyObject *array) const;

private:
  Numpy();
  bool probeArrays(nb::handle numpy);
  bool probeTable(nb::handle numpy);
  virtual const NumpyElement *learn(PyObject *dtype) const;
  using NewArray = PyObject *(*)(PyTypeObject *, PyObject *, int, const Py_ssize_t *,
                                 const Py_ssize_t *, void *, int, PyObject *);
  using SetOwner = int (*)(PyObject *, PyObject *);
  PyObject *arrayClass_ = nullptr;
  PyObject *dtypeClass_ = nullptr;
  NewArray newArray_ = nullptr;
  SetOwner setOwner_ = nullptr;
  mutable std::vector<const NumpyElement *> elements_;
};

/// Throws ValueError for an array of numpy.ma with masked elements: NumPy's conversions drop the
/// mask, and a tensor has none.
inline void refuseMasked(nb::handle array) {
  PyObject *masked = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy.ma");
  if (!masked || !nb::isinstance(array, nb::handle(masked).attr("MaskedArray")) ||
      !nb::cast<bool>(nb::handle(masked).attr("is_masked")(array)))
    return;
  PyErr_SetString(PyExc_ValueError, "the array has masked elements, which a tensor cannot express; "
                                    "replace them with array.filled(value)");
  throw nb::python_error();
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_NUMPYARRAYS_H
