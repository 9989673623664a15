//===- Node.cpp - Node -------------------------------------------------------------------------===//
#include "NodeObject.h"

#include "AttributeMap.h"
#include "Errors.h"
#include "Members.h"
#include "Origins.h"
#include "PopulateIR.h"
#include "Scope.h"
#include "Sequences.h"
#include "TextOf.h"

namespace ge::python {

nb::object typedViews() { return provider("typed views"); }

PyObject *newShownText(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string line;
  line.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are controls, too, in two bytes.
    bool isPair =
        c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    size_t count = isPair ? 2 : c < 0x20 || c == 0x7F ? 1 : 0;
    if (count == 0)
      line += text[i];
    for (size_t k = 0; k != count; ++k) {
      auto byte = static_cast<unsigned char>(text[i + k]);
      line.append({'\\', kHex[byte >> 4], kHex[byte & 15]});
    }
    i += isPair;
  }
  return newText(stringRef(line));
}

PyObject *describe(GeRef *ref) {
  GeStringRef text;
  bool alive = geRefIsAlive(ref);
  GeStatus s = alive ? geRefDescribe(ref, &text) : geRefReason(ref, &text);
  if (s)
    return raise(s);
  std::string line = alive ? "<" : "<dead: ";
  line.append(text.data, text.length).append(">");
  return newShownText(line);
}

namespace {

GeNodeRef *refOf(PyObject *self) { return payload<NodeObject>(self).ref; }
GeNodeRef *refOf(nb::handle self) { return refOf(self.ptr()); }

PyObject *getOp(PyObject *self, void *) {
  GeIdentifier op;
  GeStatus s = geNodeGetOp(refOf(self), &op);
  return s ? raise(s) : newText(op);
}

template <GeIdentifier (*part)(GeOperatorName)> PyObject *getOpPart(PyObject *self, void *) {
  GeOperatorName op;
  if (GeStatus s = geNodeGetOperatorName(refOf(self), &op))
    return raise(s);
  return newText(part(op));
}

PyObject *getName(PyObject *self, void *) {
  GeStringRef name;
  if (GeStatus s = geNodeGetName(refOf(self), &name, nullptr))
    return raise(s);
  return newText(name);
}

PyObject *getOriginalName(PyObject *self, void *) {
  GeStringRef name;
  if (GeStatus s = geNodeGetOriginalName(refOf(self), &name))
    return raise(s);
  if (!name.length)
    Py_RETURN_NONE;
  return newText(name);
}

int setName(PyObject *self, PyObject *value, void *) {
  GeStringRef name;
  if (!toOptionalText(value, "name", name))
    return -1;
  TracedEdit traced(refOf(self));
  GeStatus s = geNodeSetName(refOf(self), name);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *getHasName(PyObject *self, void *) {
  GeStringRef name;
  bool generated;
  if (GeStatus s = geNodeGetName(refOf(self), &name, &generated))
    return raise(s);
  return PyBool_FromLong(!generated);
}

PyObject *getResult(PyObject *self, void *) {
  GeValueRef *value;
  GeStatus s = geNodeGetOnlyResult(refOf(self), &value);
  return s ? raise(s) : wrapRef(value);
}

PyObject *getGraph(PyObject *self, void *) {
  GeGraphRef *graph;
  GeStatus s = geNodeGetGraph(refOf(self), &graph);
  return s ? raise(s) : wrapRef(graph);
}
PyObject *getRoot(PyObject *self, void *) {
  GeGraphRef *graph;
  GeStatus s = geNodeGetRoot(refOf(self), &graph);
  return s ? raise(s) : wrapRef(graph);
}

template <GeStatus (*get)(GeNodeRef *, GeNodeRef **)> PyObject *getNode(PyObject *self, void *) {
  GeNodeRef *node;
  GeStatus s = get(refOf(self), &node);
  return s ? raise(s) : wrapRef(node);
}

template <GeStatus (*get)(GeNodeRef *, bool *)> PyObject *getFlag(PyObject *self, void *) {
  bool flag;
  GeStatus s = get(refOf(self), &flag);
  return s ? raise(s) : PyBool_FromLong(flag);
}

PyObject *getLocation(PyObject *self, void *) {
  GeLocation location;
  GeStatus s = geNodeGetLocation(refOf(self), &location);
  return s ? raise(s) : wrapLocation(location);
}

int setLocation(PyObject *self, PyObject *value, void *) {
  if (!value || !isLocation(value)) {
    raiseType("location", "a Location", value ? value : Py_None);
    return -1;
  }
  GeStatus s = geNodeSetLocation(refOf(self), payload<LocationObject>(value).ref);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *getAlive(PyObject *self, void *) { return PyBool_FromLong(geRefIsAlive(refOf(self))); }
PyObject *getContext(PyObject *self, void *) { return wrapContext(geRefGetContext(refOf(self))); }

/// Returns the users of a node, each once, in the order of their first use.
PyObject *getUsers(PyObject *self, void *) {
  try {
    nb::dict seen;
    nb::object results = nb::steal(checked(resultsOf(self, nullptr)));
    for (nb::handle result : results)
      for (nb::handle use : nb::object(result.attr("uses")))
        seen[use.attr("node")] = nb::none();
    return nb::list(seen.keys()).release().ptr();
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

Py_hash_t hash(PyObject *self) { return Py_hash_t(reinterpret_cast<uintptr_t>(refOf(self)) >> 4); }
PyObject *repr(PyObject *self) { return describe(refOf(self)); }

PyObject *str(PyObject *self) {
  if (!geRefIsAlive(refOf(self)))
    return describe(refOf(self));
  std::string text;
  if (GeStatus s = geNodePrint(refOf(self), appendTo, &text))
    return raise(s);
  return newText(stringRef(text));
}

PyObject *erase(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  int force = 0;
  Py_ssize_t keywords = names ? Py_SIZE(names) : 0;
  if (count + keywords > 1 ||
      (keywords && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "force") != 0)) {
    PyErr_SetString(PyExc_TypeError, "erase() takes at most one argument, force");
    return nullptr;
  }
  if (count + keywords == 1 && (force = PyObject_IsTrue(args[0])) < 0)
    return nullptr;
  TracedEdit traced(refOf(self));
  if (GeStatus s = geNodeErase(refOf(self), force != 0))
    return raise(s);
  return Py_NewRef(Py_None);
}

/// Replaces the node by one value, by all results of another node, or by a sequence of values.
PyObject *replaceWith(PyObject *self, PyObject *replacement) {
  if (isValue(replacement)) {
    TracedEdit traced(refOf(self));
    GeValueRef *value = payload<ValueObject>(replacement).ref;
    GeStatus s = geNodeReplace(refOf(self), &value, 1);
    return s ? raise(s) : Py_NewRef(Py_None);
  }
  ValueRefs values;
  if (!(isNode(replacement) ? values.loadResults(refOf(replacement))
                            : values.load(replacement, "the replacement",
                                          "a Value, a Node or a sequence of Value or None")))
    return nullptr;
  TracedEdit traced(refOf(self));
  GeStatus s = geNodeReplace(refOf(self), values.data(), values.size());
  return s ? raise(s) : Py_NewRef(Py_None);
}

template <GeStatus (*move)(GeNodeRef *, GeNodeRef *)>
PyObject *moveTo(PyObject *self, PyObject *other) {
  if (!isNode(other))
    return raiseType("the place", "a Node", other);
  TracedEdit traced(refOf(self));
  GeStatus s = move(refOf(self), refOf(other));
  return s ? raise(s) : Py_NewRef(Py_None);
}

constexpr Property properties[] = {
    {"op", "str", safe<getOp>,
     "Operator as ``domain.Type``, such as ``onnx.Conv``; an overload follows after a dot."},
    {"type", "str", safe<getOpPart<geOperatorNameType>>,
     "Type of the operator alone, such as ``Conv``."},
    {"domain", "str", safe<getOpPart<geOperatorNameDomain>>,
     "Domain of the operator, such as ``onnx``."},
    {"overload", "str", safe<getOpPart<geOperatorNameOverload>>,
     "Overload of the operator; empty when it has none."},
    {"name", "str", safe<getName>,
     "Name, unique in the root graph with its subgraphs. If it is taken, ``_1`` is appended; None "
     "removes it, and a generated name is shown.",
     safe<setName>, "str | None"},
    {"original_name", "str | None", safe<getOriginalName>,
     "What its file called it: other than `name` where that was not unique in the model. None "
     "without a name. Renaming the node forgets it."},
    {"has_name", "bool", safe<getHasName>,
     "Whether the name was given; False when `name` is generated."},
    {"operands", "OperandList", safe<operandsOf>,
     "Operands, a mutable sequence of `Value`; None is an absent one. Assigning replaces all.",
     safe<setOperandsOf>, "Iterable[Value | Node | Sequence[Value | Node | None] | None]"},
    {"operand_segments", "tuple[int, ...] | None", safe<operandSegmentsOf>,
     R"(The number of operands of each operand parameter of the operator's record.

A node stores these lengths where the flat list of operands does not imply them: the record has several lists, or a list
before optional operands. None: they are unknown, because the operator has no record and the node no lengths, or because
the record needs them and the node has none, which does not verify. Assigning None forgets them.

Raises
------
ValueError
    If assigned lengths are negative, do not add up to the number of operands, or are more than the parameters.)",
     safe<setOperandSegmentsOf>, "Sequence[int] | None"},
    {"result_segments", "tuple[int, ...] | None", safe<resultSegmentsOf>,
     "The number of results of each result of the operator's record; as `operand_segments`.",
     safe<setResultSegmentsOf>, "Sequence[int] | None"},
    {"results", "ResultList", safe<resultsOf>, "Results, a sequence of `Value`."},
    {"result", "Value", safe<getResult>, R"(The only result.

Raises
------
ValueError
    If there are none or several.)"},
    {"attributes", "AttributeMap", safe<attributesOfNode>,
     "Attributes, a mutable mapping; see `AttributeMap`."},
    {"subgraphs", "SubgraphList", safe<subgraphsOf>, "Subgraphs, by index or slot name."},
    {"control_inputs", "ControlInputList", safe<controlInputsOf>,
     "Nodes that run before it without giving it data."},
    {"control_outputs", "ControlOutputList", safe<controlOutputsOf>,
     "Nodes that run after it without taking its data."},
    {"users", "list[Node]", safe<getUsers>, "Nodes that use a result, each once. Cost: O(uses)."},
    {"graph", "Graph | None", safe<getGraph>,
     "The graph whose list it is in; None while detached."},
    {"root", "Graph", safe<getRoot>, "The root graph that it is bound to, also while detached."},
    {"next", "Node | None", safe<getNode<geNodeGetNext>>,
     "The node after it in the list, or None."},
    {"previous", "Node | None", safe<getNode<geNodeGetPrevious>>,
     "The node before it in the list, or None."},
    {"is_input", "bool", safe<getFlag<geNodeIsInput>>,
     "Whether it is a ``ge.Data`` node or a variant of it."},
    {"is_output", "bool", safe<getFlag<geNodeIsOutput>>,
     "Whether it is the ``ge.NetOutput`` node."},
    {"location", "Location", safe<getLocation>, "Where it came from.", safe<setLocation>,
     "Location | None"},
    {"origins", "tuple[Origin, ...]", safe<originsOf>,
     "Where it came from: nodes that it replaced, by which pass and rule, and the code that built "
     "it; a tuple of `Origin`."},
    {"is_alive", "bool", safe<getAlive>, "Whether it has not been erased. Never raises."},
    {"context", "Context", safe<getContext>, "Its context, dead or alive."},
};

const Method methods[] = {
    {"def create(cls," GE_NODE_PARAMETERS, asMethod(safe<createNodeMethod>),
     METH_FASTCALL | METH_KEYWORDS | METH_CLASS,
     R"(Make a node at an insertion point.

Parameters are those of `Graph.add_node`, but for

Parameters
----------
ip : InsertionPoint, Graph, None or False
    None is the enclosing ``with InsertionPoint(...)``. False makes a detached node, bound to the root graph
    of its first operand.

Raises
------
ValueError
    If there is no place to insert.)"},
    {"def erase(self, force: bool = False) -> None", asMethod(safe<erase>),
     METH_FASTCALL | METH_KEYWORDS,
     R"(Erase the node with all inside it. Handles to it raise `StaleHandleError` from then on.

Parameters
----------
force : bool
    Erase also while results are used; those operands become absent.

Raises
------
ValueError
    While a result is used; the message names users.

Cost: O(operands + results + uses dropped + everything inside its subgraphs).)"},
    {"def replace_with(self, replacement: Value | Node | Iterable[Value | None], /) -> None",
     safe<replaceWith>, METH_O,
     R"(Give the uses of each result to a replacement, then erase the node.

Names go to replacements that have none, control edges and origins along.

Parameters
----------
replacement : Value, Node or sequence of Value or None
    One for each result; None only where the result is not used.

Raises
------
ValueError
    If the number differs.

Cost: O(uses).)"},
    {"def insert_operand(self, index: int, value: Value | Node | None, parameter: int | str | None "
     "= "
     "None) -> None",
     asMethod(safe<insertOperandOf>), METH_FASTCALL | METH_KEYWORDS,
     R"(Insert an operand.

Parameters
----------
index : int
    The place in `operands`.
value : Value, Node or None
parameter : int or str, optional
    The operand parameter whose list becomes longer: its number among the operand parameters, or its name in the
    operator's record. Needed in a node with stored `operand_segments` if the place is the end of one list and the
    beginning of another.

Raises
------
ValueError
    If the place is not in the list of the parameter, or belongs to several and none is named.
KeyError
    If the operator has no operand parameter of that name.

Cost: O(operands after it).)"},
    {"def move_before(self, other: Node, /) -> None", safe<moveTo<geNodeMoveBefore>>, METH_O,
     "Move the node before another of the same root graph."},
    {"def move_after(self, other: Node, /) -> None", safe<moveTo<geNodeMoveAfter>>, METH_O,
     "Move the node after another of the same root graph."},
};

Members members("Node", properties, methods);

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_tp_hash, slot<hash>()},
                       {Py_tp_repr, slot<repr>()},
                       {Py_tp_str, slot<str>()},
                       {Py_tp_getset, members.properties()},
                       {Py_tp_methods, members.methods()},
                       {0, nullptr}};

GeNodeRef *nodeOf(nb::handle object, const char *what) {
  if (!isNode(object.ptr()))
    checked(raiseType(what, "a Node", object.ptr()));
  return refOf(object);
}

template <typename F> void edit(GeRef *ref, F function) {
  TracedEdit traced(ref);
  check(function());
}

void definePlaces(nb::class_<NodeObject> &node) {
  node.def(
          "insert",
          [](nb::handle_t<NodeObject> self, nb::handle place) {
            GeNodeRef *before = nullptr;
            GeGraphRef *graph;
            if (isGraph(place.ptr())) {
              graph = payload<GraphObject>(place.ptr()).ref;
            } else if (isInsertionPoint(place.ptr())) {
              auto &ip = payload<InsertionPointObject>(place.ptr());
              graph = payload<GraphObject>(ip.graph).ref;
              before = ip.before ? refOf(ip.before) : nullptr;
            } else {
              checked(raiseType("place", "a Graph or an InsertionPoint", place.ptr()));
              return;
            }
            edit(refOf(self), [&] { return geNodeInsert(refOf(self), graph, before); });
          },
          nb::arg("place"), nb::sig("def insert(self, place: Graph | InsertionPoint) -> None"),
          "Put a detached node (or one that is elsewhere in the same root graph) at the end of a "
          "graph, or at an\n"
          "insertion point.")
      .def_prop_ro(
          "view", [](nb::handle_t<NodeObject> self) { return typedViews().attr("of")(self); },
          nb::for_getter(nb::sig("def view(self, /) -> typing.Any")),
          "The node as an instance of its operator, with operands, results and attributes by name: "
          "of "
          "the class\nthat `ge.ops.register_view` registered, else a generic `ge.ops.OpView`.")
      .def(
          "detach",
          [](nb::handle_t<NodeObject> self) {
            edit(refOf(self), [&] { return geNodeDetach(refOf(self)); });
          },
          nb::sig("def detach(self) -> None"),
          "Take the node out of its graph's list. It stays bound to the root graph: its uses "
          "count, and it dies\n"
          "with it.")
      .def(
          "clone",
          [](nb::handle_t<NodeObject> self) {
            GeNodeRef *copy;
            edit(refOf(self), [&] { return geNodeClone(refOf(self), &copy); });
            return nb::steal(checked(wrapRef(copy)));
          },
          nb::sig("def clone(self) -> Node"),
          "Return a detached copy with the same operands; its name gets ``_1``. Cost: O(size).")
      .def(
          "is_before",
          [](nb::handle_t<NodeObject> self, nb::handle other) {
            bool before;
            check(geNodeIsBefore(refOf(self), nodeOf(other, "other"), &before));
            return before;
          },
          nb::arg("other"), nb::sig("def is_before(self, other: Node) -> bool"),
          "Whether it is before `other` in the list; across nesting, of the ancestors in the "
          "common graph.\n\n"
          "Raises\n------\nValueError\n    If there is no common graph.");
}

void defineParts(nb::class_<NodeObject> &node) {
  node.def(
          "add_subgraph",
          [](nb::handle_t<NodeObject> self, nb::handle slot, nb::handle graph) {
            GeStringRef text;
            if (!toText(slot.ptr(), "slot", text))
              throw nb::python_error();
            if (graph.is_none()) {
              GeGraphRef *fresh;
              edit(refOf(self), [&] {
                return geNodeAddSubgraph(refOf(self), text, GeStringRef{"", 0}, &fresh);
              });
              return nb::steal(checked(wrapRef(fresh)));
            }
            if (!isGraph(graph.ptr()))
              checked(raiseType("graph", "a Graph or None", graph.ptr()));
            edit(refOf(self), [&] {
              return geNodeAdoptSubgraph(refOf(self), text, payload<GraphObject>(graph.ptr()).ref);
            });
            return nb::borrow(graph);
          },
          nb::arg("slot"), nb::arg("graph") = nb::none(),
          nb::sig("def add_subgraph(self, slot: str, graph: Graph | None = None) -> Graph"),
          "Add a subgraph in a role such as ``then_branch``.\n\n"
          "Parameters\n----------\nslot : str\ngraph : Graph, optional\n"
          "    A root graph, which becomes the subgraph: handles into it stay alive. None makes an "
          "empty one.\n\n"
          "Returns\n-------\nGraph")
      .def("add_origin", addOrigin, nb::arg("node") = "", nb::kw_only(), nb::arg("op") = nb::none(),
           nb::arg("pass_name") = nb::none(), nb::arg("rule") = nb::none(),
           nb::arg("location") = nb::none(),
           nb::sig("def add_origin(self, node: str = '', *, op: str | None = None, pass_name: str "
                   "| None = None, "
                   "rule: str | None = None, location: Location | None = None) -> None"),
           "Add an `Origin`. `replace_with` adds them itself.");
}

void defineTexts(nb::class_<NodeObject> &node) {
  node.def(
          "is_structurally_equal",
          [](nb::handle_t<NodeObject> self, nb::handle other) {
            bool equal;
            check(geNodeIsStructurallyEqual(refOf(self), nodeOf(other, "other"), &equal));
            return equal;
          },
          nb::arg("other"), nb::sig("def is_structurally_equal(self, other: Node) -> bool"),
          "Return whether both have the same operator, attributes, types and graphs inside, and "
          "the "
          "same operands, or structurally equal ones in another graph; names do not count. Cost: "
          "O(size).")
      .def(
          "structural_hash",
          [](nb::handle_t<NodeObject> self) {
            uint64_t value;
            check(geNodeStructuralHash(refOf(self), &value));
            return value;
          },
          nb::sig("def structural_hash(self) -> int"),
          "Return a number that structurally equal nodes share. Cost: O(size).")
      .def(
          "to_text",
          [](nb::handle_t<NodeObject> self) {
            std::string text;
            check(geNodePrint(refOf(self), appendTo, &text));
            return nb::steal(checked(newText(stringRef(text))));
          },
          nb::sig("def to_text(self) -> str"),
          "Return the node as one line of the text form, large tensors elided.")
      .def(
          "to_desc",
          [](nb::handle_t<NodeObject> self) {
            return provider("descriptions of nodes").attr("to_desc")(self);
          },
          nb::sig("def to_desc(self) -> OpDesc"),
          "Return CANN's OpDesc of the node as plain data, `ge.ops.OpDesc`.")
      .def_static(
          "from_desc",
          [](nb::handle desc, nb::handle graph, nb::handle values) {
            return provider("descriptions of nodes").attr("from_desc")(desc, graph, values);
          },
          nb::arg("desc"), nb::arg("graph"), nb::arg("values") = nb::none(),
          nb::sig("def from_desc(desc: OpDesc, graph: Graph, values: collections.abc.Mapping[str, "
                  "Value] | None = None) -> Node"),
          "Make the node that an OpDesc describes at the end of `graph`.\n\n"
          "Parameters\n----------\ndesc : OpDesc\ngraph : Graph\nvalues : mapping, optional\n"
          "    Values by the names that `desc` has for operands; others are looked up in the "
          "graph.\n\n"
          "Raises\n------\nKeyError\n    If an operand, control input or output of a subgraph is "
          "not there; then no node was made.");
}

void defineProtocols(nb::class_<NodeObject> &node) {
  node.def(
          "__copy__", [](nb::handle_t<NodeObject> self) { return self.attr("clone")(); },
          nb::sig("def __copy__(self) -> Node"))
      .def(
          "__deepcopy__",
          [](nb::handle_t<NodeObject> self, nb::handle) { return self.attr("clone")(); },
          nb::sig("def __deepcopy__(self, memo: object) -> Node"))
      .def(
          "__reduce__",
          [](nb::handle) -> nb::object {
            throw nb::type_error("a Node cannot be pickled: pickle its graph or module");
          },
          nb::sig("def __reduce__(self) -> typing.NoReturn"));
}

} // namespace

void populateNode(nb::module_ &m) {
  nb::class_<NodeObject> node(
      m, "Node", nb::is_final(), nb::pooled(256), nb::type_slots(slots),
      "One operation of a graph: operator, name, operands, control edges, results, attributes, "
      "subgraphs,\n"
      "location, origins. Made by `Graph.add_node` or `Node.create`.\n\n"
      "Once the node is erased, everything but `is_alive`, `context`, ``repr``, ``str``, ``==`` "
      "and ``hash``\n"
      "raises `StaleHandleError`, which names what erased it. ``==`` and ``hash`` use identity.");
  definePlaces(node);
  defineParts(node);
  defineTexts(node);
  defineProtocols(node);
}

} // namespace ge::python
