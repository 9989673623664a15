//===- Locations.cpp - Location ----------------------------------------------------------------===//
#include "Convert.h"
#include "Errors.h"
#include "PopulateIR.h"
#include "Scope.h"

#include <vector>

namespace ge::python {

namespace {

PyMethodDef methods[] = {scopeEnter, scopeExit, {nullptr, nullptr, 0, nullptr}};

PyObject *compare(PyObject *a, PyObject *b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !isLocation(b)) {
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
  }
  bool equal = payload<LocationObject>(a).ref == payload<LocationObject>(b).ref;
  return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_hash_t hash(PyObject *self) {
  return Py_hash_t(reinterpret_cast<uintptr_t>(payload<LocationObject>(self).ref) >> 4);
}

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_tp_methods, methods},
                       {Py_tp_richcompare, slot<compare>()},
                       {Py_tp_hash, slot<hash>()},
                       {0, nullptr}};

nb::object wrapped(GeLocation location) { return nb::steal(checked(wrapLocation(location))); }

GeContext *contextOf(nb::handle argument) {
  GeContext *context = resolveContext(argument.ptr());
  if (!context)
    throw nb::python_error();
  return context;
}

GeLocation locationOf(nb::handle object) {
  if (!isLocation(object.ptr()))
    checked(raiseType("location", "a Location", object.ptr()));
  return payload<LocationObject>(object.ptr()).ref;
}

GeStringRef textOf(nb::handle object, const char *what) {
  GeStringRef text;
  if (!toText(object.ptr(), what, text))
    throw nb::python_error();
  return text;
}

nb::tuple partsOf(GeLocation location) {
  nb::list parts;
  for (size_t i = 0; i < geLocationNumParts(location); ++i) {
    GeLocation part;
    check(geLocationGetPart(location, i, &part));
    parts.append(wrapped(part));
  }
  return nb::tuple(parts);
}

void defineMakers(nb::class_<LocationObject> &location) {
  location
      .def_static(
          "unknown",
          [](nb::object context) { return wrapped(geLocationUnknown(contextOf(context))); },
          nb::arg("context") = nb::none(),
          nb::sig("def unknown(context: Context | None = None) -> Location"),
          "The location that says nothing.")
      .def_static(
          "file",
          [](nb::object name, uint32_t line, uint32_t column, nb::object context) {
            GeLocation result;
            check(geLocationFile(contextOf(context), textOf(name, "name"), line, column, &result));
            return wrapped(result);
          },
          nb::arg("name"), nb::arg("line") = 0, nb::arg("col") = 0, nb::arg("context") = nb::none(),
          nb::sig("def file(name: str, line: int = 0, col: int = 0, context: Context | None = "
                  "None) -> Location"),
          "A position in a file; line and column count from 1, 0 is unknown.")
      .def_static(
          "name",
          [](nb::object name, nb::object child, nb::object context) {
            GeLocation inner = child.is_none() ? nullptr : locationOf(child);
            GeContext *home =
                inner && context.is_none() ? geLocationGetContext(inner) : contextOf(context);
            GeLocation result;
            check(geLocationName(home, textOf(name, "name"), inner, &result));
            return wrapped(result);
          },
          nb::arg("name"), nb::arg("child") = nb::none(), nb::arg("context") = nb::none(),
          nb::sig("def name(name: str, child: Location | None = None, context: Context | None = "
                  "None) -> Location"),
          "A name, with the location it is at, if any.")
      .def_static(
          "fused",
          [](nb::object locations, nb::object context) {
            Items items;
            if (!items.load(locations.ptr(), "locations", "a sequence of Location"))
              throw nb::python_error();
            std::vector<GeLocation> parts;
            for (Py_ssize_t i = 0; i < items.size(); ++i)
              parts.push_back(locationOf(items[i]));
            GeContext *home = !parts.empty() && context.is_none() ? geLocationGetContext(parts[0])
                                                                  : contextOf(context);
            GeLocation result;
            check(geLocationFused(home, parts.data(), parts.size(), &result));
            return wrapped(result);
          },
          nb::arg("locations"), nb::arg("context") = nb::none(),
          nb::sig("def fused(locations: collections.abc.Sequence[Location], context: Context | "
                  "None = None) -> Location"),
          "Several locations; nested ones, repeats and unknowns are taken out. Cost: "
          "O(locations).");
}

void defineProperties(nb::class_<LocationObject> &location) {
  location
      .def_prop_ro_static(
          "current",
          [](nb::handle) {
            GeContext *context = currentContext();
            GeLocation found;
            if (!context || !resolveLocation(context, nullptr, found))
              throw nb::python_error();
            return wrapped(found ? found : geLocationUnknown(context));
          },
          nb::sig("def current(self, /) -> Location"),
          "The location of the innermost ``with``, else the unknown one.")
      .def_prop_ro(
          "kind",
          [](const LocationObject &l) {
            static const char *const names[] = {"unknown", "file", "name", "fused"};
            return names[geLocationGetKind(l.ref)];
          },
          "``\"unknown\"``, ``\"file\"``, ``\"name\"`` or ``\"fused\"``.")
      .def_prop_ro(
          "text",
          [](const LocationObject &l) {
            return nb::steal<nb::str>(checked(newText(geLocationGetText(l.ref))));
          },
          nb::for_getter(nb::sig("def text(self, /) -> str")),
          "The file of a file location, the name of a name location, else empty.")
      .def_prop_ro(
          "line", [](const LocationObject &l) { return geLocationGetLine(l.ref); },
          "Line, from 1; 0 when unknown.")
      .def_prop_ro(
          "col", [](const LocationObject &l) { return geLocationGetColumn(l.ref); },
          "Column, from 1; 0 when unknown.")
      .def_prop_ro(
          "parts", [](const LocationObject &l) { return partsOf(l.ref); },
          nb::for_getter(nb::sig("def parts(self, /) -> tuple[Location, ...]")),
          "Parts of a fused location; the child of a name location, if any.")
      .def_prop_ro(
          "context",
          [](const LocationObject &l) {
            return nb::steal(checked(wrapContext(geLocationGetContext(l.ref))));
          },
          nb::for_getter(nb::sig("def context(self, /) -> Context")),
          "The context it is interned in.");
}

void defineProtocols(nb::class_<LocationObject> &location) {
  location
      .def("__str__",
           [](const LocationObject &l) {
             std::string text;
             geLocationPrint(l.ref, appendTo, &text);
             return nb::steal<nb::str>(checked(newText(stringRef(text))));
           })
      .def("__repr__",
           [](const LocationObject &l) {
             std::string text;
             geLocationPrint(l.ref, appendTo, &text);
             return nb::steal<nb::str>(
                 checked(PyUnicode_FromFormat("<location %s>", text.c_str())));
           })
      .def(
          "__reduce__",
          [](nb::handle_t<LocationObject> self) {
            GeLocation l = payload<LocationObject>(self.ptr()).ref;
            nb::object restore = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("location");
            nb::object text = nb::steal(checked(newText(geLocationGetText(l))));
            nb::tuple parts = partsOf(l);
            nb::tuple arguments = nb::make_tuple("unknown");
            if (geLocationGetKind(l) == GE_LOCATION_FILE)
              arguments =
                  nb::make_tuple("file", text, geLocationGetLine(l), geLocationGetColumn(l));
            else if (geLocationGetKind(l) == GE_LOCATION_FUSED)
              arguments = nb::make_tuple("fused", parts);
            else if (geLocationGetKind(l) == GE_LOCATION_NAME && !parts.empty())
              arguments = nb::make_tuple("name", text, parts[0]);
            else if (geLocationGetKind(l) == GE_LOCATION_NAME)
              arguments = nb::make_tuple("name", text);
            return nb::make_tuple(restore, arguments);
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def(
          "__copy__", [](nb::handle_t<LocationObject> self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Location"))
      .def(
          "__deepcopy__",
          [](nb::handle_t<LocationObject> self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: object) -> Location"));
}

} // namespace

void populateLocations(nb::module_ &m) {
  nb::class_<LocationObject> location(
      m, "Location", nb::is_final(), nb::type_slots(slots),
      "Where something came from: a file position, a name, or several of these. Immutable; equal "
      "ones\n"
      "compare equal. ``with location:`` gives it to every node created inside.");
  defineMakers(location);
  defineProperties(location);
  defineProtocols(location);
}

} // namespace ge::python
