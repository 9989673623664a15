//===- Scope.cpp - the enclosing `with` blocks -------------------------------------------------===//
#include "Scope.h"

#include "Convert.h"
#include "Errors.h"
#include "PopulateIR.h"

#include <vector>

namespace ge::python {

namespace {

PyTypeObject *scopeClass;
// Owned by this code for the life of the process: PyContextVar_* is not in the limited API, so the
// variable is called through its bound methods.
PyObject *scopeGet, *scopeSet;

ScopeObject &scopeOf(PyObject *object) { return payload<ScopeObject>(object); }

int traverseScope(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  ScopeObject &scope = scopeOf(self);
  Py_VISIT(scope.context);
  Py_VISIT(scope.point);
  Py_VISIT(scope.location);
  Py_VISIT(scope.entered);
  Py_VISIT(scope.outer);
  Py_VISIT(scope.resumer);
  return 0;
}

int clearScope(PyObject *self) {
  // A scope is immutable while it is current; the collector clears only unreferenced ones.
  Py_CLEAR(scopeOf(self).resumer);
  return 0;
}

PyType_Slot scopeSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                            {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                            {Py_tp_traverse, slot<traverseScope>()},
                            {Py_tp_clear, slot<clearScope>()},
                            {0, nullptr}};

/// The frame that runs `frame` if that is the frame of a generator; else null without an exception.
nb::object generatorResumer(PyFrameObject *frame) {
  if (!frame)
    return {};
  nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
  constexpr int kGenerator = 0x20, kAsyncGenerator = 0x200;
  int flags = nb::cast<int>(code.attr("co_flags"));
  if (!(flags & (kGenerator | kAsyncGenerator)))
    return {};
  return nb::borrow(reinterpret_cast<PyObject *>(frame)).attr("f_back");
}

nb::object newScope(PyObject *context, PyObject *point, PyObject *location, PyObject *entered,
                    PyObject *outer, PyObject *resumer) {
  nb::object object = nb::steal(checked(allocate(scopeClass)));
  ScopeObject &scope = scopeOf(object.ptr());
  scope.context = Py_XNewRef(context);
  scope.point = Py_XNewRef(point);
  scope.location = Py_XNewRef(location);
  scope.entered = Py_XNewRef(entered);
  scope.outer = Py_XNewRef(outer);
  scope.resumer = Py_XNewRef(resumer);
  return object;
}

void setScope(nb::handle scope) {
  nb::steal(checked(
      PyObject_CallFunctionObjArgs(scopeSet, scope.is_valid() ? scope.ptr() : Py_None, nullptr)));
}

void makeVariable() {
  if (scopeGet)
    return;
  nb::object type = importModule("contextvars").attr("ContextVar");
  nb::object variable = type("ge.scope", nb::arg("default") = nb::none());
  scopeGet = nb::object(variable.attr("get")).release().ptr();
  scopeSet = nb::object(variable.attr("set")).release().ptr();
}

nb::object contextOf(PyObject *what) {
  if (isContext(what))
    return nb::borrow(what);
  GeContext *context =
      isLocation(what)
          ? geLocationGetContext(payload<LocationObject>(what).ref)
          : geRefGetContext(payload<GraphObject>(payload<InsertionPointObject>(what).graph).ref);
  return nb::steal(checked(wrapContext(context)));
}

void enter(PyObject *what) {
  makeVariable();
  nb::object outer = nb::steal(currentScope());
  if (!outer.is_valid() && PyErr_Occurred())
    throw nb::python_error();
  nb::object context = contextOf(what);
  PyObject *point = nullptr, *location = nullptr;
  // Insertion point and location of a scope of another context do not apply here.
  if (outer.is_valid() && scopeOf(outer.ptr()).context == context.ptr() && !isContext(what)) {
    point = scopeOf(outer.ptr()).point;
    location = scopeOf(outer.ptr()).location;
  }
  if (isInsertionPoint(what))
    point = what;
  if (isLocation(what))
    location = what;
  nb::object resumer = generatorResumer(PyEval_GetFrame());
  setScope(newScope(context.ptr(), point, location, what, outer.ptr(), resumer.ptr()));
  anyScopeEntered = true;
}

void leave(PyObject *what) {
  nb::object current = nb::steal(currentScope());
  if (current.is_valid() && scopeOf(current.ptr()).entered == what) {
    setScope(scopeOf(current.ptr()).outer);
    PyObject *entry = scopeOf(current.ptr()).resumer;
    nb::object resumer = generatorResumer(PyEval_GetFrame());
    // Another frame resumed the generator, such as contextlib or a fixture, which run the rest on
    // purpose.
    if (entry && resumer.ptr() == entry)
      PyErr_SetString(
          exceptionOf(GE_ERROR_GENERAL),
          "a `with` of " GE_PYTHON_PACKAGE ".ir inside a generator: the caller would work in its "
          "scope while it is suspended. Leave the scope before each yield, or enter it around "
          "the generator");
    if (PyErr_Occurred())
      throw nb::python_error();
    return;
  }
  // Not the innermost scope: unlink it, so that this error leaves no wrong scope behind.
  std::vector<nb::object> above;
  nb::object scope = current;
  while (scope.is_valid() && scopeOf(scope.ptr()).entered != what) {
    above.push_back(scope);
    scope = nb::borrow(scopeOf(scope.ptr()).outer);
  }
  if (scope.is_valid()) {
    nb::object chain = nb::borrow(scopeOf(scope.ptr()).outer);
    for (auto it = above.rbegin(); it != above.rend(); ++it) {
      ScopeObject &s = scopeOf(it->ptr());
      chain = newScope(s.context, s.point, s.location, s.entered, chain.ptr(), s.resumer);
    }
    setScope(chain);
    PyErr_SetString(exceptionOf(GE_ERROR_GENERAL),
                    "left a `with` of " GE_PYTHON_PACKAGE
                    ".ir that is not the innermost one; was a generator suspended "
                    "inside it?");
  } else {
    PyErr_SetString(exceptionOf(GE_ERROR_GENERAL),
                    "left a `with` of " GE_PYTHON_PACKAGE
                    ".ir that was not entered in this thread or task");
  }
  throw nb::python_error();
}

PyObject *enterMethod(PyObject *self, PyObject *) { return enterScope(self); }
PyObject *exitMethod(PyObject *self, PyObject *) { return exitScope(self); }

// Held through the module; null again when that drops it at the interpreter's end.
PyObject *theDefault;
PyObject *moduleDict;

} // namespace

PyMethodDef scopeEnter = {
    "__enter__", safe<enterMethod>, METH_NOARGS,
    "__enter__($self)\n--\n\nMake it the current one of this thread or task."};
PyMethodDef scopeExit = {"__exit__", safe<exitMethod>, METH_VARARGS,
                         "__exit__($self, *args)\n--\n\nGo back to what was current before."};

PyObject *currentScope() {
  if (!anyScopeEntered && !scopeGet)
    return nullptr;
  PyObject *scope = PyObject_CallObject(scopeGet, nullptr);
  if (scope == Py_None) {
    Py_DECREF(scope);
    return nullptr;
  }
  return scope;
}

PyObject *defaultContext() {
  nb::object existing;
  if (theDefault)
    return Py_NewRef(theDefault);
  GeContext *context;
  if (GeStatus s = geContextCreate(&context))
    return raise(s);
  geContextSetSerialized(context, true);
  PyObject *wrapper = wrapContext(context);
  geContextRelease(context);
  if (!wrapper)
    return nullptr;
  // In the module's dictionary, so that the interpreter's end drops it like everything else.
  if (PyDict_SetItemString(moduleDict, "_default_context", wrapper) < 0) {
    Py_DECREF(wrapper);
    return nullptr;
  }
  theDefault = wrapper;
  return wrapper;
}

void forgetDefaultContext(PyObject *wrapper) {
  if (theDefault == wrapper)
    theDefault = nullptr;
}

GeContext *currentContext() {
  if (anyScopeEntered) {
    PyObject *scope = currentScope();
    if (scope) {
      GeContext *context = payload<ContextObject>(scopeOf(scope).context).context;
      Py_DECREF(scope); // the variable keeps it
      return context;
    }
    if (PyErr_Occurred())
      return nullptr;
  }
  if (!theDefault) {
    PyObject *wrapper = defaultContext();
    if (!wrapper)
      return nullptr;
    Py_DECREF(wrapper); // the module keeps it
  }
  return payload<ContextObject>(theDefault).context;
}

GeContext *resolveContext(PyObject *argument) {
  if (!argument || argument == Py_None)
    return currentContext();
  if (isContext(argument))
    return payload<ContextObject>(argument).context;
  raiseType("context", "a Context or None", argument);
  return nullptr;
}

bool resolveLocation(GeContext *context, PyObject *argument, GeLocation &out) {
  out = nullptr;
  if (argument && argument != Py_None) {
    if (!isLocation(argument)) {
      raiseType("loc", "a Location or None", argument);
      return false;
    }
    out = payload<LocationObject>(argument).ref;
    return true;
  }
  if (!anyScopeEntered)
    return true;
  PyObject *scope = currentScope();
  if (!scope)
    return !PyErr_Occurred();
  // The location comes from an enclosing scope of another context, while the graph was passed
  // explicitly: ignore it.
  if (PyObject *location = scopeOf(scope).location) {
    GeLocation found = payload<LocationObject>(location).ref;
    if (geLocationGetContext(found) == context)
      out = found;
  }
  Py_DECREF(scope);
  return true;
}

PyObject *enterScope(PyObject *what) {
  try {
    enter(what);
    return Py_NewRef(what);
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

PyObject *exitScope(PyObject *what) {
  try {
    leave(what);
    return Py_NewRef(Py_None);
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

bool TracedEdit::begin(GeContext *context) {
  PyFrameObject *frame = PyEval_GetFrame(); // borrowed
  if (!frame)
    return false;
  nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
  nb::object file = nb::steal(PyObject_GetAttrString(code.ptr(), "co_filename"));
  Py_ssize_t length;
  const char *text = file.is_valid() ? PyUnicode_AsUTF8AndSize(file.ptr(), &length) : nullptr;
  GeLocation location;
  if (!text) {
    PyErr_Clear(); // a file name that is not valid text gives no origin
    return false;
  }
  int line = PyFrame_GetLineNumber(frame);
  return geLocationFile(context, {text, size_t(length)}, line > 0 ? uint32_t(line) : 0, 0,
                        &location) == GE_OK &&
         geEditScopePush(nullptr, location) == GE_OK;
}

void populateScope(nb::module_ &m) {
  moduleDict = PyModule_GetDict(m.ptr());
  scopeClass = reinterpret_cast<PyTypeObject *>(
      nb::class_<ScopeObject>(m, "_Scope", nb::is_final(), nb::type_slots(scopeSlots)).ptr());
}

} // namespace ge::python
