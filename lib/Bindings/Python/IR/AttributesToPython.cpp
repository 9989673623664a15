//===- AttributesToPython.cpp - attributes as Python values ------------------------------------===//
#include "AttributeClasses.h"
#include "Errors.h"

#include <charconv>
#include <cmath>

namespace ge::python {

double shortestDouble(float value) {
  // Whole numbers are their own shortest decimal.
  if (std::fabs(value) < 16777216.0f && value == std::trunc(value))
    return value;
  if (!std::isfinite(value))
    return value;
  char text[48];
  char *end = std::to_chars(text, text + sizeof(text), value).ptr;
  double result = value;
  std::from_chars(text, end, result);
  return result;
}

namespace {

/// Takes `value` over; gives back an instance of the class that stands for `dtype`.
PyObject *ofWidth(GeDType dtype, PyObject *value) {
  const AttrClasses *attrs = value ? attrClasses() : nullptr;
  if (!attrs) {
    Py_XDECREF(value);
    return nullptr;
  }
  GeDTypeInfo info;
  PyObject *type = nullptr;
  if (geDTypeGetInfo(dtype, &info) == GE_OK)
    type = PyDict_GetItemString(attrs->scalars, info.name); // borrowed
  if (!type)
    return value;
  PyObject *result = PyObject_CallFunctionObjArgs(type, value, nullptr);
  Py_DECREF(value);
  return result;
}

PyObject *arrayOfWidth(GeDType dtype, PyObject *tuple) {
  const AttrClasses *attrs = tuple ? attrClasses() : nullptr;
  PyObject *result = nullptr;
  if (attrs) {
    nb::object key = dtype ? nb::steal(wrapDType(dtype)) : nb::object(nb::none());
    result = PyObject_CallFunctionObjArgs(attrs->arrayAttr, tuple, key.ptr(), nullptr);
  }
  Py_XDECREF(tuple);
  return result;
}

template <typename T, typename Make> PyObject *tupleOf(const T *values, size_t count, Make make) {
  PyObject *tuple = PyTuple_New(Py_ssize_t(count));
  for (size_t i = 0; tuple && i < count; ++i) {
    PyObject *item = make(values[i]);
    if (!item) {
      Py_CLEAR(tuple);
      break;
    }
    PyTuple_SetItem(tuple, Py_ssize_t(i), item);
  }
  return tuple;
}

PyObject *newArray(GeAttribute a) {
  const Widths &w = widths();
  GeDType width = geAttributeGetWidth(a);
  size_t count;
  if (width == w.f32) {
    const float *values;
    if (GeStatus s = geAttributeGetFloats(a, &values, &count))
      return raise(s);
    PyObject *tuple =
        tupleOf(values, count, [](float v) { return PyFloat_FromDouble(shortestDouble(v)); });
    return count ? tuple : arrayOfWidth(width, tuple);
  }
  if (width == w.f64) {
    const double *values;
    if (GeStatus s = geAttributeGetDoubles(a, &values, &count))
      return raise(s);
    return arrayOfWidth(width, tupleOf(values, count, PyFloat_FromDouble));
  }
  const int64_t *values;
  if (GeStatus s = geAttributeGetInts(a, &values, &count))
    return raise(s);
  PyObject *tuple = tupleOf(values, count, [&](int64_t v) {
    return width == w.boolean      ? PyBool_FromLong(v != 0)
           : width == widths().u64 ? PyLong_FromUnsignedLongLong(uint64_t(v))
                                   : PyLong_FromLongLong(v);
  });
  // An empty tuple would not say what of; so this remembers.
  return count && (width == w.i64 || width == w.boolean) ? tuple : arrayOfWidth(width, tuple);
}

PyObject *newList(GeAttribute a) {
  size_t count;
  if (GeStatus s = geAttributeGetSize(a, &count))
    return raise(s);
  PyObject *tuple = PyTuple_New(Py_ssize_t(count));
  for (size_t i = 0; tuple && i < count; ++i) {
    GeAttribute element;
    PyObject *item = nullptr;
    if (GeStatus s = geAttributeGetElement(a, i, &element)) {
      raise(s);
    } else {
      geAttributeRetain(element); // borrowed from the list
      item = newAttribute(element);
    }
    if (!item) {
      Py_CLEAR(tuple);
      break;
    }
    PyTuple_SetItem(tuple, Py_ssize_t(i), item);
  }
  return count ? tuple : arrayOfWidth(0, tuple);
}

PyObject *newDict(GeAttribute a) {
  size_t count;
  if (GeStatus s = geAttributeGetSize(a, &count))
    return raise(s);
  nb::object dict = nb::steal(PyDict_New());
  for (size_t i = 0; dict.is_valid() && i < count; ++i) {
    GeAttribute element;
    GeIdentifier name;
    GeStatus s = geAttributeGetKey(a, i, &name);
    if (s == GE_OK)
      s = geAttributeGetElement(a, i, &element);
    if (s)
      return raise(s);
    geAttributeRetain(element);
    nb::object value = nb::steal(newAttribute(element));
    nb::object key = nb::steal(newText(name));
    if (!value.is_valid() || !key.is_valid() ||
        PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) < 0)
      return nullptr;
  }
  return dict.release().ptr();
}

PyObject *convert(GeAttribute a) {
  const Widths &w = widths();
  GeStatus s = GE_ERROR_INTERNAL;
  switch (geAttributeGetKind(a)) {
  case GE_ATTR_INT: {
    int64_t value;
    GeDType width = geAttributeGetWidth(a);
    if ((s = geAttributeGetInt(a, &value)))
      break;
    if (width == w.i64)
      return PyLong_FromLongLong(value);
    return ofWidth(width, width == widths().u64 ? PyLong_FromUnsignedLongLong(uint64_t(value))
                                                : PyLong_FromLongLong(value));
  }
  case GE_ATTR_BOOL: {
    bool value;
    if ((s = geAttributeGetBool(a, &value)))
      break;
    return PyBool_FromLong(value);
  }
  case GE_ATTR_FLOAT: {
    double value;
    if ((s = geAttributeGetFloat(a, &value)))
      break;
    GeDType width = geAttributeGetWidth(a);
    if (width == w.f32)
      return PyFloat_FromDouble(shortestDouble(float(value)));
    return ofWidth(width, PyFloat_FromDouble(value));
  }
  case GE_ATTR_STRING:
  case GE_ATTR_BYTES:
  case GE_ATTR_GRAPH: {
    GeStringRef text;
    if ((s = geAttributeGetString(a, &text)))
      break;
    if (geAttributeGetKind(a) == GE_ATTR_BYTES)
      return PyBytes_FromStringAndSize(text.data, Py_ssize_t(text.length));
    PyObject *string = newText(text);
    if (!string || geAttributeGetKind(a) == GE_ATTR_STRING)
      return string;
    const AttrClasses *attrs = attrClasses();
    PyObject *ref =
        attrs ? PyObject_CallFunctionObjArgs(attrs->graphRef, string, nullptr) : nullptr;
    Py_DECREF(string);
    return ref;
  }
  case GE_ATTR_DTYPE: {
    GeDType dtype;
    if ((s = geAttributeGetDType(a, &dtype)))
      break;
    return wrapDType(dtype);
  }
  case GE_ATTR_TYPE: {
    GeType type;
    if ((s = geAttributeGetType(a, &type)))
      break;
    return wrapType(type);
  }
  case GE_ATTR_TENSOR: {
    GeTensor *tensor;
    if ((s = geAttributeGetTensor(a, &tensor)))
      break;
    return wrapTensor(tensor);
  }
  case GE_ATTR_ARRAY:
    return newArray(a);
  case GE_ATTR_LIST:
    return newList(a);
  case GE_ATTR_DICT:
    return newDict(a);
  case GE_ATTR_INVALID:
    return Py_NewRef(Py_None);
  }
  return raise(s);
}

} // namespace

PyObject *newAttribute(GeAttribute attribute) {
  int64_t value;
  if (geAttributeGetPlainInt(attribute, &value))
    return PyLong_FromLongLong(value);
  PyObject *object = convert(attribute);
  geAttributeRelease(attribute);
  return object;
}

} // namespace ge::python
