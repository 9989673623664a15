//===- TensorShape.cpp - shapes: tuples that equal lists ------------------------------------------===//
//
// A tuple subclass that compares equal to lists: CANN's shapes are lists, and a plain tuple would
// silently be unequal to one.
//
#include "Convert.h"
#include "PopulateIR.h"

namespace nb = nanobind;

namespace ge::python {

namespace {

PyTypeObject *tensorShape = nullptr;

PyObject *compare(PyObject *self, PyObject *other, int operation) {
  auto base = reinterpret_cast<richcmpfunc>(PyType_GetSlot(&PyTuple_Type, Py_tp_richcompare));
  if (!PyList_Check(other))
    return base(self, other, operation);
  PyObject *tuple = PyList_AsTuple(other);
  if (!tuple)
    return nullptr;
  PyObject *result = base(self, tuple, operation);
  Py_DECREF(tuple);
  return result;
}

/// Slicing a shape gives a shape.
PyObject *item(PyObject *self, PyObject *key) {
  auto base = reinterpret_cast<binaryfunc>(PyType_GetSlot(&PyTuple_Type, Py_mp_subscript));
  PyObject *found = base(self, key);
  return found && PySlice_Check(key) ? newTensorShape(found) : found;
}

/// Adding a list gives a list, as with CANN's shapes; adding a tuple gives a shape.
PyObject *add(PyObject *left, PyObject *right) {
  auto isSequence = [](PyObject *each) { return PyList_Check(each) || PyTuple_Check(each); };
  if (!isSequence(left) || !isSequence(right))
    return Py_NewRef(Py_NotImplemented);
  PyObject *sum = PySequence_List(left);
  if (!sum)
    return nullptr;
  PyObject *extended = PySequence_InPlaceConcat(sum, right);
  Py_DECREF(sum);
  if (!extended || PyList_Check(left) || PyList_Check(right))
    return extended;
  PyObject *tuple = PyList_AsTuple(extended);
  Py_DECREF(extended);
  return tuple ? newTensorShape(tuple) : nullptr;
}

/// Whether a size or the rank is unknown, and the product of the sizes; false with a Python error.
bool measure(PyObject *self, bool &isUnknown, long long &size) {
  Py_ssize_t rank = PyTuple_Size(self);
  isUnknown = false;
  size = rank == 0 ? 0 : 1;
  for (Py_ssize_t i = 0; i != rank; ++i) {
    PyObject *dim = PyTuple_GetItem(self, i);
    if (!PyLong_Check(dim)) {
      isUnknown = true;
      continue;
    }
    long long value = PyLong_AsLongLong(dim);
    if (value == -1 && PyErr_Occurred())
      return false;
    isUnknown = isUnknown || value < 0;
    if (!isUnknown && __builtin_mul_overflow(size, value, &size)) {
      PyErr_SetString(PyExc_OverflowError, "the number of elements exceeds 64 bits");
      return false;
    }
  }
  return true;
}

PyObject *getShapeSize(PyObject *self, PyObject *) {
  bool isUnknown = false;
  long long size = 0;
  if (!measure(self, isUnknown, size))
    return nullptr;
  return PyLong_FromLongLong(isUnknown ? -1 : size);
}

PyObject *isUnknownShape(PyObject *self, PyObject *) {
  bool isUnknown = false;
  long long size = 0;
  if (!measure(self, isUnknown, size))
    return nullptr;
  return PyBool_FromLong(isUnknown);
}

} // namespace

PyObject *newTensorShape(PyObject *tuple) {
  PyObject *shape =
      PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(tensorShape), tuple, nullptr);
  Py_DECREF(tuple);
  return shape;
}

void populateTensorShape(nb::module_ &m) {
  static char doc[] =
      "A shape: a tuple that also compares with lists, as in ``tensor.shape == [2, 3]``.\n\n"
      "It has the methods of CANN's Shape, a slice is a TensorShape, and the sum with a list is a\n"
      "list. Hashing and everything else are a tuple's.";
  static PyMethodDef methods[] = {
      {"get_shape_size", getShapeSize, METH_NOARGS,
       "get_shape_size($self, /)\n--\n\n"
       "Return the number of elements, 0 for a scalar, -1 if a dimension is unknown.\n\n"
       "A scalar has one element, but CANN returns 0, which existing code relies on."},
      {"is_unknown_shape", isUnknownShape, METH_NOARGS,
       "is_unknown_shape($self, /)\n--\n\nReturn whether a dimension or the rank is unknown."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_base, &PyTuple_Type},
                                {Py_tp_doc, doc},
                                {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
                                {Py_tp_hash, PyType_GetSlot(&PyTuple_Type, Py_tp_hash)},
                                {Py_tp_methods, methods},
                                {Py_mp_subscript, reinterpret_cast<void *>(item)},
                                {Py_nb_add, reinterpret_cast<void *>(add)},
                                {0, nullptr}};
  static PyType_Spec spec = {GE_PYTHON_PACKAGE ".ir.TensorShape", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (!type)
    throw nb::python_error();
  tensorShape = reinterpret_cast<PyTypeObject *>(type); // for the life of the process
  m.attr("TensorShape") = nb::handle(type);
}

} // namespace ge::python
