//===- TensorShape.cpp - shapes: tuples that equal lists ------------------------------------------===//
//
// CANN's shapes are lists, and users compare with lists. A plain tuple would be unequal to one
// without any error.
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
      "Hashing and everything else are a tuple's.";
  static PyType_Slot slots[] = {{Py_tp_base, &PyTuple_Type},
                                {Py_tp_doc, doc},
                                {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
                                {Py_tp_hash, PyType_GetSlot(&PyTuple_Type, Py_tp_hash)},
                                {0, nullptr}};
  static PyType_Spec spec = {GE_PYTHON_PACKAGE ".ir.TensorShape", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (!type)
    throw nb::python_error();
  tensorShape = reinterpret_cast<PyTypeObject *>(type); // for the life of the process
  m.attr("TensorShape") = nb::handle(type);
}

} // namespace ge::python
