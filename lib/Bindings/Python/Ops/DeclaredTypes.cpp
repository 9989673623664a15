//===- DeclaredTypes.cpp - `_result_types=` of a call -------------------------------------------===//
#include "DeclaredTypes.h"

#include "../Imported/Imported.h"

namespace ge::python {

bool DeclaredTypes::read(PyObject *given) {
  if (given == Py_None)
    return true;
  if (isType(given))
    held_ = nb::make_tuple(nb::borrow(given));
  else if (PySequence_Check(given) && !PyUnicode_Check(given))
    held_ = nb::steal(PySequence_Tuple(given));
  else
    raiseType("_result_types", "a Type or a sequence of Type or None", given);
  if (!held_.is_valid())
    return false;
  for (Py_ssize_t i = 0; i < Py_SIZE(held_.ptr()); ++i) {
    PyObject *item = PyTuple_GetItem(held_.ptr(), i);
    if (item != Py_None && !isType(item)) {
      raiseType("an element of _result_types", "a Type or None", item);
      return false;
    }
    types_.push_back(item == Py_None ? nullptr : payload<TypeObject>(item).ref);
  }
  isGiven_ = true;
  return true;
}

bool DeclaredTypes::count(const FunctionObject &f, size_t &count, size_t &variadic,
                          bool &isOpen) const {
  size_t most = f.results.size(), given = types_.size();
  count = given;
  if (f.variadicResult >= 0) {
    variadic = given + 1 - most;
    return given + 1 >= most || raiseCount(f, most - 1);
  }
  if (f.varret) {
    isOpen = true;
    return given >= f.defaultResults || raiseCount(f, f.defaultResults);
  }
  // Trailing results that are not requested are optional ones.
  bool isFewer = given > 0 && given < most && f.defaultResults < most;
  return given == most || isFewer || raiseCount(f, f.defaultResults);
}

PyObject *DeclaredTypes::raiseCount(const FunctionObject &f, size_t wanted) const {
  return PyErr_Format(PyExc_ValueError,
                      "%U(): _result_types has %zu elements; the number of results is %zu", f.name,
                      types_.size(), wanted);
}

GeStatus DeclaredTypes::meet(size_t i, GeValueRef *result) const {
  if (!types_[i])
    return GE_OK;
  GeType inferred = nullptr, met = nullptr;
  GeStatus s = geValueGetType(result, &inferred);
  if (s == GE_OK)
    s = geTypeMeet(types_[i], inferred, &met);
  return s == GE_OK ? geValueSetType(result, met) : s;
}

} // namespace ge::python
