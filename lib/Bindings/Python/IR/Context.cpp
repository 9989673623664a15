//===- Context.cpp - Context -------------------------------------------------------------------===//
#include "Convert.h"
#include "ErrorText.h"
#include "Members.h"
#include "PopulateIR.h"
#include "Scope.h"

namespace ge::python {

namespace {

PyObject *newContext(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":Context", const_cast<char **>(names)))
    return nullptr;
  GeContext *context;
  if (GeStatus s = geContextCreate(&context))
    return raise(s);
  // Calls from Python come one at a time, under the GIL.
  geContextSetSerialized(context, true);
  PyObject *object = allocate(type);
  if (!object) {
    geContextRelease(context);
    return nullptr;
  }
  payload<ContextObject>(object).context = context;
  ContextState::of(context).wrapper = object;
  return object;
}

PyMethodDef methods[] = {scopeEnter, scopeExit, {nullptr, nullptr, 0, nullptr}};

/// The context owns the callbacks of its handlers, and those may own its wrapper: the collector
/// sees this cycle through the wrapper. Without a wrapper the context cannot be part of a cycle.
int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  GeContext *context = payload<ContextObject>(self).context;
  if (context && geContextGetSlot(context))
    for (const ContextState::Handler &handler : ContextState::of(context).handlers)
      Py_VISIT(handler.callback);
  return 0;
}

int clear(PyObject *self) {
  GeContext *context = payload<ContextObject>(self).context;
  if (!context || !geContextGetSlot(context))
    return 0;
  auto handlers = std::exchange(ContextState::of(context).handlers, {});
  for (const ContextState::Handler &handler : handlers)
    geContextDetachDiagnosticHandler(context, handler.token);
  return 0;
}

PyType_Slot slots[] = {{Py_tp_new, slot<newContext>()},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

/// A Python function that is attached to a context; lives until it is detached.
struct DiagnosticHandlerObject {
  PyObject *context;
  uint64_t token;
  DiagnosticHandlerObject() = default;
  DiagnosticHandlerObject(const DiagnosticHandlerObject &) = delete;
  ~DiagnosticHandlerObject() { Py_XDECREF(context); }

  ContextState &state() const { return ContextState::of(payload<ContextObject>(context).context); }
  bool attached() const {
    for (const ContextState::Handler &handler : state().handlers)
      if (handler.token == token)
        return true;
    return false;
  }
  void detach() {
    auto &handlers = state().handlers;
    for (size_t i = 0; i < handlers.size(); ++i)
      if (handlers[i].token == token) {
        handlers.erase(handlers.begin() + ptrdiff_t(i));
        check(geContextDetachDiagnosticHandler(payload<ContextObject>(context).context, token));
        return;
      }
  }
};

int traverseHandler(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(payload<DiagnosticHandlerObject>(self).context);
  return 0;
}

bool callHandler(const GeDiagnostic *diagnostic, void *userData) {
  GilAcquire guard; // also from native threads, and at the interpreter's end
  if (!guard)
    return false;
  try {
    nb::handle callback(static_cast<PyObject *>(userData));
    nb::object kept = nb::borrow(callback); // the handler may detach itself
    nb::object result = kept(newDiagnostic(*diagnostic));
    int taken = PyObject_IsTrue(result.ptr());
    checked(taken);
    return taken != 0;
  } catch (nb::python_error &e) {
    e.restore();
  } catch (const std::exception &e) {
    PyErr_SetString(exceptionOf(GE_ERROR_GENERAL), e.what());
  }
  if (isCalledByPython())
    keepException();
  else // no status can report it
    nb::python_error().discard_as_unraisable("a diagnostic handler");
  return true;
}

void dropHandler(void *userData) {
  GilAcquire guard;
  if (guard)
    Py_DECREF(static_cast<PyObject *>(userData));
}

PyType_Slot handlerSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                              {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                              {Py_tp_traverse, reinterpret_cast<void *>(traverseHandler)},
                              {0, nullptr}};

GeSeverity severityOf(std::string_view name) {
  if (name == "error")
    return GE_SEVERITY_ERROR;
  if (name == "warning")
    return GE_SEVERITY_WARNING;
  if (name == "remark")
    return GE_SEVERITY_REMARK;
  if (name == "note")
    return GE_SEVERITY_NOTE;
  throw nb::value_error("severity must be 'error', 'warning', 'remark' or 'note'");
}

void defineProperties(nb::class_<ContextObject> &context) {
  context
      .def_prop_ro_static(
          "current",
          [](nb::handle) {
            GeContext *current = currentContext();
            return nb::steal(checked(current ? wrapContext(current) : nullptr));
          },
          nb::sig("def current(self, /) -> Context"),
          "The context of the innermost ``with``, else the default one.")
      .def_prop_ro_static(
          "default", [](nb::handle) { return nb::steal(checked(defaultContext())); },
          nb::sig("def default(self, /) -> Context"), "The context that always exists.")
      .def(
          "live_handle_count",
          [](const ContextObject &self) { return geContextLiveHandleCount(self.context); },
          "Return the number of live references to graphs, nodes and values, for tests.\n\n"
          "Cost: O(root graphs).")
      .def(
          "live_graph_count",
          [](const ContextObject &self) { return geContextLiveGraphCount(self.context); },
          "Return how many root graphs are alive, for tests. Cost: O(1).");
}

void defineDiagnostics(nb::class_<ContextObject> &context) {
  context
      .def(
          "attach_diagnostic_handler",
          [](nb::handle_t<ContextObject> self, nb::callable callback) {
            nb::object object = nb::steal(checked(allocate(
                reinterpret_cast<PyTypeObject *>(nb::type<DiagnosticHandlerObject>().ptr()))));
            auto &handler = payload<DiagnosticHandlerObject>(object.ptr());
            handler.context = Py_NewRef(self.ptr());
            ContextState &state = handler.state();
            state.handlers.reserve(state.handlers.size() + 1);
            PyObject *held = Py_NewRef(callback.ptr());
            GeStatus s = geContextAttachDiagnosticHandler(state.context(), callHandler, held,
                                                          dropHandler, &handler.token);
            if (s) {
              Py_DECREF(held);
              throwStatus(s);
            }
            state.handlers.push_back({handler.token, held});
            return object;
          },
          nb::arg("callback"),
          nb::sig("def attach_diagnostic_handler(self, callback: "
                  "collections.abc.Callable[[Diagnostic], object]) -> DiagnosticHandler"),
          "Call ``callback(diagnostic)`` for each warning and remark, and for errors before they "
          "are "
          "raised.\n\n"
          "Parameters\n----------\ncallback\n    Takes a `Diagnostic`. If the result is false, "
          "the handler attached before is called, too.\n"
          "    Exceptions propagate from the call that emitted the diagnostic.\n\n"
          "Returns\n-------\nDiagnosticHandler\n    Attached until ``detach()`` or the end of its "
          "``with`` block, as long as the context\n"
          "    lives.")
      .def(
          "emit",
          [](const ContextObject &self, nb::str message, std::string_view severity,
             nb::object loc) {
            GeStringRef text;
            GeLocation location = geLocationUnknown(self.context);
            if (!toText(message.ptr(), "message", text))
              throw nb::python_error();
            if (!loc.is_none()) {
              if (!isLocation(loc.ptr()))
                checked(raiseType("loc", "a Location or None", loc.ptr()));
              location = payload<LocationObject>(loc.ptr()).ref;
            }
            bool handled = false;
            check(afterCallbacks(
                geContextEmit(self.context, severityOf(severity), location, text, &handled)));
            return handled;
          },
          nb::arg("message"), nb::kw_only(), nb::arg("severity") = "remark",
          nb::arg("loc") = nb::none(),
          nb::sig("def emit(self, message: str, *, severity: str = 'remark', loc: Location | None "
                  "= None) -> bool"),
          "Send a diagnostic to the handlers; return whether one took it.\n\n"
          "Raises\n------\nValueError\n    For another severity than error, warning, remark or "
          "note.")
      .def("__repr__", [](const ContextObject &self) {
        return nb::str("<context: %i graphs, %i handles>")
            .attr("__mod__")(nb::make_tuple(geContextLiveGraphCount(self.context),
                                            geContextLiveHandleCount(self.context)));
      });
}

} // namespace

void populateContext(nb::module_ &m) {
  nb::class_<ContextObject> context(
      m, "Context", nb::is_final(), nb::type_slots(slots),
      "Interner of types, attributes, operator names and locations, with diagnostic handlers.\n\n"
      "One default context always exists; ``with Context():`` makes another the current one. "
      "Objects of\n"
      "different contexts do not mix: that is a clear error. Everything made in a context keeps it "
      "alive.");
  defineProperties(context);
  defineDiagnostics(context);
}

void populateDiagnostics(nb::module_ &m) {
  declareConstructor("Context", {"def __init__(self) -> None"});
  nb::class_<DiagnosticHandlerObject>(
      m, "DiagnosticHandler", nb::is_final(), nb::type_slots(handlerSlots),
      "A function that gets the diagnostics of a context; see\n"
      "`Context.attach_diagnostic_handler`. Detaches itself at the end of a\n"
      "``with`` block.")
      .def_prop_ro(
          "attached", [](const DiagnosticHandlerObject &self) { return self.attached(); },
          "Whether it still gets diagnostics.")
      .def(
          "detach", [](DiagnosticHandlerObject &self) { self.detach(); },
          "Get no more diagnostics. Detaching twice is fine.")
      .def(
          "__enter__", [](nb::handle_t<DiagnosticHandlerObject> self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> DiagnosticHandler"))
      .def(
          "__exit__", [](DiagnosticHandlerObject &self, nb::args) { self.detach(); },
          nb::sig("def __exit__(self, *args: object) -> None"));
}

} // namespace ge::python
