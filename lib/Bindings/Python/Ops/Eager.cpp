//===- Eager.cpp - calls in CANN's eager style --------------------------------------------------===//
#include "Eager.h"

#include "Function.h"
#include "PopulateOps.h"

#include <algorithm>

namespace ge::python {

namespace {

PyObject *hook;                           ///< (function, args, kwargs) -> results; null: not in use
PyTypeObject *holderClass, *builderClass; ///< owned while there is a hook

bool isOurs(PyObject *o) {
  PyTypeObject *type = Py_TYPE(o);
  return type == holderClass || type == builderClass || PyType_IsSubtype(type, holderClass) ||
         PyType_IsSubtype(type, builderClass);
}

bool hasOurs(PyObject *o) {
  if (isValue(o) || o == Py_None)
    return false;
  if (PyTuple_Check(o)) {
    for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i)
      if (isOurs(PyTuple_GetItem(o, i)))
        return true;
    return false;
  }
  if (PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i)
      if (isOurs(PyList_GetItem(o, i)))
        return true;
    return false;
  }
  return isOurs(o);
}

/// How the hook treats a parameter.
enum Slot { Attribute, Operand, Variadic, ElementType };

nb::list slotsOf(nb::handle function) {
  FunctionObject &f = payload<FunctionObject>(function.ptr());
  nb::list out;
  for (size_t i = 0; i < f.params.size(); ++i) {
    GeSlotInfo info;
    check(geOpDefGetParam(f.form, i, &info, nullptr));
    GeSchemaType type = info.type;
    while (geSchemaTypeGetKind(type) == GE_SCHEMA_OPTIONAL)
      type = geSchemaTypeGetElement(type, 0);
    bool hasMany = f.params[i].variadic || geSchemaTypeGetKind(type) == GE_SCHEMA_TUPLE;
    Slot slot = f.params[i].operand                        ? hasMany ? Variadic : Operand
                : f.params[i].form == AttributeForm::DType ? ElementType
                                                           : Attribute;
    out.append(nb::make_tuple(str(info.name), int(slot)));
  }
  return out;
}

void setHook(nb::handle function, nb::handle holder, nb::handle builder) {
  auto set = [](auto *&slot, nb::handle object) {
    auto *old = std::exchange(slot, object.is_none()
                                        ? nullptr
                                        : reinterpret_cast<std::remove_reference_t<decltype(slot)>>(
                                              Py_NewRef(object.ptr())));
    Py_XDECREF(reinterpret_cast<PyObject *>(old));
  };
  if (!function.is_none() && (!PyType_Check(holder.ptr()) || !PyType_Check(builder.ptr())))
    throw nb::type_error("the holder and the builder are classes");
  set(holderClass, holder);
  set(builderClass, builder);
  set(hook, function);
}

} // namespace

bool isEager(PyObject *args, PyObject *kwargs) {
  if (!hook)
    return false;
  for (Py_ssize_t i = 0; i < Py_SIZE(args); ++i)
    if (hasOurs(PyTuple_GetItem(args, i)))
      return true;
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (kwargs && PyDict_Next(kwargs, &at, &key, &value))
    if (hasOurs(value))
      return true;
  return false;
}

PyObject *callEager(PyObject *target, PyObject *args, PyObject *kwargs) {
  nb::object held = nb::borrow(hook);
  return PyObject_CallFunctionObjArgs(hook, target, args, kwargs ? kwargs : Py_None, nullptr);
}

void populateEager(nb::module_ &m) {
  m.def("_set_eager", setHook, nb::arg("hook").none(), nb::arg("holder").none(),
        nb::arg("builder").none());
  m.def("_slots", slotsOf);
  m.def("_call_in",
        [](nb::handle function, const nb::tuple &args, const nb::dict &kwargs, nb::handle graph) {
          if (!isGraph(graph.ptr()))
            checked(raiseType("graph", "a Graph", graph.ptr()));
          return nb::steal(checked(callIn(function.ptr(), args.ptr(), kwargs.ptr(),
                                          payload<GraphObject>(graph.ptr()).ref)));
        });
}

} // namespace ge::python
