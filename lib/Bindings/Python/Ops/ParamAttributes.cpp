//===- ParamAttributes.cpp - bound arguments as attributes -------------------------------------===//
//
// Converts an argument, which the binder has checked, to the attribute of the parameter's type.
//
#include "Arguments.h"
#include "Function.h"

namespace ge::python {

namespace {

bool good(GeStatus s) {
  if (s)
    raise(s);
  return s == GE_OK;
}

nb::object asInt(PyObject *o) {
  if (PyBool_Check(o))
    return nb::steal(PyLong_FromLong(o == Py_True));
  nb::object number = PyLong_Check(o) ? nb::object() : plainNumber(o);
  return number.is_valid() ? number : nb::borrow(o);
}
nb::object asFloat(PyObject *o) {
  if (PyFloat_Check(o))
    return nb::borrow(o);
  return nb::steal(PyNumber_Float(o));
}

/// Reads the elements of a list; a single element of T[N] stands for all N.
bool asList(const FormParam &param, PyObject *o, nb::object (*convert)(PyObject *),
            nb::object &out) {
  nb::list items;
  if (PyList_Check(o) || PyTuple_Check(o)) {
    for (nb::handle item : nb::borrow(o)) {
      nb::object made = convert(item.ptr());
      if (!made.is_valid())
        return false;
      items.append(made);
    }
  } else {
    nb::object made = convert(o);
    if (!made.is_valid())
      return false;
    for (uint32_t i = 0; i < std::max(param.size, 1U); ++i)
      items.append(made);
  }
  out = nb::tuple(items);
  return true;
}

/// Not of bools, which are ints, too.
bool isOfInts(PyObject *list) {
  for (Py_ssize_t i = 0; i < Py_SIZE(list); ++i)
    if (!PyLong_CheckExact(PyList_GetItem(list, i)))
      return false;
  return Py_SIZE(list) != 0;
}

GeSchemaType required(GeSchemaType type) {
  while (type && geSchemaTypeGetKind(type) == GE_SCHEMA_OPTIONAL)
    type = geSchemaTypeGetElement(type, 0);
  return type;
}

/// A number of a tuple as its type declares it.
nb::object asElement(GeSchemaType type, PyObject *o) {
  if (geSchemaTypeGetKind(type) != GE_SCHEMA_ATOM || o == Py_None)
    return nb::borrow(o);
  GeStringRef text = geSchemaTypeGetName(type);
  std::string_view name(text.data, text.length);
  if (name == "int" || name == "SymInt")
    return asInt(o);
  return name == "float" || name == "SymFloat" ? asFloat(o) : nb::borrow(o);
}

/// Elements of one kind are stored as a list; of several, each as an attribute of its own.
bool tupleAttribute(ContextState &state, GeSchemaType type, PyObject *o, PyObject *key,
                    GeAttribute &out) {
  nb::list items;
  bool isMixed = false;
  for (size_t i = 0; i < geSchemaTypeNumElements(type); ++i) {
    GeSchemaType element = required(geSchemaTypeGetElement(type, i));
    PyObject *given =
        PyList_Check(o) ? PyList_GetItem(o, Py_ssize_t(i)) : PyTuple_GetItem(o, Py_ssize_t(i));
    nb::object item = given ? asElement(element, given) : nb::object();
    if (!item.is_valid())
      return false;
    isMixed |= geSchemaTypeGetKind(element) == GE_SCHEMA_TUPLE ||
               (i && Py_TYPE(item.ptr()) != Py_TYPE(nb::object(items[0]).ptr()));
    items.append(item);
  }
  if (!isMixed)
    return toAttribute(state, items.ptr(), key, out);
  std::vector<GeAttribute> elements;
  bool isGood = true;
  for (size_t i = 0; isGood && i < items.size(); ++i) {
    GeSchemaType element = required(geSchemaTypeGetElement(type, i));
    nb::object item = items[i];
    GeAttribute made{};
    isGood = geSchemaTypeGetKind(element) == GE_SCHEMA_TUPLE && item.ptr() != Py_None
                 ? tupleAttribute(state, element, item.ptr(), key, made)
                 : toAttribute(state, item.ptr(), key, made);
    if (isGood)
      elements.push_back(made);
  }
  isGood = isGood && good(geAttributeList(state.context(), elements.data(), elements.size(), &out));
  for (GeAttribute one : elements)
    geAttributeRelease(one);
  return isGood;
}

GeDType dtypeNamed(const char *name) {
  GeDType dtype = 0;
  geDTypeFromName(stringRef(name), &dtype);
  return dtype;
}

} // namespace

bool toParamAttribute(ContextState &state, const FormParam &param, PyObject *o, GeAttribute &out) {
  GeContext *context = state.context();
  nb::object made;
  switch (param.form) {
  case AttributeForm::Int:
    if (PyLong_CheckExact(o))
      return toAttribute(state, o, param.name, out);
    made = asInt(o);
    break;
  case AttributeForm::Float:
    made = asFloat(o);
    break;
  case AttributeForm::Ints:
    if (PyList_CheckExact(o) && isOfInts(o))
      return toAttribute(state, o, param.name, out);
    if (!asList(param, o, asInt, made))
      return false;
    if (Py_SIZE(made.ptr()) == 0)
      return good(geAttributeIntArray(context, nullptr, 0, dtypeNamed("i64"), &out));
    break;
  case AttributeForm::Floats:
    if (!asList(param, o, asFloat, made))
      return false;
    if (Py_SIZE(made.ptr()) == 0)
      return good(geAttributeFloatArray(context, nullptr, 0, &out));
    break;
  case AttributeForm::Strings:
    if (!asList(param, o, [](PyObject *item) { return nb::borrow(item); }, made))
      return false;
    if (Py_SIZE(made.ptr()) == 0)
      return good(geAttributeList(context, nullptr, 0, &out));
    break;
  case AttributeForm::DType: {
    GeDType dtype;
    return toDType(o, dtype) && good(geAttributeDType(dtype, &out));
  }
  case AttributeForm::Tensor: {
    GeTensor *tensor;
    if (!toTensor(context, o, nullptr, false, tensor))
      return false;
    GeStatus s = geAttributeTensor(tensor, &out);
    geTensorRelease(tensor);
    return good(s);
  }
  default: {
    GeSchemaType type = required(param.type);
    bool isTuple = type && geSchemaTypeGetKind(type) == GE_SCHEMA_TUPLE &&
                   (PyTuple_Check(o) || PyList_Check(o));
    return isTuple ? tupleAttribute(state, type, o, param.name, out)
                   : toAttribute(state, o, param.name, out);
  }
  }
  return made.is_valid() && toAttribute(state, made.ptr(), param.name, out);
}

} // namespace ge::python
