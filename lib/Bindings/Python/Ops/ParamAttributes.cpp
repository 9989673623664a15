//===- ParamAttributes.cpp - bound arguments as attributes -------------------------------------===//
//
// Converts an argument, which the binder has checked, to the attribute of the parameter's type.
//
#include "Function.h"

namespace ge::python {

namespace {

bool good(GeStatus s) {
  if (s)
    raise(s);
  return s == GE_OK;
}

nb::object asInt(PyObject *o) {
  return PyBool_Check(o) ? nb::steal(PyLong_FromLong(o == Py_True)) : nb::borrow(o);
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
    if (PyList_CheckExact(o) && Py_SIZE(o) && PyLong_CheckExact(PyList_GetItem(o, 0)))
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
  default:
    return toAttribute(state, o, param.name, out);
  }
  return made.is_valid() && toAttribute(state, made.ptr(), param.name, out);
}

} // namespace ge::python
