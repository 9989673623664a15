//===- Origins.cpp - where nodes come from -----------------------------------------------------===//
#include "Origins.h"

#include "Convert.h"
#include "Errors.h"
#include "PopulateIR.h"
#include "Scope.h"

namespace ge::python {

namespace {

/// A copy, because the node may get other origins or be erased.
struct OriginCopy {
  std::string node;
  nb::object op, pass, rule, location;
};

/// `with trace_origins():`
struct TraceOrigins {
  int entered = 0;
};

nb::object text(GeIdentifier identifier) { return nb::steal(checked(newText(identifier))); }

GeIdentifier identifierOf(ContextState &state, nb::handle object, const char *what) {
  if (object.is_none())
    return nullptr;
  GeIdentifier identifier = state.identifier(object.ptr(), what);
  if (!identifier)
    throw nb::python_error();
  return identifier;
}

} // namespace

PyObject *originsOf(PyObject *self, void *) {
  GeNodeRef *node = payload<NodeObject>(self).ref;
  try {
    size_t count;
    check(geNodeNumOrigins(node, &count));
    nb::list origins;
    for (size_t i = 0; i < count; ++i) {
      GeOrigin o;
      check(geNodeGetOrigin(node, i, &o));
      OriginCopy copy{std::string(o.node.data, o.node.length),
                      o.op ? text(geOperatorNameFull(o.op)) : nb::object(nb::none()), text(o.pass),
                      text(o.rule),
                      o.location ? nb::steal(checked(wrapLocation(o.location)))
                                 : nb::object(nb::none())};
      origins.append(nb::cast(std::move(copy)));
    }
    return nb::tuple(origins).release().ptr();
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

void addOrigin(nb::handle_t<NodeObject> self, nb::str node, nb::handle op, nb::handle pass,
               nb::handle rule, nb::handle location) {
  GeNodeRef *ref = payload<NodeObject>(self.ptr()).ref;
  ContextState &state = stateOf(ref);
  GeOrigin origin{};
  if (!toText(node.ptr(), "node", origin.node))
    throw nb::python_error();
  if (!op.is_none() && !(origin.op = state.operatorName(op.ptr())))
    throw nb::python_error();
  origin.pass = identifierOf(state, pass, "pass_name");
  origin.rule = identifierOf(state, rule, "rule");
  if (!location.is_none()) {
    if (!isLocation(location.ptr()))
      checked(raiseType("location", "a Location or None", location.ptr()));
    origin.location = payload<LocationObject>(location.ptr()).ref;
  }
  check(geNodeAddOrigin(ref, &origin));
}

void populateOrigins(nb::module_ &m) {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)}, {0, nullptr}};
  nb::class_<OriginCopy>(m, "Origin", nb::is_final(), nb::type_slots(slots),
                         "One of the places that a node came from; an element of ``node.origins``.")
      .def_prop_ro(
          "node",
          [](const OriginCopy &o) { return nb::steal(checked(newText(stringRef(o.node)))); },
          nb::for_getter(nb::sig("def node(self, /) -> str")),
          "Name of the node that it replaced; empty if it replaced none.")
      .def_prop_ro(
          "op", [](const OriginCopy &o) { return o.op; },
          nb::for_getter(nb::sig("def op(self, /) -> str | None")),
          "Operator of that node, or None.")
      .def_prop_ro(
          "pass_name", [](const OriginCopy &o) { return o.pass; },
          nb::for_getter(nb::sig("def pass_name(self, /) -> str | None")),
          "The pass that did it, or None.")
      .def_prop_ro(
          "rule", [](const OriginCopy &o) { return o.rule; },
          nb::for_getter(nb::sig("def rule(self, /) -> str | None")),
          "The rule of the pass, or None.")
      .def_prop_ro(
          "location", [](const OriginCopy &o) { return o.location; },
          nb::for_getter(nb::sig("def location(self, /) -> Location | None")),
          "The line of code that built it, or None; see `trace_origins`.")
      .def("__repr__", [](const OriginCopy &o) {
        return nb::steal(PyUnicode_FromFormat("<origin: node '%s' (%S), pass %S, rule %S, %S>",
                                              o.node.c_str(), o.op.ptr(), o.pass.ptr(),
                                              o.rule.ptr(), o.location.ptr()));
      });
  nb::class_<TraceOrigins>(m, "_TraceOrigins", nb::is_final(), nb::type_slots(slots))
      .def(
          "__enter__",
          [](nb::handle_t<TraceOrigins> self) {
            ++nb::inst_ptr<TraceOrigins>(self)->entered;
            ++TracedEdit::tracing;
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> typing.Self"))
      .def(
          "__exit__",
          [](TraceOrigins &self, nb::args) {
            if (self.entered > 0) {
              --self.entered;
              --TracedEdit::tracing;
            }
          },
          nb::sig("def __exit__(self, *args: object) -> None"));
  m.def(
      "trace_origins", [] { return TraceOrigins(); },
      nb::sig("def trace_origins() -> contextlib.AbstractContextManager[object]"),
      "Return a context manager inside which each edit records the file and line of the Python "
      "code that does it:\n"
      "in the origins of nodes made, and in the reasons of nodes erased.\n\n"
      "Holds for all threads. Costs some 0.2 us for each edit, and nothing outside.");
}

} // namespace ge::python
