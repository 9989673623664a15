//===- Graph.cpp - Graph -----------------------------------------------------------------------===//
#include "AttributeMap.h"
#include "Definitions.h"
#include "Members.h"
#include "NodeList.h"
#include "NodeObject.h"
#include "Paths.h"
#include "PopulateIR.h"
#include "Scope.h"
#include "Sequences.h"
#include "TextOf.h"
#include "Transaction.h"

namespace ge::python {

namespace {

GeGraphRef *refOf(PyObject *self) { return payload<GraphObject>(self).ref; }
GeGraphRef *refOf(nb::handle self) { return refOf(self.ptr()); }

PyObject *newGraph(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"name", "context", nullptr};
  PyObject *name = nullptr, *contextArgument = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:Graph", const_cast<char **>(names), &name,
                                   &contextArgument))
    return nullptr;
  GeStringRef text = stringRef("graph");
  if (name && !PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "Graph name must be a string");
    return nullptr;
  }
  if (name && !toText(name, "name", text))
    return nullptr;
  GeContext *context = resolveContext(contextArgument);
  if (!context)
    return nullptr;
  GeGraphRef *graph;
  if (GeStatus s = geGraphCreate(context, text, &graph))
    return raise(s);
  return wrapRef(graph);
}

PyObject *getName(PyObject *self, void *) {
  GeStringRef name;
  GeStatus s = geGraphGetName(refOf(self), &name);
  return s ? raise(s) : newText(name);
}

int setName(PyObject *self, PyObject *value, void *) {
  GeStringRef name;
  if (!toText(value ? value : Py_None, "name", name))
    return -1;
  GeStatus s = geGraphSetName(refOf(self), name);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *getSlot(PyObject *self, void *) {
  GeStringRef name;
  GeStatus s = geGraphGetSlotName(refOf(self), &name);
  return s ? raise(s) : newText(name);
}

PyObject *getModule(PyObject *self, void *) {
  GeModule *module;
  if (GeStatus s = geGraphGetModule(refOf(self), &module))
    return raise(s);
  return module ? wrapModule(module) : Py_NewRef(Py_None);
}

PyObject *getParent(PyObject *self, void *) {
  GeNodeRef *node;
  GeStatus s = geGraphGetParentNode(refOf(self), &node);
  return s ? raise(s) : wrapRef(node);
}

PyObject *getRoot(PyObject *self, void *) {
  GeGraphRef *root;
  GeStatus s = geGraphGetRoot(refOf(self), &root);
  return s ? raise(s) : wrapRef(root);
}

PyObject *getOutputNode(PyObject *self, void *) {
  GeNodeRef *node;
  GeStatus s = geGraphGetOutputNode(refOf(self), &node);
  return s ? raise(s) : wrapRef(node);
}

PyObject *getChangeCount(PyObject *self, void *) {
  uint64_t count;
  GeStatus s = geGraphChangeCount(refOf(self), &count);
  return s ? raise(s) : PyLong_FromUnsignedLongLong(count);
}

PyObject *getAlive(PyObject *self, void *) { return PyBool_FromLong(geRefIsAlive(refOf(self))); }
PyObject *getContext(PyObject *self, void *) { return wrapContext(geRefGetContext(refOf(self))); }
Py_hash_t hash(PyObject *self) { return Py_hash_t(reinterpret_cast<uintptr_t>(refOf(self)) >> 4); }

PyObject *repr(PyObject *self) {
  GeGraphRef *graph = refOf(self);
  size_t inputs, outputs, nodes;
  GeStringRef text;
  if (!geRefIsAlive(graph) || geGraphNumInputs(graph, &inputs) ||
      geGraphNumOutputs(graph, &outputs) || geGraphNumNodes(graph, &nodes) ||
      geRefDescribe(graph, &text))
    return describe(graph);
  std::string line = "<";
  line.append(text.data, text.length)
      .append(": ")
      .append(std::to_string(inputs))
      .append(" inputs, ");
  line.append(std::to_string(outputs))
      .append(" outputs, ")
      .append(std::to_string(nodes))
      .append(" nodes>");
  return newShownText(line);
}

PyObject *str(PyObject *self) {
  if (!geRefIsAlive(refOf(self)))
    return describe(refOf(self));
  try {
    return printed(refOf(self), kForPeople).release().ptr();
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

PyObject *find(PyObject *self, PyObject *name) {
  if (!PyUnicode_Check(name)) {
    nb::object find = findProvider("find");
    return find.is_valid() ? PyObject_CallFunctionObjArgs(find.ptr(), self, name, nullptr)
                           : nullptr;
  }
  GeStringRef text;
  if (!toText(name, "name", text))
    return nullptr;
  GeNodeRef *node;
  GeStatus s = geGraphFindNode(refOf(self), text, &node);
  return s ? raise(s) : wrapRef(node);
}

PyObject *findValue(PyObject *self, PyObject *name) {
  GeStringRef text;
  if (!toText(name, "name", text))
    return nullptr;
  GeValueRef *value;
  GeStatus s = geGraphFindValue(refOf(self), text, &value);
  return s ? raise(s) : wrapRef(value);
}

PyObject *listOf(std::vector<GeNodeRef *> &nodes) {
  PyObject *list = PyList_New(Py_ssize_t(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    PyObject *node = wrapRef(nodes[i]);
    if (list && node)
      PyList_SetItem(list, Py_ssize_t(i), node);
    else {
      Py_XDECREF(node);
      Py_CLEAR(list);
    }
  }
  return list;
}

PyObject *findAllNamed(PyObject *self, PyObject *name) {
  GeGraphRef *graph = refOf(self);
  GeStringRef text;
  if (!toText(name, "name", text))
    return nullptr;
  size_t count = 0;
  if (GeStatus s = geGraphFindAllNamed(graph, text, nullptr, 0, &count))
    return raise(s);
  std::vector<GeNodeRef *> nodes(count);
  size_t found = 0;
  if (GeStatus s = geGraphFindAllNamed(graph, text, nodes.data(), count, &found))
    return raise(s);
  nodes.resize(found < count ? found : count);
  return listOf(nodes);
}

PyObject *findAll(PyObject *self, PyObject *name) {
  GeGraphRef *graph = refOf(self);
  GeOperatorName op = stateOf(graph).operatorName(name);
  if (!op)
    return nullptr;
  size_t count = 0;
  if (GeStatus s = geGraphFindAll(graph, op, nullptr, 0, &count))
    return raise(s);
  std::vector<GeNodeRef *> nodes(count);
  size_t found = 0;
  if (GeStatus s = geGraphFindAll(graph, op, nodes.data(), count, &found))
    return raise(s);
  nodes.resize(found < count ? found : count);
  return listOf(nodes);
}

PyObject *addInput(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"name", "type", "op", "index", nullptr};
  PyObject *name, *typeObject = nullptr, *opObject = nullptr, *indexObject = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$OO:add_input", const_cast<char **>(names),
                                   &name, &typeObject, &opObject, &indexObject))
    return nullptr;
  GeGraphRef *graph = refOf(self);
  GeStringRef text;
  GeType type;
  GeOperatorName op = nullptr;
  size_t index = SIZE_MAX;
  if (!toOptionalText(name, "name", text) || !toType(typeObject, "type", type))
    return nullptr;
  if (opObject && opObject != Py_None && !(op = stateOf(graph).operatorName(opObject)))
    return nullptr;
  if (indexObject && indexObject != Py_None) {
    size_t count;
    if (GeStatus s = geGraphNumInputs(graph, &count))
      return raise(s);
    if (!toIndex(indexObject, count + 1, "input", index))
      return nullptr;
  }
  TracedEdit traced(graph);
  GeValueRef *value;
  GeStatus s = geGraphAddInput(graph, text, type, op, index, &value);
  return s ? raise(s) : wrapRef(value);
}

PyObject *transaction(PyObject *self, PyObject *) { return newTransaction(self); }

constexpr Property properties[] = {
    {"name", "str", safe<getName>, "Name; settable.", safe<setName>, "str | None"},
    {"slot", "str", safe<getSlot>,
     "Role of a subgraph, such as ``then_branch``; empty for root graphs."},
    {"inputs", "InputList", safe<inputsOf>,
     "Inputs: the results of its ``ge.Data`` nodes, a sequence of `Value`."},
    {"outputs", "OutputList", safe<outputsOf>,
     "Outputs: the operands of its ``ge.NetOutput`` node, a mutable sequence of `Value`. Assigning "
     "replaces all.",
     safe<setOutputsOf>, "Iterable[Value | Node | None]"},
    {"output_names", "OutputNameList", safe<outputNamesOf>,
     "Names of the outputs, one for each; unique. Generated where none was given.",
     safe<setOutputNamesOf>, "Iterable[str]"},
    {"nodes", "NodeList", safe<nodesOf>,
     "Its nodes in list order, without inputs and NetOutput; see `NodeList`."},
    {"attributes", "AttributeMap", safe<attributesOfGraph>,
     "Attributes, a mutable mapping; see `AttributeMap`."},
    {"module", "Module | None", safe<getModule>,
     "The module that it, or its root graph, is in; or None."},
    {"parent_node", "Node | None", safe<getParent>,
     "The node whose subgraph it is; None for root graphs."},
    {"root", "Graph", safe<getRoot>, "The root graph: itself, or the one around it."},
    {"output_node", "Node", safe<getOutputNode>,
     "The ``ge.NetOutput`` node, whose operands are the outputs."},
    {"change_count", "int", safe<getChangeCount>,
     "A number that grows with every change of the root graph."},
    {"is_alive", "bool", safe<getAlive>, "Whether it has not been erased. Never raises."},
    {"context", "Context", safe<getContext>, "Its context, dead or alive."},
};

const Method methods[] = {
    {"def add_node(self," GE_NODE_PARAMETERS, asMethod(safe<addNode>),
     METH_FASTCALL | METH_KEYWORDS,
     R"(Make a node in this graph. Everything is checked first: on failure nothing changed.

Parameters
----------
op : str
    ``domain.Type``, such as ``onnx.Conv``.
operands : sequence of Value, Node or None
    A Node stands for its only result; None is an absent operand. If an item is a list or tuple, each item stands for
    an operand parameter of the operator's record: ``[[a], [b, c]]`` for two lists of operands, see
    `Node.operand_segments`.
attributes : mapping, optional
    See `AttributeMap` for what values work.
name : str, optional
    A clash gets ``_1``.
result_types : Type or sequence of Type or None, optional
    None in a sequence is an absent result. Not given: one result of unknown type. Lists as for `operands`.
control_inputs : sequence of Node
    Nodes that run before it.
subgraphs : sequence or mapping from slot names
    Of Graph, which is taken over (handles into it stay alive), or None for a new empty one.
loc : Location, optional
    Default: the enclosing ``with Location...``.
ip : InsertionPoint, optional
    Default: the enclosing ``with InsertionPoint(...)`` if that is in this graph, else the end.

Returns
-------
Node

Raises
------
TypeError, ValueError, OverflowError
    For arguments that do not work, also objects of another context or root graph.

Cost: O(operands + attributes).)"},
    {R"(def add_input(
    self, name: str | None, type: Type, *, op: str | None = None, index: int | None = None
) -> Value)",
     asMethod(safe<addInput>), METH_VARARGS | METH_KEYWORDS,
     R"(Make an input, a ``ge.Data`` node, and return its value.

Parameters
----------
name : str or None
    Of the node and its value; a clash gets ``_1``.
type : Type
op : str, optional
    A variant, such as ``ge.RefData``.
index : int, optional
    Where; default: last.

Returns
-------
Value

Cost: O(1) at the end, else O(inputs).)"},
    {"def find(self, what: str, /) -> Node | None", safe<find>, METH_O,
     R"(Return the node of that name in the root graph and all its subgraphs, or None; of a
pattern (`ge.passes.pattern`, a graph that is one) the matches in this graph and its subgraphs, as a
list of `ge.passes.MatchResult`.

Cost: O(1) for a name, O(nodes) for a pattern.)"},
    {"def find_value(self, name: str, /) -> Value | None", safe<findValue>, METH_O,
     "Return the value of that name in the root graph and all its subgraphs, or None."},
    {"def find_all(self, op: str, /) -> list[Node]", safe<findAll>, METH_O,
     R"(Return the nodes of this graph with an operator, as a list in list order.

Cost: O(found log found) after the first call on the root graph, which is O(nodes).)"},
    {"def find_all_named(self, name: str, /) -> list[Node]", safe<findAllNamed>, METH_O,
     R"(Return the nodes that their file called so (see `Node.original_name`), as a list in the order of `walk`, inputs first.

Cost: O(nodes).)"},
    {"def walk(self) -> Iterator[Node]", safe<walk>, METH_NOARGS,
     R"(Iterate over the nodes of this graph and of all subgraphs, each before those inside it.

Editing meanwhile is fine, as in `NodeList`; what was inside an erased node is not visited.)"},
    {"def transaction(self) -> Transaction", safe<transaction>, METH_NOARGS,
     "Return a `Transaction`: ``with graph.transaction():`` undoes everything if the block "
     "raises."},
};

Members members("Graph", properties, methods);

PyType_Slot slots[] = {
    {Py_tp_new, slot<newGraph>()},      {Py_tp_init, reinterpret_cast<void *>(initNothing)},
    {Py_tp_hash, slot<hash>()},         {Py_tp_repr, slot<repr>()},
    {Py_tp_str, slot<str>()},           {Py_tp_getset, members.properties()},
    {Py_tp_methods, members.methods()}, {0, nullptr}};

nb::object wrapped(GeGraphRef *graph) { return nb::steal(checked(wrapRef(graph))); }

GeGraphRef *graphOf(nb::handle object) {
  if (!isGraph(object.ptr()))
    checked(raiseType("other", "a Graph", object.ptr()));
  return refOf(object);
}

nb::object clone(nb::handle_t<GraphObject> self, nb::handle contextArgument) {
  GeContext *context = nullptr;
  if (!contextArgument.is_none() && !(context = resolveContext(contextArgument.ptr())))
    throw nb::python_error();
  GeGraphRef *copy;
  check(reading(refOf(self), [&] { return geGraphClone(refOf(self), context, &copy); }));
  return wrapped(copy);
}

nb::object parse(nb::object text, nb::object file, nb::object contextArgument) {
  GeContext *context = resolveContext(contextArgument.ptr());
  GeStringRef source;
  if (!context || !toText(text.ptr(), "text", source))
    throw nb::python_error();
  PathBytes path(file);
  GeStringRef name = path.ref();
  GeGraphRef *graph;
  check(afterCallbacks(run(source.length > kUnlockBytes,
                           [&] { return geGraphParse(context, source, name, &graph); })));
  return wrapped(graph);
}

void defineRunning(nb::class_<GraphObject> &graph) {
  graph
      .def_static("parse", parse, nb::arg("text"), nb::arg("file") = "<string>",
                  nb::arg("context") = nb::none(),
                  nb::sig("def parse(text: str, file: str = '<string>', context: Context | None = "
                          "None) -> Graph"),
                  "Read the text form of one graph, alone or in a module.\n\n"
                  "Parameters\n----------\ntext : str\nfile : str\n    Name of the source in "
                  "messages.\ncontext : Context, optional\n\n"
                  "Raises\n------\nParseError\n    With all that was found in ``diagnostics``; "
                  "nothing is left then.\n\n"
                  "Cost: O(size). Large texts are read without the GIL.")
      .def(
          "run",
          [](nb::handle_t<GraphObject> self, nb::handle inputs, bool names, nb::handle trace,
             nb::handle backend, bool isolate) {
            return provider("interpreter")(self, inputs, names, trace, backend, isolate);
          },
          nb::arg("inputs") = nb::none(), nb::arg("names") = false, nb::arg("trace") = nb::none(),
          nb::arg("backend") = nb::none(), nb::arg("isolate") = true,
          nb::sig("def run(self, inputs: Mapping[str, Any] | Sequence[Any] | None = None, names: "
                  "bool = False, trace: Callable[[str, Any], object] | None = None, backend: str | "
                  "None = None, isolate: bool = True) -> Any"),
          "Compute the outputs.\n\n"
          "Parameters\n----------\ninputs : mapping or sequence\n    Arrays by name or in the "
          "order of `inputs`: tensors, anything with DLPack or the buffer\n    protocol, numbers, "
          "lists for sequences, None for an optional without a value.\nnames : bool\n    Return "
          "a dict by output, not a list.\ntrace : callable, optional\n    Gets name and array of "
          "each value when it is known, also inside bodies and functions.\nbackend : str, "
          "optional\n    Whose registered kernels run, one of `ge.ops.backends`.\nisolate : bool\n "
          "   Run operators of "
          "ONNX in a child process, so that a crash of onnxruntime is an error.\n\n"
          "Returns\n-------\nlist or dict\n    In the kind of the first array among the inputs, "
          "else NumPy's.\n\n"
          "Raises\n------\nValueError\n    If an input is missing, unknown, or of another type or "
          "shape.\nKernelError\n    If a node has no kernel, or its kernel fails.");
}

void defineEditing(nb::class_<GraphObject> &graph) {
  graph
      .def(
          "erase_input",
          [](nb::handle_t<GraphObject> self, Py_ssize_t index, bool force) {
            size_t count;
            check(geGraphNumInputs(refOf(self), &count));
            Py_ssize_t absolute = index < 0 ? index + Py_ssize_t(count) : index;
            if (absolute < 0)
              throw nb::index_error("input index is out of range");
            TracedEdit traced(refOf(self));
            check(geGraphEraseInput(refOf(self), size_t(absolute), force));
          },
          nb::arg("index"), nb::arg("force") = false,
          nb::sig("def erase_input(self, index: int, force: bool = False) -> None"),
          "Erase an input.\n\nRaises\n------\nValueError\n    While it is used, unless "
          "`force`.\nIndexError\n\nCost: O(inputs).")
      .def(
          "move_input",
          [](nb::handle_t<GraphObject> self, size_t from, size_t to) {
            TracedEdit traced(refOf(self));
            check(geGraphMoveInput(refOf(self), from, to));
          },
          nb::arg("from_index"), nb::arg("to_index"),
          nb::sig("def move_input(self, from_index: int, to_index: int) -> None"),
          "Move an input to another place. Cost: O(inputs).")
      .def(
          "sort",
          [](nb::handle_t<GraphObject> self) {
            TracedEdit traced(refOf(self));
            check(writing(refOf(self), "sort", [&] { return geGraphSort(refOf(self)); }));
          },
          nb::sig("def sort(self) -> None"),
          "Make a stable topological order the list order.\n\n"
          "Raises\n------\nVerifyError\n    If there is a cycle; it is named as a path.\n\nCost: "
          "O(nodes + edges).")
      .def("clone", clone, nb::arg("context") = nb::none(),
           nb::sig("def clone(self, context: Context | None = None) -> Graph"),
           "Return a copy as a separate root graph; tensors are shared. Values that a subgraph "
           "captures become\n"
           "inputs of the copy.\n\n"
           "Parameters\n----------\ncontext : Context, optional\n    Where the copy lives; "
           "default: the same.\n\nCost: O(size).")
      .def(
          "erase_dead_nodes",
          [](nb::handle_t<GraphObject> self) {
            size_t erased;
            TracedEdit traced(refOf(self));
            check(writing(refOf(self), "erase_dead_nodes",
                          [&] { return geGraphEraseDeadNodes(refOf(self), &erased); }));
            return erased;
          },
          nb::sig("def erase_dead_nodes(self) -> int"),
          "Erase the nodes that nothing depends on; return how many. Cost: O(nodes).");
}

void defineComparing(nb::class_<GraphObject> &graph) {
  graph
      .def(
          "is_structurally_equal",
          [](nb::handle_t<GraphObject> self, nb::handle other) {
            bool equal;
            GeGraphRef *a = refOf(self), *b = graphOf(other);
            check(reading(a, b, [&] { return geGraphIsStructurallyEqual(a, b, &equal); }));
            return equal;
          },
          nb::arg("other"), nb::sig("def is_structurally_equal(self, other: Graph) -> bool"),
          "Return whether both compute the same in the same way.\n\n"
          "What counts: operators, attributes (those of the graph, too), operands, control edges, "
          "types of results, contents of constants, graphs inside and their slots, the order of "
          "inputs and outputs. What does not: names of nodes, of inner values, and of inputs and "
          "outputs (compare ``output_names`` and the names of ``inputs`` for those), the order of "
          "nodes in the list, locations, origins, and how a file wrote a thing (``onnx.layout``). "
          "Cost: O(size).")
      .def(
          "structural_hash",
          [](nb::handle_t<GraphObject> self) {
            uint64_t value;
            check(reading(refOf(self), [&] { return geGraphStructuralHash(refOf(self), &value); }));
            return value;
          },
          nb::sig("def structural_hash(self) -> int"),
          "Return a number that structurally equal graphs share. Cost: O(size).")
      .def(
          "to_text",
          [](nb::handle_t<GraphObject> self, std::string_view names, nb::handle elide,
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

void defineProtocols(nb::class_<GraphObject> &graph) {
  graph
      .def(
          "__copy__", [](nb::handle_t<GraphObject> self) { return clone(self, nb::none()); },
          nb::sig("def __copy__(self) -> Graph"))
      .def(
          "__deepcopy__",
          [](nb::handle_t<GraphObject> self, nb::handle) { return clone(self, nb::none()); },
          nb::sig("def __deepcopy__(self, memo: object) -> Graph"))
      .def(
          "_repr_svg_",
          [](nb::handle_t<GraphObject> self) {
            return provider("pictures").attr("graph_svg")(self);
          },
          nb::sig("def _repr_svg_(self) -> str | None"),
          "Return a picture for a notebook, or None of a large graph.")
      .def(
          "_repr_html_",
          [](nb::handle_t<GraphObject> self) {
            return provider("pictures").attr("graph_html")(self);
          },
          nb::sig("def _repr_html_(self) -> str"),
          "Return a picture of a small graph, a summary of a large one, for a notebook.")
      .def(
          "__reduce__",
          [](nb::handle_t<GraphObject> self) {
            nb::object restore = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("graph");
            return nb::make_tuple(restore, nb::make_tuple(printed(refOf(self), kForPickles),
                                                          typeSources(refOf(self))));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"));
}

} // namespace

void populateGraph(nb::module_ &m) {
  declareConstructor(
      "Graph",
      {"def __init__(self, name: str | None = ..., *, context: Context | None = None) -> None"});
  nb::class_<GraphObject> graph(
      m, "Graph", nb::is_final(), nb::is_weak_referenceable(), nb::type_slots(slots),
      "A dataflow graph: an ordered list of nodes with inputs and outputs. It is a root graph, a "
      "member of a\n"
      "`Module`, or a subgraph of a node.\n\n"
      "Parameters\n----------\nname : str\ncontext : Context, optional\n\n"
      "``==`` and ``hash`` are identity; see `is_structurally_equal`. ``str(graph)`` is the text "
      "form.");
  defineRunning(graph);
  defineEditing(graph);
  defineComparing(graph);
  defineProtocols(graph);
  graph.def(
      "_restore_type_sources",
      [](nb::handle_t<GraphObject> self, const nb::bytes &sources) {
        check(geGraphSetTypeSources(refOf(self), {sources.c_str(), sources.size()}));
      },
      "Let those types count as inferred that did when the graph was pickled.");
  bindDefinitions(m, graph);
}

} // namespace ge::python
