//===- Module.cpp - Module ---------------------------------------------------------------------===//
#include "AttributeMap.h"
#include "Members.h"
#include "Missing.h"
#include "Paths.h"
#include "PopulateIR.h"
#include "Scope.h"
#include "TextOf.h"

#include "ge-c/Ops.h"

#include <memory>

namespace ge::python {

namespace {

GeModule *refOf(PyObject *self) { return payload<ModuleObject>(self).ref; }
GeModule *refOf(nb::handle self) { return refOf(self.ptr()); }

PyObject *newModule(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"name", "context", nullptr};
  PyObject *name = nullptr, *contextArgument = nullptr;
  GeStringRef text;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:Module", const_cast<char **>(names), &name,
                                   &contextArgument) ||
      !toOptionalText(name, "name", text))
    return nullptr;
  GeContext *context = resolveContext(contextArgument);
  if (!context)
    return nullptr;
  GeModule *module;
  if (GeStatus s = geModuleCreate(context, text, &module))
    return raise(s);
  return wrapModule(module);
}

PyObject *getName(PyObject *self, void *) {
  GeStringRef name;
  GeStatus s = geModuleGetName(refOf(self), &name);
  return s ? raise(s) : newText(name);
}

int setName(PyObject *self, PyObject *value, void *) {
  GeStringRef name;
  if (!toOptionalText(value, "name", name))
    return -1;
  GeStatus s = geModuleSetName(refOf(self), name);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *getContext(PyObject *self, void *) {
  return wrapContext(geModuleGetContext(refOf(self)));
}

// --- The mapping of graphs

struct GraphMapObject {
  PyObject *module;
  GraphMapObject() = default;
  GraphMapObject(const GraphMapObject &) = delete;
  ~GraphMapObject() { Py_XDECREF(module); }
};
PyTypeObject *mapClass;

GeModule *moduleOf(PyObject *map) { return refOf(payload<GraphMapObject>(map).module); }

PyObject *graphsOf(PyObject *self, void *) {
  PyObject *object = allocate(mapClass);
  if (object)
    payload<GraphMapObject>(object).module = Py_NewRef(self);
  return object;
}

Py_ssize_t length(PyObject *self) { return Py_ssize_t(geModuleNumGraphs(moduleOf(self))); }

/// By name, else by index. Null with an exception.
GeGraphRef *lookUp(PyObject *self, PyObject *key) {
  GeModule *module = moduleOf(self);
  GeGraphRef *graph = nullptr;
  GeStatus s;
  if (PyUnicode_Check(key)) {
    GeStringRef name;
    if (!toText(key, "name", name))
      return nullptr;
    s = geModuleFindGraph(module, name, &graph);
    if (s == GE_OK && !graph)
      raiseMissing("graph", key, geModuleNumGraphs(module), [&](size_t i) {
        GeGraphRef *other = nullptr;
        GeStringRef known{};
        std::string text;
        if (geModuleGetGraph(module, i, &other) == GE_OK && geGraphGetName(other, &known) == GE_OK)
          text.assign(known.data, known.length);
        geGraphRelease(other);
        return text;
      });
  } else if (PyIndex_Check(key)) {
    size_t index;
    if (!toIndex(key, geModuleNumGraphs(module), "graph", index))
      return nullptr;
    s = geModuleGetGraph(module, index, &graph);
  } else {
    raiseType("the key of a graph", "a name or an index", key);
    return nullptr;
  }
  if (s)
    raise(s);
  return graph;
}

PyObject *subscript(PyObject *self, PyObject *key) {
  GeGraphRef *graph = lookUp(self, key);
  return graph ? wrapRef(graph) : nullptr;
}

int assign(PyObject *self, PyObject *key, PyObject *value) {
  if (value) {
    PyErr_SetString(PyExc_TypeError, "graphs are added with module.add_graph(name or graph)");
    return -1;
  }
  GeGraphRef *graph = lookUp(self, key);
  if (!graph)
    return -1;
  GeStatus s = geModuleEraseGraph(moduleOf(self), graph);
  geGraphRelease(graph);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

int contains(PyObject *self, PyObject *key) {
  if (!PyUnicode_Check(key))
    return 0;
  GeGraphRef *graph = lookUp(self, key);
  if (!graph) {
    if (!PyErr_ExceptionMatches(PyExc_KeyError))
      return -1;
    PyErr_Clear();
  }
  geGraphRelease(graph);
  return graph != nullptr;
}

nb::list graphList(PyObject *self) {
  nb::list list;
  GeModule *module = moduleOf(self);
  for (size_t i = 0; i < geModuleNumGraphs(module); ++i) {
    GeGraphRef *graph;
    check(geModuleGetGraph(module, i, &graph));
    list.append(nb::steal(checked(wrapRef(graph))));
  }
  return list;
}

nb::list nameList(PyObject *self) {
  nb::list names;
  for (nb::handle graph : graphList(self))
    names.append(graph.attr("name"));
  return names;
}

/// The names of the graphs at the time of the call.
PyObject *iterate(PyObject *self) {
  try {
    return PyObject_GetIter(nameList(self).ptr());
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

PyType_Slot mapSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                          {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                          {Py_mp_length, slot<length>()},
                          {Py_mp_subscript, slot<subscript>()},
                          {Py_mp_ass_subscript, slot<assign>()},
                          {Py_sq_contains, slot<contains>()},
                          {Py_tp_iter, slot<iterate>()},
                          {0, nullptr}};

Py_hash_t hash(PyObject *self) { return Py_hash_t(reinterpret_cast<uintptr_t>(refOf(self)) >> 4); }

PyObject *str(PyObject *self) {
  try {
    return printed(refOf(self), kForPeople).release().ptr();
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

constexpr Property properties[] = {
    {"name", "str", safe<getName>, "Name; empty when it has none. Settable.", safe<setName>,
     "str | None"},
    {"graphs", "GraphMap", safe<graphsOf>,
     "Its graphs, an ordered mapping from names; see `GraphMap`."},
    {"attributes", "AttributeMap", safe<attributesOfModule>,
     "Metadata, such as producer and opset: a mutable mapping; see `AttributeMap`."},
    {"context", "Context", safe<getContext>, "Its context."},
};

Members members("Module", properties, {});

PyType_Slot slots[] = {
    {Py_tp_new, slot<newModule>()},       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
    {Py_tp_hash, slot<hash>()},           {Py_tp_str, slot<str>()},
    {Py_tp_getset, members.properties()}, {0, nullptr}};

nb::object wrapped(GeModule *module) { return nb::steal(checked(wrapModule(module))); }

GeModule *otherModule(nb::handle object) {
  if (!isModule(object.ptr()))
    checked(raiseType("other", "a Module", object.ptr()));
  return refOf(object);
}

GeGraphRef *graphOf(nb::handle object) {
  if (!isGraph(object.ptr()))
    checked(raiseType("graph", "a Graph", object.ptr()));
  return payload<GraphObject>(object.ptr()).ref;
}

nb::object clone(nb::handle_t<ModuleObject> self) {
  GeModule *copy;
  check(reading(refOf(self), [&] { return geModuleClone(refOf(self), &copy); }));
  return wrapped(copy);
}

nb::object parse(nb::object text, nb::object file, nb::object contextArgument) {
  GeContext *context = resolveContext(contextArgument.ptr());
  GeStringRef source;
  if (!context || !toText(text.ptr(), "text", source))
    throw nb::python_error();
  PathBytes path(file);
  GeStringRef name = path.ref();
  GeModule *module;
  check(afterCallbacks(run(source.length > kUnlockBytes, [&] {
    return geModuleParse(context, source, name, nullptr, &module);
  })));
  return wrapped(module);
}

void populateGraphMap(nb::module_ &m) {
  nb::class_<GraphMapObject> map(m, "GraphMap", nb::is_final(), nb::type_slots(mapSlots),
                                 "Graphs of a module by name, in order; an index works too. "
                                 "``del`` erases a graph.\n\nOne by name costs O(graphs).");
  mapClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(map.ptr()));
  map.def(
         "get",
         [](nb::handle_t<GraphMapObject> self, nb::handle key, nb::object otherwise) {
           int has = contains(self.ptr(), key.ptr());
           checked(has);
           return has ? nb::steal(checked(subscript(self.ptr(), key.ptr()))) : otherwise;
         },
         nb::arg("key"), nb::arg("default") = nb::none(),
         nb::sig("def get(self, key: str, default: typing.Any = None) -> typing.Any"),
         "Return the graph of that name, or `default`.")
      .def(
          "keys", [](nb::handle_t<GraphMapObject> self) { return nameList(self.ptr()); },
          nb::sig("def keys(self) -> list[str]"), "Return the names.")
      .def(
          "values", [](nb::handle_t<GraphMapObject> self) { return graphList(self.ptr()); },
          nb::sig("def values(self) -> list[Graph]"), "Return the graphs.")
      .def(
          "items",
          [](nb::handle_t<GraphMapObject> self) {
            nb::list items;
            for (nb::handle graph : graphList(self.ptr()))
              items.append(nb::make_tuple(graph.attr("name"), graph));
            return items;
          },
          nb::sig("def items(self) -> list[tuple[str, Graph]]"), "Return (name, graph) pairs.")
      .def("__repr__",
           [](nb::handle_t<GraphMapObject> self) { return nb::repr(graphList(self.ptr())); });
  importModule("_collections_abc").attr("Mapping").attr("register")(map);
}

void defineGraphs(nb::class_<ModuleObject> &module) {
  module
      .def_static("parse", parse, nb::arg("text"), nb::arg("file") = "<string>",
                  nb::arg("context") = nb::none(),
                  nb::sig("def parse(text: str, file: str = '<string>', context: Context | None = "
                          "None) -> Module"),
                  "Read the text form.\n\n"
                  "Parameters\n----------\ntext : str\nfile : str\n    Name of the source in "
                  "messages.\ncontext : Context, optional\n\n"
                  "Raises\n------\nParseError\n    With all that was found in ``diagnostics``; "
                  "nothing is left then.\n\n"
                  "Cost: O(size). Large texts are read without the GIL.")
      .def(
          "add_graph",
          [](nb::handle_t<ModuleObject> self, nb::object graph) {
            if (isGraph(graph.ptr())) {
              check(geModuleAdoptGraph(refOf(self), graphOf(graph)));
              return graph;
            }
            GeStringRef name;
            if (!toText(graph.ptr(), "graph", name))
              throw nb::python_error();
            GeGraphRef *fresh;
            check(geModuleAddGraph(refOf(self), name, &fresh));
            return nb::steal(checked(wrapRef(fresh)));
          },
          nb::arg("graph"), nb::sig("def add_graph(self, graph: Graph | str) -> Graph"),
          "Add a graph at the end and return it.\n\n"
          "Parameters\n----------\ngraph : Graph or str\n    A root graph that is in no module, or "
          "the name of a new one.\n\n"
          "Raises\n------\nValueError\n    If a graph of that name is there.")
      .def(
          "detach_graph",
          [](nb::handle_t<ModuleObject> self, nb::object graph) {
            check(geModuleDetachGraph(refOf(self), graphOf(graph)));
            return graph;
          },
          nb::arg("graph"), nb::sig("def detach_graph(self, graph: Graph) -> Graph"),
          "Remove a graph from the module, as a root graph. Handles into it stay valid.");
}

bool verify(nb::handle_t<ModuleObject> self, bool definitions) {
  GeModule *module = refOf(self);
  check(afterCallbacks(reading(module, [&] { return geModuleVerify(module); })));
  if (!definitions)
    return true;
  // Loading runs Python code, so it comes before the GIL is released.
  for (size_t i = 0, n = geModuleNumGraphs(module); i != n; ++i) {
    GeGraphRef *graph = nullptr;
    check(geModuleGetGraph(module, i, &graph));
    GeStatus status = geGraphLoadDomains(graph);
    geGraphRelease(graph);
    check(afterCallbacks(status));
  }
  check(
      afterCallbacks(reading(module, [&] { return geModuleVerifyDefinitions(module, nullptr); })));
  return true;
}

void defineComparing(nb::class_<ModuleObject> &module) {
  module
      .def(
          "verify", verify, nb::kw_only(), nb::arg("definitions") = true,
          nb::sig("def verify(self, *, definitions: bool = True) -> bool"),
          "Return True if all graphs are valid.\n\n"
          "Parameters\n----------\ndefinitions : bool\n    Check nodes against the definitions of "
          "their operators, too, at the\n    opsets that the module imports. Operators without one "
          "are not a fault.\n\n"
          "Raises\n------\nVerifyError\n    With what is wrong in ``diagnostics``, up to 10,000 "
          "errors; the message "
          "shows the first 20.\n\nCost: "
          "O(size).")
      .def("clone", clone, nb::sig("def clone(self) -> Module"),
           "Return a deep copy; tensors are shared. Cost: O(size).")
      .def(
          "is_structurally_equal",
          [](nb::handle_t<ModuleObject> self, nb::handle other) {
            bool equal;
            GeModule *a = refOf(self), *b = otherModule(other);
            check(reading(a, b, [&] { return geModuleIsStructurallyEqual(a, b, &equal); }));
            return equal;
          },
          nb::arg("other"), nb::sig("def is_structurally_equal(self, other: Module) -> bool"),
          "Return whether both hold structurally equal graphs under the same names, and the same "
          "attributes (metadata).\n\n"
          "See `Graph.is_structurally_equal`: names of nodes and values are not compared. Cost: "
          "O(size).")
      .def(
          "structural_hash",
          [](nb::handle_t<ModuleObject> self) {
            uint64_t value = geModuleNumGraphs(refOf(self));
            for (nb::handle graph : graphList(nb::object(self.attr("graphs")).ptr()))
              value = value * 0x9E3779B97F4A7C15ull +
                      nb::cast<uint64_t>(graph.attr("structural_hash")());
            return value;
          },
          nb::sig("def structural_hash(self) -> int"),
          "Return a number that structurally equal modules share. Cost: O(size).")
      .def(
          "to_text",
          [](nb::handle_t<ModuleObject> self, std::string_view names, nb::handle elide,
             bool locations) {
            return printed(refOf(self), printOptions(names, elide, locations));
          },
          nb::kw_only(), nb::arg("names") = "ssa",
          nb::arg("elide_elements_larger_than") = nb::none(), nb::arg("locations") = false,
          nb::sig("def to_text(self, *, names: typing.Literal['ssa', 'attr'] = 'ssa', "
                  "elide_elements_larger_than: "
                  "int | None = None, locations: bool = False) -> str"),
          kToTextDoc);
}

void defineProtocols(nb::class_<ModuleObject> &module) {
  module
      .def("__repr__",
           [](nb::handle_t<ModuleObject> self) {
             GeStringRef name;
             check(geModuleGetName(refOf(self), &name));
             std::string line = "<module '";
             line.append(name.data, name.length).append("': ");
             line.append(std::to_string(geModuleNumGraphs(refOf(self)))).append(" graphs>");
             return nb::steal(checked(newText(stringRef(line))));
           })
      .def(
          "__copy__", [](nb::handle_t<ModuleObject> self) { return clone(self); },
          nb::sig("def __copy__(self) -> Module"))
      .def(
          "__deepcopy__", [](nb::handle_t<ModuleObject> self, nb::handle) { return clone(self); },
          nb::sig("def __deepcopy__(self, memo: object) -> Module"))
      .def(
          "__reduce__",
          [](nb::handle_t<ModuleObject> self) {
            nb::object restore = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("module");
            nb::list sources;
            for (size_t i = 0, n = geModuleNumGraphs(refOf(self)); i < n; ++i) {
              GeGraphRef *graph;
              check(geModuleGetGraph(refOf(self), i, &graph));
              std::unique_ptr<GeGraphRef, decltype(&geGraphRelease)> held(graph, geGraphRelease);
              sources.append(typeSources(graph));
            }
            return nb::make_tuple(
                restore, nb::make_tuple(printed(refOf(self), kForPickles), nb::tuple(sources)));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"));
}

} // namespace

void populateModule(nb::module_ &m) {
  declareConstructor(
      "Module",
      {"def __init__(self, name: str | None = ..., *, context: Context | None = None) -> None"});
  populateGraphMap(m);
  nb::class_<ModuleObject> module(
      m, "Module", nb::is_final(), nb::type_slots(slots),
      "Named graphs with metadata: a whole model.\n\n"
      "Parameters\n----------\nname : str, optional\ncontext : Context, optional\n\n"
      "``==`` and ``hash`` are identity. ``str(module)`` is the text form.");
  defineGraphs(module);
  defineComparing(module);
  defineProtocols(module);
}

} // namespace ge::python
