//===- Function.cpp - the class of graph-building functions ------------------------------------===//
#include "Function.h"

#include "PopulateOps.h"

#include "../IR/Scope.h"

namespace ge::python {

namespace {

PyTypeObject *functionClass;

FunctionObject &functionOf(PyObject *self) { return payload<FunctionObject>(self); }

template <PyObject *FunctionObject::*field> PyObject *get(PyObject *self, void *) {
  return Py_NewRef(functionOf(self).*field);
}

/// Python objects that are created once.
template <PyObject *FunctionObject::*field, PyObject *Hooks::*hook>
PyObject *made(PyObject *self, void *) {
  PyObject *&slot = functionOf(self).*field;
  if (!slot) {
    if (!(hooks.*hook))
      return Py_NewRef(Py_None);
    slot = PyObject_CallFunctionObjArgs(hooks.*hook, self, nullptr);
    if (!slot)
      return nullptr;
  }
  return Py_NewRef(slot);
}

PyObject *repr(PyObject *self) {
  FunctionObject &f = functionOf(self);
  return PyUnicode_FromFormat("<function %U.%U>", f.module, f.qualname);
}

/// Not a method: `obj.f` is the function itself. With `__get__`, `inspect` and `help` treat it as a
/// function.
PyObject *getDescriptor(PyObject *self, PyObject *, PyObject *) { return Py_NewRef(self); }

/// Pickled by its qualified name.
PyObject *reduce(PyObject *self, PyObject *) { return Py_NewRef(functionOf(self).qualname); }

/// The class's `__module__` would hide a descriptor of that name.
PyObject *getAttribute(PyObject *self, PyObject *name) {
  static PyObject *word = PyUnicode_InternFromString("__module__");
  if (name == word || (PyUnicode_Check(name) && PyUnicode_Compare(name, word) == 0))
    return Py_NewRef(functionOf(self).module);
  return PyObject_GenericGetAttr(self, name);
}

PyGetSetDef getset[] = {
    {"__name__", safe<get<&FunctionObject::name>>, nullptr, "Name of the operator.", nullptr},
    {"__qualname__", safe<get<&FunctionObject::qualname>>, nullptr, "Name in its module.", nullptr},
    {"__doc__", safe<made<&FunctionObject::doc, &Hooks::doc>>, nullptr,
     "Documentation, from the record.", nullptr},
    {"__signature__", safe<made<&FunctionObject::signature, &Hooks::signature>>, nullptr,
     "What `inspect.signature` gives.", nullptr},
    {"op", safe<get<&FunctionObject::op>>, nullptr, "The `OpDef` that it builds nodes of.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", safe<reduce>, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_tp_call, slot<callFunction>()},
                       {Py_tp_repr, slot<repr>()},
                       {Py_tp_getattro, slot<getAttribute>()},
                       {Py_tp_descr_get, slot<getDescriptor>()},
                       {Py_tp_getset, getset},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

void readResults(FunctionObject &f, const GeOpInfo &info) {
  size_t required = 0;
  for (size_t i = 0; i < info.numResults; ++i) {
    GeSlotInfo slot;
    check(geOpDefGetResult(f.record, i, &slot));
    f.results.push_back(slot);
    if (slot.isVariadic && f.variadicResult < 0)
      f.variadicResult = int(i);
    if (geSchemaTypeGetKind(slot.type) != GE_SCHEMA_OPTIONAL)
      required = i + 1;
  }
  // If all results are optional (LSTM), all are created by default.
  f.defaultResults = required ? required : info.numResults;
}

void findSimpleCalls(FunctionObject &f, const GeOpInfo &form) {
  auto isOneValue = [](const FormParam &param) {
    GeSchemaType type = param.type;
    while (param.operand && geSchemaTypeGetKind(type) == GE_SCHEMA_OPTIONAL)
      type = geSchemaTypeGetElement(type, 0);
    return param.operand && !param.variadic && geSchemaTypeGetKind(type) == GE_SCHEMA_ATOM;
  };
  while (f.mostValues < form.numPositional && isOneValue(f.params[f.mostValues]))
    ++f.mostValues;
  for (size_t i = 0; i < form.numParams; ++i) {
    GeParamInfo param;
    check(geOpDefGetParam(f.form, i, nullptr, &param));
    if (!param.defaultValue)
      f.fewestValues = i + 1; // beyond mostValues: there are none
  }
}

PyObject *newFunction(nb::handle op, nb::str name, nb::str module, nb::str domain) {
  PyObject *object = checked(allocate(functionClass));
  new (&functionOf(object)) FunctionObject();
  nb::object held = nb::steal(object);
  FunctionObject &own = functionOf(object);
  GeOpDef record = opOf(op);
  geOpDefRetain(record);
  own.record = record;
  own.op = Py_NewRef(op.ptr());
  own.name = Py_NewRef(name.ptr());
  own.qualname = Py_NewRef(name.ptr());
  own.module = Py_NewRef(module.ptr());
  own.form = formOf(record, own.params);
  GeOpInfo info;
  check(geOpDefGetInfo(record, &info));
  readResults(own, info);
  own.varret = info.varret;
  own.hasOperandChoice = info.hasOperandChoice;
  own.hasResultChoice = info.hasResultChoice;
  own.elementwise = (info.traits & GE_TRAIT_ELEMENTWISE) != 0;
  std::string_view ns(info.ns.data, info.ns.length);
  own.isOnnxOpset = ns == "onnx";
  own.isOnnx = own.isOnnxOpset || ns.starts_with("onnx.");
  own.since = info.since;
  GeOpInfo form;
  check(geOpDefGetInfo(own.form, &form));
  own.numFormPositional = form.numPositional;
  bool hasOptionalList = false;
  for (const FormParam &param : own.params) {
    hasOptionalList |= param.isOptionalList;
    own.hasGraphs |= param.form == AttributeForm::Graph || param.form == AttributeForm::Graphs;
  }
  findSimpleCalls(own, form);
  own.onePlainResult = info.overload.length == 0 && !own.hasGraphs && !own.hasOperandChoice &&
                       !hasOptionalList && own.variadicResult < 0 && own.defaultResults == 1 &&
                       info.numResults > 0;
  std::string full(domain.c_str());
  full.append("::").append(info.name.data, info.name.length);
  if (info.overload.length)
    own.overload = checked(newText(info.overload));
  own.opName = checked(newText(stringRef(full)));
  PyUnicode_InternInPlace(&own.opName);
  return held.release().ptr();
}

void setHook(PyObject *&slot, nb::handle function) {
  PyObject *old = std::exchange(slot, function.is_none() ? nullptr : Py_NewRef(function.ptr()));
  Py_XDECREF(old);
}

} // namespace

FunctionObject::~FunctionObject() {
  for (FormParam &param : params)
    Py_XDECREF(param.name);
  for (PyObject *object :
       {name, qualname, module, op, opName, overload, doc, signature, tuples, older})
    Py_XDECREF(object);
  geOpDefRelease(form);
  geOpDefRelease(record);
}

void populateFunction(nb::module_ &m) {
  nb::class_<FunctionObject> c(m, "Function", nb::is_final(), nb::type_slots(slots));
  functionClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(c.ptr()));
  m.def(
      "_function",
      [](nb::handle op, nb::str name, nb::str module, nb::str domain) {
        return nb::steal(newFunction(op, name, module, domain));
      },
      nb::arg("op"), nb::arg("name"), nb::arg("module"), nb::arg("domain"));
  m.def("_form", [](nb::handle function) {
    FunctionObject &f = functionOf(function.ptr());
    geOpDefRetain(f.form);
    nb::list sources;
    for (const FormParam &param : f.params)
      sources.append(param.source == SIZE_MAX ? nb::object(nb::none())
                                              : nb::object(nb::int_(param.source)));
    return nb::make_tuple(wrapOp(f.form), sources, f.defaultResults, f.variadicResult);
  });
  m.def("_set_hooks", [](nb::handle signature, nb::handle doc, nb::handle trace, nb::handle capture,
                         nb::handle adopted, nb::handle closed, nb::handle atOpset) {
    setHook(hooks.signature, signature);
    setHook(hooks.doc, doc);
    setHook(hooks.trace, trace);
    setHook(hooks.capture, capture);
    setHook(hooks.adopted, adopted);
    setHook(hooks.closed, closed);
    setHook(hooks.atOpset, atOpset);
  });
  m.def("_call_overload", [](nb::tuple functions, nb::tuple args, nb::dict kwargs) {
    return nb::steal(checked(callOverload(functions.ptr(), args.ptr(), kwargs.ptr())));
  });
  m.def("_tracing", [](int change) { tracingBodies += change; });
}

} // namespace ge::python
