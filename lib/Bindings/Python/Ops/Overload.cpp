//===- Overload.cpp - calls of operators with overloads -----------------------------------------===//
#include "../Imported/Imported.h"
#include "CallWords.h"
#include "Eager.h"
#include "Function.h"

#include <vector>

namespace ge::python {

PyObject *callOverload(PyObject *functions, PyObject *args, PyObject *kwargs) {
  if (isEager(args, kwargs))
    return callEager(functions, args, kwargs);
  CallArguments arguments;
  for (Py_ssize_t i = 0; i < Py_SIZE(args); ++i)
    if (!arguments.addPositional(PyTuple_GetItem(args, i)))
      return nullptr;
  PyObject *name, *value;
  Py_ssize_t at = 0;
  const Words &w = words();
  while (kwargs && PyDict_Next(kwargs, &at, &name, &value)) {
    bool isEscape = false;
    if (!isBookkeeping(name, isEscape))
      return nullptr;
    for (PyObject *word : {w.name, w.loc, w.outputs, w.ip, w.resultTypes})
      isEscape |= PyUnicode_Compare(name, word) == 0;
    if (!isEscape && !arguments.addKeyword(name, value))
      return nullptr;
  }
  std::vector<GeOpDef> forms;
  size_t most = 0;
  for (Py_ssize_t i = 0; i < Py_SIZE(functions); ++i) {
    FunctionObject &f = payload<FunctionObject>(PyTuple_GetItem(functions, i));
    forms.push_back(f.form);
    most = std::max(most, f.params.size());
  }
  BoundArgs bound;
  bound.resize(most);
  GeBindOptions options{sizeof options, geOpsGetStrict(), true};
  GeBindFault fault;
  size_t chosen = 0;
  if (GeStatus s = arguments.resolve(forms, options, bound, chosen, fault))
    return raiseBind(forms[0], s, fault);
  return callFunction(PyTuple_GetItem(functions, Py_ssize_t(chosen)), args, kwargs);
}

} // namespace ge::python
