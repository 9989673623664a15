//===- Library.cpp - what one author adds to a namespace ---------------------------------------===//
#include "Function.h"
#include "Populate.h"

#include <nanobind/stl/string.h>

namespace ge::python {

namespace {

constexpr const char *kKinds[] = {"DEF", "FRAGMENT", "IMPL"};

struct LibraryObject {
  GeLibrary *ref = nullptr;
  LibraryObject() = default;
  LibraryObject(const LibraryObject &) = delete;
  ~LibraryObject() {
    if (ref && !geLibraryIsClosed(ref))
      closeQuietly();
    geLibraryRelease(ref);
  }
  /// Whoever made functions of the operators forgets them.
  void close() {
    if (geLibraryIsClosed(ref))
      return;
    nb::str ns = str(geLibraryGetNamespace(ref));
    check(geLibraryClose(ref));
    if (hooks.closed)
      nb::borrow(hooks.closed)(ns);
  }

private:
  void closeQuietly() {
    try {
      close();
    } catch (nb::python_error &e) {
      e.discard_as_unraisable("ge.ops.Library");
    }
  }
};

GeLibraryKind kindOf(const std::string &name) {
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (name == kKinds[i])
      return GeLibraryKind(i);
  throw nb::value_error("kind must be 'DEF', 'FRAGMENT' or 'IMPL'");
}

/// Owned until geOpSpecFinish or geLibraryDefineSpec takes it.
struct Spec {
  GeOpSpec *ref = nullptr;
  ~Spec() { geOpSpecDestroy(ref); }
  GeOpSpec *take() { return std::exchange(ref, nullptr); }
};

/// Docs of the parameters and results that a dict names.
void addDocs(GeOpSpec *spec, GeOpDef parsed, const nb::dict &docs) {
  for (auto [key, value] : docs) {
    GeStringRef name = ref(nb::cast<nb::str>(key));
    int64_t index = geOpDefFindParam(parsed, name);
    bool isResult = index < 0;
    if (isResult)
      index = geOpDefFindResult(parsed, name);
    if (index < 0)
      throw nb::value_error(
          ("docs: there is no parameter or result '" + std::string(name.data, name.length) + "'")
              .c_str());
    GeSlotExtra extra{ref(nb::cast<nb::str>(value)), false, true, 0, -1};
    check(geOpSpecSetSlot(spec, isResult, size_t(index), &extra));
  }
}

uint32_t traitsOf(nb::handle names) {
  uint32_t bits = 0;
  for (nb::handle name : names) {
    std::string_view text = nb::cast<std::string_view>(name);
    std::string known;
    uint32_t found = 0;
    for (uint32_t bit = 1; !found; bit <<= 1) {
      GeStringRef trait = geOpTraitName(GeOpTrait(bit));
      if (!trait.length)
        throw nb::value_error(("traits: '" + std::string(text) + "' is none of " + known).c_str());
      std::string_view word(trait.data, trait.length);
      known.append(known.empty() ? "" : ", ").append(word);
      found = word == text ? bit : 0;
    }
    bits |= found;
  }
  return bits;
}

nb::object define(LibraryObject &self, nb::str schema, nb::str doc, nb::object docs, uint32_t since,
                  nb::object traits, nb::object deprecated, nb::object where) {
  Caller caller;
  if (!where.is_none()) {
    caller.held = where[0];
    caller.file = ref(nb::cast<nb::str>(caller.held));
    caller.line = nb::cast<uint32_t>(where[1]);
  }
  Spec spec;
  check(geOpSpecCreate(ref(schema), caller.file, caller.line, &spec.ref));
  check(geOpSpecSetDoc(spec.ref, ref(doc)));
  check(geOpSpecSetSince(spec.ref, since));
  check(geOpSpecSetTraits(spec.ref, traitsOf(traits)));
  if (!deprecated.is_none()) {
    bool isText = PyUnicode_Check(deprecated.ptr());
    check(geOpSpecSetDeprecated(spec.ref, isText || nb::cast<bool>(deprecated),
                                isText ? ref(nb::cast<nb::str>(deprecated)) : GeStringRef{"", 0}));
  }
  if (!docs.is_none()) {
    GeOpDef parsed;
    check(geOpDefParse(ref(schema), caller.file, caller.line, &parsed));
    OpDefObject held(parsed);
    addDocs(spec.ref, parsed, nb::cast<nb::dict>(docs));
  }
  GeOpDef op;
  check(geLibraryDefineSpec(self.ref, spec.take(), &op));
  return wrapOp(op);
}

nb::object defineRegOps(LibraryObject &self, nb::str text, nb::str file) {
  nb::list reports;
  size_t count = 0;
  check(afterCallbacks(geLibraryDefineRegOps(
      self.ref, ref(text), ref(file),
      [](const GeDiagnostic *d, void *list) {
        try {
          static_cast<nb::list *>(list)->append(newDiagnostic(*d));
        } catch (nb::python_error &e) {
          e.restore();
          keepException();
        }
      },
      &reports, &count)));
  return nb::make_tuple(count, nb::tuple(reports));
}

} // namespace

Caller::Caller() {
  PyFrameObject *frame = PyEval_GetFrame(); // borrowed
  if (!frame)
    return;
  nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(frame)));
  held = code.attr("co_filename");
  if (PyUnicode_Check(held.ptr()) && toText(held.ptr(), "file", file))
    line = uint32_t(std::max(PyFrame_GetLineNumber(frame), 0));
  PyErr_Clear();
}

void populateLibrary(nb::module_ &m) {
  nb::class_<LibraryObject>(
      m, "Library", nb::is_final(), nb::is_weak_referenceable(),
      "What one author adds to a namespace, as long as it is open.\n\n"
      "Parameters\n----------\nnamespace : str\nkind : {\"DEF\", \"FRAGMENT\", \"IMPL\"}\n"
      "    DEF is the home of a namespace, which has one; FRAGMENT adds to one that somebody else "
      "may own;\n    IMPL holds kernels only.\n\n"
      "Raises\n------\nOpSchemaError\n    For a second DEF of a namespace, with both places.\n\n"
      "Closed by `close`, by leaving its ``with``, or with its last reference; what it added goes "
      "then.\n"
      "Records that somebody holds stay.")
      .def(
          "__init__",
          [](LibraryObject *self, nb::str ns, const std::string &kind) {
            new (self) LibraryObject();
            Caller caller;
            GeLibraryKind number = kindOf(kind);
            check(geLibraryOpen(geRegistryGlobal(), number, ref(ns), caller.file, caller.line,
                                &self->ref));
          },
          nb::arg("namespace"), nb::arg("kind") = "DEF",
          nb::sig("def __init__(self, namespace: str, kind: typing.Literal['DEF', 'FRAGMENT', "
                  "'IMPL'] = 'DEF') -> None"))
      .def("define", define, nb::arg("schema"), nb::kw_only(), nb::arg("doc") = "",
           nb::arg("docs") = nb::none(), nb::arg("since") = 0, nb::arg("traits") = nb::make_tuple(),
           nb::arg("deprecated") = nb::none(), nb::arg("where") = nb::none(),
           nb::sig("def define(self, schema: str, *, doc: str = '', docs: dict[str, str] | None = "
                   "None, since: int = 0, traits: collections.abc.Iterable[str] = (), deprecated: "
                   "bool | str | None = None, where: tuple[str, int] | None = None) -> OpDef"),
           "Define an operator.\n\n"
           "Parameters\n----------\nschema : str\n    With or without ``ns::``.\n"
           "doc : str\n    What it does.\n"
           "docs : dict, optional\n    Of parameters and results, by name.\n"
           "since : int\n    Opset version that it came with.\n"
           "traits : iterable of str\n    See `OpDef.traits`.\n"
           "deprecated : bool or str, optional\n    A text says what to use instead.\n"
           "where : tuple of str and int, optional\n    File and line; None: of the caller.\n\n"
           "Raises\n------\nOpSchemaError\n    When the schema is wrong, or the operator is there "
           "already.")
      .def("_define_reg_ops", defineRegOps, nb::arg("text"), nb::arg("file"))
      .def(
          "close", [](LibraryObject &self) { self.close(); },
          "Take out all that it added. Closing again does nothing.")
      .def_prop_ro(
          "closed", [](const LibraryObject &self) { return geLibraryIsClosed(self.ref); },
          "Whether it was closed.")
      .def_prop_ro(
          "kind", [](const LibraryObject &self) { return kKinds[geLibraryGetKind(self.ref)]; },
          "``\"DEF\"``, ``\"FRAGMENT\"`` or ``\"IMPL\"``.")
      .def_prop_ro(
          "namespace",
          [](const LibraryObject &self) { return str(geLibraryGetNamespace(self.ref)); },
          "Its namespace.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> typing.Self"))
      .def(
          "__exit__", [](LibraryObject &self, nb::args) { self.close(); },
          nb::sig("def __exit__(self, *args: object) -> None"))
      .def("__repr__", [](const LibraryObject &self) {
        GeStringRef ns = geLibraryGetNamespace(self.ref);
        std::string text = "<Library '" + std::string(ns.data, ns.length) + "' ";
        text += kKinds[geLibraryGetKind(self.ref)];
        return str(text + (geLibraryIsClosed(self.ref) ? ", closed>" : ">"));
      });
}

} // namespace ge::python
