//===- AttributeValues.cpp - values of get_attr and set_attr ----------------------------------===//
#include "Cann.h"

namespace ge::python::vocabulary {

namespace {

[[noreturn]] void unsupported(nb::handle value, const std::string &why) {
  nb::object name = nb::steal(checked(
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value.ptr())), "__name__")));
  nb::object shown = nb::steal(checked(PyObject_Repr(value.ptr())));
  PyErr_Format(PyExc_ValueError,
               "Unsupported attribute type: %U for value: %.200U%s; set_attr takes str, float, "
               "bool, DataType, Tensor, int and lists of one of float, bool, int, DataType, str. "
               "`attributes` takes more",
               name.ptr(), shown.ptr(), why.c_str());
  throw nb::python_error();
}

bool isInstance(nb::handle value, nb::handle type) {
  int instance = PyObject_IsInstance(value.ptr(), type.ptr());
  checked(instance);
  return instance != 0;
}

bool isNumpy(nb::handle value) {
  if (isInstance(value, reinterpret_cast<PyObject *>(&PyType_Type)))
    return false;
  return PyObject_HasAttrString(value.ptr(), "__array__") ||
         PyObject_HasAttrString(value.ptr(), "__dlpack__");
}

enum class Kind { Float, Bool, Int, DataType, Str, Other };

Kind kindOf(nb::handle item, nb::handle dataType) {
  if (PyFloat_Check(item.ptr()))
    return Kind::Float;
  if (PyBool_Check(item.ptr()))
    return Kind::Bool;
  if (PyUnicode_Check(item.ptr()))
    return Kind::Str;
  // Checked before int, because DataType is an IntEnum.
  if (isDType(item.ptr()) || isInstance(item, dataType))
    return Kind::DataType;
  if (PyLong_Check(item.ptr()))
    return Kind::Int;
  return Kind::Other;
}

void convert(ContextState &state, nb::handle value, nb::handle key, HeldAttribute &out) {
  if (!toAttribute(state, value.ptr(), key.ptr(), out.value)) {
    out.value = {0};
    throw nb::python_error();
  }
}

void fromList(ContextState &state, nb::handle value, nb::handle key, HeldAttribute &out) {
  // A copy of the list: converting an element may run code that edits the argument.
  nb::list items(value);
  if (nb::len(items) == 0)
    throw nb::value_error("Empty list is not supported: it does not say what of; "
                          "`attributes` takes ir.ArrayAttr([], ir.i64) and the like");
  nb::object dataType = member("DataType");
  Kind kind = kindOf(items[0], dataType);
  bool same = true, integers = true;
  for (nb::handle item : items) {
    same = same && kindOf(item, dataType) == kind;
    integers = integers && PyLong_Check(item.ptr());
  }
  if (kind == Kind::Other || (!same && !integers))
    unsupported(value, ", with elements that are not of one such type");
  if (!same) {
    // As in CANN, bools and members of DataType count as ints in a list with other ints.
    nb::list plain;
    for (nb::handle item : items)
      plain.append(nb::steal(checked(PyNumber_Long(item.ptr()))));
    return convert(state, plain, key, out);
  }
  if (kind != Kind::DataType)
    return convert(state, items, key, out);
  nb::list dtypes;
  for (nb::handle item : items)
    dtypes.append(nb::steal(checked(wrapDType(dtypeArgument(item, "an element of the list")))));
  convert(state, dtypes, key, out);
}

[[noreturn]] void failKind(const char *kind) {
  fail(std::string("Unsupported attribute type: ") + kind + "; `attributes` gives it");
}

nb::object listOf(nb::handle sequence) { return nb::list(sequence); }

nb::object fromElements(GeAttribute value) {
  size_t count;
  check(geAttributeGetSize(value, &count));
  nb::list items;
  for (size_t i = 0; i < count; ++i) {
    GeAttribute element;
    check(geAttributeGetElement(value, i, &element));
    GeAttrKind kind = geAttributeGetKind(element);
    if (kind != GE_ATTR_STRING && kind != GE_ATTR_DTYPE)
      failKind("a list of something other than float, bool, int, DataType or str");
    geAttributeRetain(element); // borrowed from the list
    items.append(newGeAttribute(element));
  }
  return items;
}

} // namespace

void toGeAttribute(ContextState &state, nb::handle value, nb::handle key, HeldAttribute &out) {
  PyObject *object = value.ptr();
  if (PyUnicode_Check(object) || PyFloat_Check(object) || PyBool_Check(object) ||
      PyLong_CheckExact(object) || isTensor(object) || isDType(object))
    return convert(state, value, key, out);
  if (PyList_Check(object))
    return fromList(state, value, key, out);
  if (isInstance(value, member("DataType"))) {
    checkCall(geAttributeDType(dtypeArgument(value, "value"), &out.value));
    return;
  }
  if (PyLong_Check(object) || isNumpy(value))
    return convert(state, value, key, out);
  unsupported(value, "");
}

nb::object newGeAttribute(GeAttribute attribute) {
  HeldAttribute held;
  held.value = attribute;
  switch (geAttributeGetKind(attribute)) {
  case GE_ATTR_BOOL:
  case GE_ATTR_INT:
  case GE_ATTR_FLOAT:
  case GE_ATTR_STRING:
  case GE_ATTR_TENSOR:
    return nb::steal(checked(newAttribute(held.take())));
  case GE_ATTR_DTYPE: {
    GeDType dtype;
    check(geAttributeGetDType(attribute, &dtype));
    return newDataType(dtype);
  }
  case GE_ATTR_ARRAY:
    return listOf(nb::steal(checked(newAttribute(held.take()))));
  case GE_ATTR_LIST:
    return fromElements(attribute);
  case GE_ATTR_BYTES:
    failKind("bytes");
  case GE_ATTR_TYPE:
    failKind("a type");
  case GE_ATTR_GRAPH:
    failKind("a graph");
  case GE_ATTR_DICT:
    failKind("a dict");
  case GE_ATTR_INVALID:
    break;
  }
  failKind("nothing");
}

} // namespace ge::python::vocabulary
