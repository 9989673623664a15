//===- AttributeBuilders.cpp - attributes of objects of other classes --------------------------===//
//
// python/ge/ir/_attrs.py owns the table from class to function and passes it here when the first
// class is registered, so that attributes cost nothing extra until then.
//
#include "AttributeClasses.h"
#include "PopulateIR.h"
#include "Scope.h"

namespace ge::python {

static PyObject *table; ///< a dict; null: no class was registered

static bool isPlain(PyObject *o) {
  return PyUnicode_CheckExact(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyBool_Check(o) || PyTuple_CheckExact(o) || PyList_CheckExact(o) || PyDict_CheckExact(o) ||
         o == Py_None;
}

bool hasAttributeBuilders() { return table; }

PyObject *buildAttribute(GeContext *context, PyObject *object) {
  if (!table || isPlain(object))
    return nullptr;
  nb::object classes =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__mro__"));
  if (!classes.is_valid())
    return nullptr;
  for (Py_ssize_t i = 0; i < Py_SIZE(classes.ptr()); ++i) {
    nb::object builder = nb::borrow(PyDict_GetItem(table, PyTuple_GetItem(classes.ptr(), i)));
    if (!builder.is_valid())
      continue;
    if (!context && !(context = currentContext()))
      return nullptr;
    geContextRetain(context);
    nb::object wrapped = nb::steal(wrapContext(context));
    return wrapped.is_valid()
               ? PyObject_CallFunctionObjArgs(builder.ptr(), object, wrapped.ptr(), nullptr)
               : nullptr;
  }
  return nullptr;
}

void populateAttributeBuilders(nb::module_ &m) {
  m.def("_set_attribute_builders", [](const nb::dict &builders) {
    Py_XDECREF(std::exchange(table, Py_NewRef(builders.ptr())));
  });
}

} // namespace ge::python
