//===- Library.cpp - what one author adds to a namespace ---------------------------------------===//
#include "Function.h"
#include "KernelCall.h"
#include "KernelObject.h"
#include "PopulateOps.h"

#include "../IR/Gil.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <vector>

namespace ge::python {

namespace {

constexpr const char *kLibraryKinds[] = {"DEF", "FRAGMENT", "IMPL"};

/// For each namespace, the location where a library of it was closed last.
nb::dict &closedPlaces() {
  static nb::dict &places = *new nb::dict();
  return places;
}

struct LibraryObject {
  GeLibrary *ref = nullptr;
  bool isChild = false; ///< owned by its parent: neither closed nor released here
  LibraryObject() = default;
  LibraryObject(const LibraryObject &) = delete;
  ~LibraryObject() {
    if (isChild)
      return;
    // While the interpreter ends, the hooks have lost the globals of their modules; what they would
    // clear ends, too.
    if (ref && !geLibraryIsClosed(ref) && !Py_IsInitialized())
      static_cast<void>(geLibraryClose(ref));
    else if (ref && !geLibraryIsClosed(ref))
      closeQuietly();
    geLibraryRelease(ref);
  }
  /// Callables that were created for the operators are dropped.
  void close() {
    if (geLibraryIsClosed(ref))
      return;
    Caller caller;
    std::string where(caller.file.data, caller.file.length);
    nb::str place((where + ":" + std::to_string(caller.line)).c_str());
    std::vector<nb::str> spaces = {str(geLibraryGetNamespace(ref))};
    for (size_t i = 0; i < geLibraryNumChildren(ref); ++i) {
      GeLibrary *child = nullptr;
      check(geLibraryGetChild(ref, i, &child));
      spaces.push_back(str(geLibraryGetNamespace(child)));
    }
    check(geLibraryClose(ref));
    for (const nb::str &space : spaces)
      closedPlaces()[space] = place;
    for (PyObject *hook : {hooks.closed, hooks.classesClosed})
      for (const nb::str &space : spaces)
        if (hook)
          nb::borrow(hook)(space);
  }

private:
  /// The library may be destroyed while an exception is propagating, which the hooks must not see.
  void closeQuietly() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    try {
      close();
    } catch (nb::python_error &e) {
      e.discard_as_unraisable(GE_PYTHON_PACKAGE ".ops.Library");
    }
    PyErr_Restore(type, value, trace);
  }
};

/// A shared library of operators and kernels (ge/library.h).
LibraryObject *loadLibrary(const nb::bytes &path, nb::str ns) {
  auto made = std::make_unique<LibraryObject>();
  GeStringRef file = {path.c_str(), path.size()}, space = ref(ns);
  GeStatus status;
  {
    GilRelease released;
    status = geLibraryLoad(geRegistryGlobal(), file, space, &made->ref);
  }
  check(afterCallbacks(status));
  return made.release();
}

GeLibraryKind kindOf(const std::string &name) {
  for (size_t i = 0; i < std::size(kLibraryKinds); ++i)
    if (name == kLibraryKinds[i])
      return GeLibraryKind(i);
  throw nb::value_error("kind must be 'DEF', 'FRAGMENT' or 'IMPL'");
}

/// Owned until geOpSpecFinish or geLibraryDefineSpec takes ownership.
struct Spec {
  GeOpSpec *ref = nullptr;
  ~Spec() { geOpSpecDestroy(ref); }
  GeOpSpec *take() { return std::exchange(ref, nullptr); }
};

/// Properties of parameters and results that the schema text has no syntax for: given by name, set
/// together.
class Extras {
public:
  explicit Extras(GeOpDef parsed) : parsed_(parsed) {
    GeOpInfo info;
    check(geOpDefGetInfo(parsed, &info));
    params_.resize(info.numParams, {sizeof(GeSlotExtra), {"", 0}, false, true, 0, -1});
    results_.resize(info.numResults, {sizeof(GeSlotExtra), {"", 0}, false, true, 0, -1});
  }
  /// Applies to a parameter, or to a result by its name or index.
  GeSlotExtra &at(nb::handle key, const char *what) {
    if (PyLong_Check(key.ptr())) {
      auto index = nb::cast<int64_t>(key);
      if (index < 0 || size_t(index) >= results_.size())
        fail(what, "no result " + std::to_string(index));
      return results_[size_t(index)];
    }
    GeStringRef name = ref(nb::cast<nb::str>(key));
    if (int64_t index = geOpDefFindParam(parsed_, name); index >= 0)
      return params_[size_t(index)];
    int64_t index = geOpDefFindResult(parsed_, name);
    if (index < 0)
      fail(what, "no parameter or result '" + std::string(name.data, name.length) + "'");
    return results_[size_t(index)];
  }
  size_t param(nb::handle key, const char *what) const {
    GeStringRef name = ref(nb::cast<nb::str>(key));
    int64_t index = geOpDefFindParam(parsed_, name);
    if (index < 0)
      fail(what, "no parameter '" + std::string(name.data, name.length) + "'");
    return size_t(index);
  }
  void set(GeOpSpec *spec) const {
    for (size_t i = 0; i < params_.size(); ++i)
      check(geOpSpecSetSlot(spec, false, i, &params_[i]));
    for (size_t i = 0; i < results_.size(); ++i)
      check(geOpSpecSetSlot(spec, true, i, &results_[i]));
  }

private:
  [[noreturn]] static void fail(const char *what, const std::string &text) {
    throw nb::value_error((std::string(what) + ": there is " + text).c_str());
  }
  GeOpDef parsed_;
  std::vector<GeSlotExtra> params_, results_;
};

/// The arguments of Library.define besides the schema; each may be None. Copies, because iterating
/// over an element may run code that edits the caller's dicts.
struct Constraints {
  nb::dict docs, choices, ranges, typeVars, types;
  Constraints(nb::handle docs, nb::handle choices, nb::handle ranges, nb::handle typeVars,
              nb::handle types)
      : docs(copied(docs)), choices(copied(choices)), ranges(copied(ranges)),
        typeVars(copied(typeVars)), types(copied(types)) {}
  bool any() const {
    return !(docs.empty() && choices.empty() && ranges.empty() && typeVars.empty() &&
             types.empty());
  }

private:
  static nb::dict copied(nb::handle given) {
    return given.is_none()
               ? nb::dict()
               : nb::steal<nb::dict>(checked(PyDict_Copy(nb::cast<nb::dict>(given).ptr())));
  }
};

/// Type variables, and the operands and results that have them.
void addTypeVars(GeOpSpec *spec, const Constraints &given, Extras &extras) {
  nb::dict numbers;
  for (auto [name, allowed] : given.typeVars) {
    std::vector<nb::str> texts;
    std::vector<GeStringRef> refs;
    if (PyUnicode_Check(allowed.ptr()))
      throw nb::type_error("type_vars: the allowed types are a sequence, such as ['f32', 'f16']");
    for (nb::handle type : nb::borrow<nb::object>(allowed))
      texts.push_back(nb::str(type));
    for (const nb::str &text : texts)
      refs.push_back(ref(text));
    int32_t index = -1;
    check(geOpSpecAddTypeVar(spec, ref(nb::cast<nb::str>(name)), refs.data(), refs.size(), {"", 0},
                             &index));
    numbers[name] = nb::int_(index);
  }
  for (auto [slot, name] : given.types) {
    if (!numbers.contains(name))
      throw nb::value_error(
          ("types: there is no type variable '" + std::string(nb::str(name).c_str()) + "'")
              .c_str());
    extras.at(slot, "types").typeVar = nb::cast<int32_t>(numbers[name]);
  }
}

void addRange(GeOpSpec *spec, size_t param, nb::handle range) {
  auto [low, high, isLowOpen, isHighOpen] = nb::cast<std::tuple<double, double, bool, bool>>(
      importModule(GE_PYTHON_PACKAGE ".ops._range").attr("bounds_of")(range));
  check(geOpSpecSetRange(spec, param, low, high, isLowOpen, isHighOpen));
}

void addConstraints(GeOpSpec *spec, GeOpDef parsed, const Constraints &given) {
  Extras extras(parsed);
  for (auto [key, value] : given.docs)
    extras.at(key, "docs").doc = ref(nb::cast<nb::str>(value));
  addTypeVars(spec, given, extras);
  extras.set(spec);
  if (!given.choices.empty()) {
    nb::object text = importModule(GE_PYTHON_PACKAGE ".ops._range").attr("choices_text");
    for (auto [key, values] : given.choices)
      check(geOpSpecSetChoices(spec, extras.param(key, "choices"),
                               ref(nb::cast<nb::str>(text(values, key)))));
  }
  for (auto [key, range] : given.ranges)
    addRange(spec, extras.param(key, "ranges"), range);
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

nb::object define(nb::handle_t<LibraryObject> self, nb::str schema, nb::str doc, nb::object docs,
                  uint32_t since, nb::object traits, nb::object deprecated, nb::object where,
                  nb::object choices, nb::object ranges, nb::object typeVars, nb::object types,
                  nb::object infer, nb::object verify, nb::object evaluate, nb::object decompose) {
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
  if (Constraints given(docs, choices, ranges, typeVars, types); given.any()) {
    GeOpDef parsed;
    check(geOpDefParse(ref(schema), caller.file, caller.line, &parsed));
    OpDefObject held(parsed);
    addConstraints(spec.ref, parsed, given);
  }
  GeOpDef op;
  check(geLibraryDefineSpec(nb::cast<LibraryObject &>(self).ref, spec.take(), &op));
  nb::object record = wrapOp(op);
  const std::pair<const char *, nb::object *> functions[] = {
      {"infer", &infer}, {"verify", &verify}, {"evaluate", &evaluate}, {"decompose", &decompose}};
  for (auto [word, function] : functions)
    if (!function->is_none())
      kernelsModule().attr(word)(self, record.attr("qualified_name"), *function);
  return record;
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

void defineDefinitions(nb::class_<LibraryObject> &library) {
  library
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
           nb::arg("choices") = nb::none(), nb::arg("ranges") = nb::none(),
           nb::arg("type_vars") = nb::none(), nb::arg("types") = nb::none(),
           nb::arg("infer") = nb::none(), nb::arg("verify") = nb::none(),
           nb::arg("evaluate") = nb::none(), nb::arg("decompose") = nb::none(),
           nb::sig(
               "def define(self, schema: str, *, doc: str = '', docs: dict[str, str] | None = "
               "None, since: int = 0, traits: collections.abc.Iterable[str] = (), deprecated: "
               "bool | str | None = None, where: tuple[str, int] | None = None, "
               "choices: collections.abc.Mapping[str, collections.abc.Iterable[typing.Any]] | "
               "None = None, ranges: collections.abc.Mapping[str, typing.Any] | None = None, "
               "type_vars: collections.abc.Mapping[str, collections.abc.Iterable[typing.Any]] | "
               "None = None, types: collections.abc.Mapping[str | int, str] | None = None, infer: "
               "typing.Any = None, verify: typing.Any = None, evaluate: typing.Any = None, "
               "decompose: typing.Any = None) -> OpDef"),
           "Define an operator.\n\n"
           "Parameters\n----------\nschema : str\n    With or without ``ns::``.\n"
           "doc : str\n    What it does.\n"
           "docs : dict, optional\n    Of parameters and results, by name.\n"
           "since : int\n    Opset version that it came with.\n"
           "traits : iterable of str\n    See `OpDef.traits`.\n"
           "deprecated : bool or str, optional\n    A text says what to use instead.\n"
           "where : tuple of str and int, optional\n    File and line; None: of the caller.\n"
           "choices : dict, optional\n    Values that a parameter may have, by its name.\n"
           "ranges : dict of Range, optional\n    Numbers that a parameter may be, by its name.\n"
           "type_vars : dict, optional\n    Element types that a type variable may be, by its "
           "name: ``{\"T\": [\"f16\", \"f32\"]}``;\n    an empty list allows any.\n"
           "types : dict, optional\n    The type variable of operands and results, by their names, "
           "or a result's number: ``{\"x\": \"T\", 0: \"T\"}``.\n    Those of one variable "
           "have one element type.\n"
           "infer, verify, evaluate, decompose : callable, optional\n    As the methods of these "
           "names.\n\n"
           "Raises\n------\nOpSchemaError\n    When the schema is wrong, or the operator is there "
           "already.")
      .def("_define_reg_ops", defineRegOps, nb::arg("text"), nb::arg("file"));
}

void defineKernels(nb::class_<LibraryObject> &library) {
  library
      .def(
          "impl",
          [](nb::handle_t<LibraryObject> self, nb::handle name, nb::args args, nb::kwargs kwargs) {
            return kernelsModule().attr("impl")(self, name, *args, **kwargs);
          },
          nb::sig("def impl(self, name: str, backend: str, function: Any = None, *, as_: "
                  "typing.Literal['numpy', 'torch'] | None = None, symbol: tuple[str | "
                  "os.PathLike[str], str] | None = None, out: bool = False, strided: bool = False, "
                  "holds_gil: bool = False, override: bool = False, reads_only: bool = False) -> "
                  "Any"),
          "Register a kernel: what runs when the operator is called with arrays of a backend.\n\n"
          "Parameters\n----------\nname : str\n    Of the operator, with or without ``ns::``; an "
          "overload follows after a dot. It may be defined later.\n"
          "backend : str\n    ``\"cpu\"``, ``\"cuda\"``, ``\"npu\"``, ...; ``\"any\"`` serves all "
          "that have none of their own. ``\"reference\"``, which is no backend: on the CPU, where "
          "there is "
          "neither such a kernel nor a decomposition.\n"
          "function : callable, optional\n    None, without `symbol`: return a decorator.\n"
          "as_ : {\"numpy\", \"torch\"}, optional\n    What it gets for tensors; None: "
          "`ge.ir.Tensor`.\n"
          "out : bool\n    It writes its results into arrays that it is given last, allocated by "
          "inference, and returns None.\n"
          "symbol : tuple of path and str, optional\n    A shared library and the name of a "
          "function "
          "in it, of the type ``GeKernelFn`` of ``ge-c/Kernels.h``; the library stays loaded.\n"
          "strided : bool\n    Of a kernel in C: it takes tensors that are not compact.\n"
          "holds_gil : bool\n    Of a kernel in C: the GIL is held around it.\n"
          "override : bool\n    Replace the kernel of another library until this one is "
          "closed.\n"
          "reads_only : bool\n    With ``as_=\"torch\"``: it writes no operand that the schema "
          "does "
          "not declare, so that immutable\n    memory is not copied for it.\n\n"
          "Raises\n------\nOpSchemaError\n    If the operator has a kernel for the backend, or the "
          "function's parameters do not fit the schema.\nValueError\n    For an unknown backend.")
      .def(
          "function",
          [](nb::handle_t<LibraryObject> self, nb::handle schema, nb::args args,
             nb::kwargs kwargs) {
            return kernelsModule().attr("function")(self, schema, *args, **kwargs);
          },
          nb::sig("def function(self, schema: str, function: Any = None, *, doc: str = '') -> Any"),
          "Define a global function, an operator without tensors, with what runs: also a "
          "decorator.\n\n"
          "Parameters\n----------\nschema : str\n    ``\"relax::add1(int x) -> int\"``.\n"
          "function : callable, optional\n    None: return a decorator.\n"
          "doc : str\n    Empty: the function's docstring.\n\n"
          "Raises\n------\nOpSchemaError\n    If the schema has tensors, or the function's "
          "parameters do not fit it.");
}

/// Kernels, and the functions that accompany a kernel or replace it.
void defineImplementations(nb::class_<LibraryObject> &library) {
  defineKernels(library);
  library
      .def(
          "infer",
          [](nb::handle_t<LibraryObject> self, nb::handle name, nb::args args) {
            return kernelsModule().attr("infer")(self, name, *args);
          },
          nb::sig("def infer(self, name: str, function: Any = None) -> Any"),
          "Let a function infer the types of an operator's results: a decorator.\n\n"
          "The function gets an `OpCall` and returns a type for each result (None: unknown), or "
          "None "
          "when it\ncannot say; it raises `ge.ir.VerifyError` when the operands do not fit. GE's "
          "own "
          "inference comes first.")
      .def(
          "verify",
          [](nb::handle_t<LibraryObject> self, nb::handle name, nb::args args) {
            return kernelsModule().attr("verify")(self, name, *args);
          },
          nb::sig("def verify(self, name: str, function: Any = None) -> Any"),
          "Register a function that checks what an operator's schema cannot express: a "
          "decorator.\n\n"
          "The function gets an `OpCall` before types are inferred, and returns None, or a text "
          "that "
          "says what is wrong.")
      .def(
          "evaluate",
          [](nb::handle_t<LibraryObject> self, nb::handle name, nb::args args) {
            return kernelsModule().attr("evaluate")(self, name, *args);
          },
          nb::sig("def evaluate(self, name: str, function: Any = None) -> Any"),
          "Let a function compute an operator on constants for passes: a decorator.\n\n"
          "The function gets an `OpCall` and returns an array for each result, or None when it "
          "cannot.")
      .def(
          "decompose",
          [](nb::handle_t<LibraryObject> self, nb::handle name, nb::args args) {
            return kernelsModule().attr("decompose")(self, name, *args);
          },
          nb::sig("def decompose(self, name: str, function: Any = None) -> Any"),
          "Let a function build an operator of others, where it has no kernel: a decorator.\n\n"
          "The function gets a `Value` for each operand and the attributes, in the schema's order, "
          "and returns the results\nas it makes them with the builders of `ge.es`. Calls, "
          "``graph.run``, constant folding and\n`ge.passes.DecomposeOperators` use it.\n\n"
          "Raises\n------\nOpSchemaError\n    If the function's parameters do not fit the schema, "
          "or the operator writes an operand,\n    has subgraphs or results that are not tensors.");
}

void defineClasses(nb::class_<LibraryObject> &library) {
  library
      .def(
          "cls",
          [](nb::handle_t<LibraryObject> self, nb::args args, nb::kwargs kwargs) {
            return objectsModule().attr("register")(self, *args, **kwargs);
          },
          nb::sig("def cls(self, name: str | None = None, *, frozen: bool = False, doc: str = '') "
                  "-> typing.Any"),
          "Register a subclass of `Object`, whose key is ``<namespace>.<name>``: a decorator.\n\n"
          "The key is a type of schemas from then on. The constructor ``<key>::init``, methods and "
          "static methods\nwith type hints are records, and calls are bound by them.\n\n"
          "Parameters\n----------\nname : str, optional\n    None: the class's own.\n"
          "frozen : bool\n    Fields cannot be assigned; equality and hash are by fields.\n"
          "doc : str\n    Of the constructor; empty: the class's docstring.\n\n"
          "Raises\n------\nOpSchemaError\n    If the key is taken, or a hint of a method has no "
          "type in the schema language.\nTypeError\n    If the class is not an `Object`, or a "
          "field "
          "has a type that objects cannot hold.")
      .def(
          "_child",
          [](LibraryObject &self, nb::str ns) {
            Caller caller;
            auto made = std::make_unique<LibraryObject>();
            made->isChild = true;
            check(geLibraryOpenChild(self.ref, GE_LIBRARY_FRAGMENT, ref(ns), caller.file,
                                     caller.line, &made->ref));
            return made.release();
          },
          nb::rv_policy::take_ownership, nb::keep_alive<0, 1>());
}

void defineForeign(nb::class_<LibraryObject> &library) {
  library
      .def("_impl_c",
           [](LibraryObject &self, nb::str op, nb::str backend, nb::str sharedLibrary,
              nb::str symbol, uint32_t flags, bool overrides, nb::str file, uint32_t line) {
             implementInC(self.ref, op, backend, sharedLibrary, symbol, flags, overrides, file,
                          line);
           })
      .def("_impl",
           [](LibraryObject &self, nb::str op, nb::str backend, nb::handle kernel, uint32_t flags,
              bool overrides, nb::str file, uint32_t line) {
             implementInPython(self.ref, op, backend, kernel, flags, overrides, file, line);
           })
      .def(
          "close", [](LibraryObject &self) { self.close(); },
          "Unregister everything that it added. Closing again does nothing.")
      .def_prop_ro(
          "closed", [](const LibraryObject &self) { return geLibraryIsClosed(self.ref); },
          "Whether it was closed.")
      .def_prop_ro(
          "remarks",
          [](const LibraryObject &self) {
            nb::list all;
            check(geLibraryGetRemarks(
                self.ref,
                [](GeStringRef text, void *list) {
                  static_cast<nb::list *>(list)->append(str(text));
                },
                &all));
            return nb::tuple(all);
          },
          nb::sig("def remarks(self) -> tuple[str, ...]"),
          "Remarks about registrations of a shared library that are not used.")
      .def_prop_ro("_spaces",
                   [](const LibraryObject &self) {
                     nb::list all;
                     for (size_t i = 0; i < geLibraryNumChildren(self.ref); ++i) {
                       GeLibrary *child = nullptr;
                       check(geLibraryGetChild(self.ref, i, &child));
                       all.append(str(geLibraryGetNamespace(child)));
                     }
                     return all;
                   })
      .def_prop_ro(
          "kind",
          [](const LibraryObject &self) { return kLibraryKinds[geLibraryGetKind(self.ref)]; },
          "``\"DEF\"``, ``\"FRAGMENT\"`` or ``\"IMPL\"``.")
      .def_prop_ro(
          "namespace",
          [](const LibraryObject &self) { return str(geLibraryGetNamespace(self.ref)); },
          "Its namespace.")
      .def(
          "__enter__", [](nb::handle_t<LibraryObject> self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> typing.Self"))
      .def(
          "__exit__", [](LibraryObject &self, nb::args) { self.close(); },
          nb::sig("def __exit__(self, *args: object) -> None"))
      .def("__repr__", [](const LibraryObject &self) {
        GeStringRef ns = geLibraryGetNamespace(self.ref);
        std::string text = "<Library '" + std::string(ns.data, ns.length) + "' ";
        text += kLibraryKinds[geLibraryGetKind(self.ref)];
        return str(text + (geLibraryIsClosed(self.ref) ? ", closed>" : ">"));
      });
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
  m.attr("_closed") = closedPlaces();
  m.def("_load_library", loadLibrary, nb::arg("path"), nb::arg("namespace"));
  nb::class_<LibraryObject> library(
      m, "Library", nb::is_final(), nb::is_weak_referenceable(),
      "Registrations of one author in a namespace, which end when the library is closed.\n\n"
      "Parameters\n----------\nnamespace : str\nkind : {\"DEF\", \"FRAGMENT\", \"IMPL\"}\n"
      "    DEF is the home of a namespace, which has one; FRAGMENT adds to one that another "
      "library "
      "may own;\n    IMPL holds kernels only.\n\n"
      "Raises\n------\nOpSchemaError\n    For a second DEF of a namespace, with both places.\n\n"
      "Closed by `close`, by leaving its ``with``, or with its last reference; this unregisters "
      "what it added.\n"
      "Records stay valid.");
  defineDefinitions(library);
  defineImplementations(library);
  defineClasses(library);
  defineForeign(library);
}

} // namespace ge::python
