//===- NumpyArrays.cpp - NumPy's arrays without a look-up of attributes ------------------------===//
#include "NumpyArrays.h"

#include "Convert.h"

#include <memory>
#include <utility>

namespace ge::python {

namespace {

// Indices into the function table of NumPy's C API, which only grows.
constexpr size_t kArrayClass = 2, kNewFromDescr = 94, kSetBaseObject = 282;

nb::object full() { return nb::slice(nb::none(), nb::none(), nb::none()); }

bool isSame(nb::handle a, nb::handle b) { return a.ptr() == b.ptr(); }

} // namespace

const Numpy &Numpy::get() {
  // Not a static initializer: another thread would wait for it while holding the GIL, which the
  // import needs. If several threads create one at once, the first stays, for the life of the
  // interpreter.
  static const Numpy *only = nullptr;
  if (!only) {
    std::unique_ptr<const Numpy> made(new Numpy);
    if (!only)
      only = made.release();
  }
  return *only;
}

const Numpy *Numpy::ifImported() {
  static bool isImported = false;
  if (!isImported) {
    // A module is in sys.modules while it is being imported: check for names it defines last.
    PyObject *numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
    isImported = numpy && PyObject_HasAttrString(numpy, "ndarray") &&
                 PyObject_HasAttrString(numpy, "__version__");
  }
  return isImported ? &get() : nullptr;
}

Numpy::Numpy() {
  nb::object numpy = importModule("numpy");
  if (!probeArrays(numpy))
    return;
  if (!probeTable(numpy)) {
    PyErr_Clear();
    newArray_ = nullptr;
    setOwner_ = nullptr;
  }
}

bool Numpy::probeArrays(nb::handle numpy) {
  nb::object probe = numpy.attr("arange")(12, nb::arg("dtype") = "int16");
  probe = probe.attr("reshape")(
      3, 4)[nb::make_tuple(full(), nb::slice(nb::int_(1), nb::none(), nb::int_(2)))];
  probe.attr("setflags")(nb::arg("write") = false);
  auto *array = reinterpret_cast<const NumpyArray *>(probe.ptr());
  void *address = PyLong_AsVoidPtr(nb::object(probe.attr("__array_interface__")["data"][0]).ptr());
  nb::object dtype = probe.attr("dtype");
  bool good = array->data == address && array->ndim == 2 && array->shape[0] == 3 &&
              array->shape[1] == 2 && array->strides[0] == 8 && array->strides[1] == 4 &&
              array->dtype == dtype.ptr() &&
              array->flags == nb::cast<int>(probe.attr("flags").attr("num"));
  dtypeClass_ = nb::object(numpy.attr("dtype")).release().ptr();
  if (good)
    arrayClass_ = nb::object(numpy.attr("ndarray")).release().ptr();
  return good;
}

bool Numpy::probeTable(nb::handle numpy) {
  const char *home = nb::hasattr(numpy, "_core") ? "numpy._core._multiarray_umath"
                                                 : "numpy.core._multiarray_umath";
  nb::object capsule = importModule(home).attr("_ARRAY_API");
  auto *table = static_cast<void *const *>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!table || table[kArrayClass] != arrayClass_)
    return false;
  newArray_ = reinterpret_cast<NewArray>(table[kNewFromDescr]);
  setOwner_ = reinterpret_cast<SetOwner>(table[kSetBaseObject]);
  // A probe: a view created through the table must read like one created by NumPy.
  nb::object whole = numpy.attr("arange")(6, nb::arg("dtype") = "int32");
  nb::object view = nb::steal(Numpy::readOnly(whole.ptr()));
  if (!view.is_valid())
    return false;
  nb::object flags = view.attr("flags");
  return isSame(view.attr("base"), whole) && isSame(view.attr("dtype"), whole.attr("dtype")) &&
         nb::cast<bool>(flags["C_CONTIGUOUS"]) && nb::cast<bool>(flags["ALIGNED"]) &&
         !nb::cast<bool>(flags["WRITEABLE"]) && !nb::cast<bool>(flags["OWNDATA"]) &&
         nb::object(view.attr("tolist")()).equal(whole.attr("tolist")());
}

PyObject *Numpy::make(PyObject *dtype, int ndim, const Py_ssize_t *shape, const Py_ssize_t *strides,
                      void *data, int flags, PyObject *owner) const {
  Py_INCREF(dtype); // the call takes this reference
  PyObject *array = newArray_(reinterpret_cast<PyTypeObject *>(arrayClass_), dtype, ndim, shape,
                              strides, data, flags, nullptr);
  if (!array) {
    Py_XDECREF(owner);
    return nullptr;
  }
  if (owner && setOwner_(array, owner) < 0)
    Py_CLEAR(array);
  return array;
}

PyObject *Numpy::readOnly(PyObject *object) const {
  auto *array = reinterpret_cast<const NumpyArray *>(object);
  int flags = array->flags & (NumpyArray::kCompact | NumpyArray::kAligned);
  return Numpy::make(array->dtype, array->ndim, array->shape, array->strides, array->data, flags,
                     Py_NewRef(object));
}

const NumpyElement *Numpy::learn(PyObject *dtype) const {
  constexpr size_t kMost = 32;
  GeDType ge;
  DLDataType type{};
  nb::object native = nb::steal(PyObject_GetAttrString(dtype, "isnative"));
  nb::object size = nb::steal(PyObject_GetAttrString(dtype, "itemsize"));
  nb::object scalar = nb::steal(PyObject_GetAttrString(dtype, "type"));
  bool good = native.is_valid() && size.is_valid() && native.ptr() == Py_True &&
              toDType(dtype, ge) && geDTypeToDLPack(ge, &type) == GE_OK && type.lanes == 1 &&
              type.bits >= 8 && PyLong_AsSsize_t(size.ptr()) == type.bits / 8;
  // A copied dtype (unpickled, with metadata) is kept alive by the instance that NumPy creates for
  // its class.
  nb::object shared = nb::steal(
      good && scalar.is_valid() ? PyObject_CallFunctionObjArgs(dtypeClass_, scalar.ptr(), nullptr)
                                : nullptr);
  PyErr_Clear();
  if (!shared.is_valid())
    return nullptr;
  for (const NumpyElement *one : elements_)
    if (one->dtype == shared.ptr())
      return one;
  if (elements_.size() == kMost)
    return nullptr;
  elements_.push_back(new NumpyElement{shared.release().ptr(), ge, type, type.bits / 8});
  return elements_.back();
}

} // namespace ge::python
