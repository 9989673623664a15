//===- Match.cpp - patterns and matches -------------------------------------------------------===//
#include "Match.h"

#include "../IR/ErrorText.h"
#include "../IR/Unlock.h"
#include "../Passes/PopulatePasses.h"

#include <memory>
#include <optional>

namespace ge::python {

namespace {

PyTypeObject *matchClass;
PyObject *nodeIoClass; ///< ge.passes.NodeIo

GeStringRef ref(const nb::str &text) {
  GeStringRef out;
  if (!toText(text.ptr(), "name", out))
    throw nb::python_error();
  return out;
}

GeAttributeMatch attributesOf(std::string_view text) {
  if (text == "given")
    return GE_MATCH_GIVEN_ATTRIBUTES;
  if (text == "none")
    return GE_MATCH_NO_ATTRIBUTES;
  if (text == "all")
    return GE_MATCH_ALL_ATTRIBUTES;
  throw nb::value_error("attributes must be 'given', 'none' or 'all'");
}

GeConstantMatch constantsOf(std::string_view text) {
  if (text == "value")
    return GE_MATCH_CONSTANT_VALUE;
  if (text == "any")
    return GE_MATCH_ANY_CONSTANT;
  if (text == "exact")
    return GE_MATCH_CONSTANT_BITS;
  throw nb::value_error("constants must be 'value', 'any' or 'exact'");
}

/// A Python predicate over a value, an attribute's value or (for a constant) the tensor. Called
/// with the arguments that the wrapper in ge.passes takes: (Value or None, object).
GeStatus testPredicate(GeValueRef *value, GeAttribute attribute, void *function, bool *out) {
  GilAcquire held;
  if (!held)
    return failWithoutPython();
  try {
    nb::object subject;
    if (value) {
      geValueRetain(value);
      subject = nb::steal(checked(wrapRef(value)));
    } else {
      geAttributeRetain(attribute);
      subject = nb::steal(checked(newAttribute(attribute)));
    }
    nb::object yes = nb::steal(checked(
        PyObject_CallFunctionObjArgs(static_cast<PyObject *>(function), subject.ptr(), nullptr)));
    int truth = PyObject_IsTrue(yes.ptr());
    checked(truth);
    *out = truth != 0;
    return GE_OK;
  } catch (nb::python_error &e) {
    e.restore();
  }
  if (takeSkip()) {
    *out = false;
    return GE_OK;
  }
  return failInCallback("a predicate of a pattern raised an exception");
}

void dropObject(void *object) {
  if (GilAcquire held{})
    Py_DECREF(static_cast<PyObject *>(object));
}

void initPattern(PatternObject &self, nb::handle graph, std::string_view attributes,
                 std::string_view constants, nb::tuple predicates, bool keepsOrder) {
  if (!isGraph(graph.ptr()))
    checked(raiseType("graph", "a Graph", graph.ptr()));
  new (&self) PatternObject();
  std::vector<GePredicate> functions;
  GePatternOptions options{
      sizeof options, attributesOf(attributes), constantsOf(constants), nullptr, 0, keepsOrder};
  for (nb::handle predicate : predicates)
    functions.push_back(
        {sizeof(GePredicate), testPredicate, Py_NewRef(predicate.ptr()), dropObject});
  options.predicates = functions.data();
  options.numPredicates = functions.size();
  self.callsPython = !functions.empty();
  check(gePatternCreate(payload<GraphObject>(graph.ptr()).ref, &options, &self.ref));
}

nb::list findMatches(PatternObject &self, nb::handle graph, bool subgraphs, bool outsideUses,
                     uint32_t budget, nb::handle captures) {
  if (!isGraph(graph.ptr()))
    checked(raiseType("graph", "a Graph", graph.ptr()));
  GeGraphRef *g = payload<GraphObject>(graph.ptr()).ref;
  GeMatchOptions options{sizeof options, outsideUses, budget};
  GeMatches *found = nullptr;
  check(afterCallbacks(reading(
      g, [&] { return geGraphFindMatches(g, self.ref, &options, subgraphs, nullptr, &found); })));
  std::shared_ptr<GeMatches> all(found, geMatchesDestroy);
  nb::list list;
  for (size_t i = 0; i != geMatchesSize(found); ++i) {
    const GeMatch *match = nullptr;
    check(geMatchesGet(found, i, &match));
    list.append(newMatch(all, match, captures));
  }
  return list;
}

nb::tuple names(PatternObject &self) {
  nb::list list;
  check(gePatternGetNames(
      self.ref,
      [](GeStringRef name, void *out) {
        static_cast<nb::list *>(out)->append(nb::steal(newText(name)));
      },
      &list));
  return nb::tuple(list);
}

nb::tuple inputNames(PatternObject &self) {
  nb::list list;
  for (size_t i = 0; i != gePatternNumInputs(self.ref); ++i) {
    GeStringRef name;
    check(gePatternGetInputName(self.ref, i, &name));
    list.append(nb::steal(checked(newText(name))));
  }
  return nb::tuple(list);
}

// --- Matches

const GeMatch *live(PyObject *self) {
  const GeMatch *match = payload<MatchObject>(self).match;
  if (!match) {
    PyErr_SetString(exceptionOf(GE_ERROR_STALE),
                    "MatchResult handle has expired: a match that a hook was given is valid until "
                    "the hook returns; keep its values or nodes instead");
    throw nb::python_error();
  }
  return match;
}

nb::object restOf(const GeMatch *match, GeStringRef name, bool &isRest) {
  size_t count = 0;
  isRest = geMatchGetRest(match, name, nullptr, 0, &count) == GE_OK;
  if (!isRest)
    return {};
  std::vector<GeValueRef *> values(count);
  check(geMatchGetRest(match, name, values.data(), count, &count));
  nb::list list;
  for (GeValueRef *value : values)
    list.append(nb::steal(checked(wrapRef(value))));
  return nb::tuple(list);
}

nb::object named(const GeMatch *match, GeStringRef name) {
  GeValueRef *value = nullptr;
  GeStatus status = geMatchGetValue(match, name, &value);
  if (status == GE_OK && value)
    return nb::steal(checked(wrapRef(value)));
  bool isRest = false;
  if (status == GE_OK)
    if (nb::object rest = restOf(match, name, isRest); isRest)
      return rest;
  if (status != GE_ERROR_KEY) {
    check(status);
    return nb::none();
  }
  GeAttribute attribute{0};
  if (geMatchGetAttribute(match, name, &attribute) == GE_OK)
    return attribute.bits ? nb::steal(checked(newAttribute(attribute))) : nb::none();
  GeNodeRef *node = nullptr;
  if (geMatchGetNode(match, name, &node) == GE_OK)
    return nb::steal(checked(wrapRef(node)));
  // The error of the first query lists all names of the match.
  check(geMatchGetValue(match, name, &value));
  return nb::none();
}

PyObject *subscript(PyObject *self, PyObject *key) {
  const GeMatch *match = live(self);
  GeStringRef name;
  if (!toText(key, "name", name))
    return nullptr;
  return named(match, name).release().ptr();
}

template <auto get> nb::tuple sequence(const GeMatch *match, size_t count) {
  nb::list list;
  for (size_t i = 0; i != count; ++i) {
    GeValueRef *value = nullptr;
    check(get(match, i, &value));
    list.append(nb::steal(checked(wrapRef(value))));
  }
  return nb::tuple(list);
}

nb::tuple matchedNodes(const GeMatch *match) {
  size_t count = 0;
  check(geMatchNumNodes(match, &count));
  nb::list list;
  for (size_t i = 0; i != count; ++i) {
    GeNodeRef *node = nullptr;
    check(geMatchGetMatchedNode(match, i, &node));
    list.append(nb::steal(checked(wrapRef(node))));
  }
  return nb::tuple(list);
}

/// Includes constants, as in a GE graph: each at its place in the list, those of enclosing graphs
/// first.
nb::list matchedWithConstants(const GeMatch *match) {
  size_t count = 0;
  check(geMatchNumConstants(match, &count));
  nb::list list(matchedNodes(match));
  GeNodeRef *anchor = nullptr;
  check(geMatchGetAnchor(match, &anchor));
  nb::object graph = nb::steal(checked(wrapRef(anchor))).attr("graph");
  for (size_t i = 0; i != count; ++i) {
    GeValueRef *value = nullptr;
    check(geMatchGetConstant(match, i, &value));
    nb::object node = nb::steal(checked(wrapRef(value))).attr("node");
    bool isInside = node.attr("graph").is(graph);
    size_t at = 0;
    for (; isInside && at != nb::len(list); ++at)
      if (nb::object other = list[at];
          other.attr("graph").is(graph) && !nb::cast<bool>(other.attr("is_before")(node)))
        break;
    list.insert(Py_ssize_t(at), node);
  }
  return list;
}

using MatchHandle = nb::handle_t<MatchObject>;

nb::object capturedTensor(MatchHandle self, nb::handle index) {
  const GeMatch *match = live(self.ptr());
  PyObject *captures = payload<MatchObject>(self.ptr()).captures;
  int overflow = 0;
  long long i =
      PyLong_Check(index.ptr()) ? PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) : -1;
  if (i < 0 && overflow <= 0)
    throw nb::type_error("get_captured_tensor(): index must be a non-negative integer");
  GeValueRef *value = nullptr;
  if (captures && i >= 0 && i < PyTuple_Size(captures)) {
    GeStringRef name;
    if (!toText(PyTuple_GetItem(captures, i), "name", name))
      throw nb::python_error();
    check(geMatchGetValue(match, name, &value));
  }
  if (!value) {
    PyErr_SetString(PyExc_RuntimeError, "Failed to get captured tensor from MatchResult: the "
                                        "pattern captured no tensor with that index");
    throw nb::python_error();
  }
  nb::object captured = nb::steal(checked(wrapRef(value)));
  return nb::handle(nodeIoClass)(captured.attr("node"), captured.attr("index"));
}

nb::str textOf(MatchHandle self) {
  const GeMatch *match = live(self.ptr());
  std::string text = "[PatternName:";
  GeStringRef name = gePatternGetName(geMatchGetPattern(match));
  text.append(name.data, name.length).append("][MatchNodesPair]{");
  bool first = true;
  for (nb::handle node : matchedWithConstants(match)) {
    text += first ? "" : ", ";
    first = false;
    text += "{" + nb::cast<std::string>(node.attr("type")) + ":" +
            nb::cast<std::string>(node.attr("name")) + "}";
  }
  return nb::str((text + "}").c_str());
}

void defineValues(nb::class_<MatchObject> &match) {
  match
      .def_prop_ro(
          "nodes", [](MatchHandle self) { return matchedNodes(live(self.ptr())); },
          nb::for_getter(nb::sig("def nodes(self, /) -> tuple[typing.Any, ...]")),
          "The matched nodes in the order of the graph's list, without constants.")
      .def_prop_ro(
          "anchor",
          [](MatchHandle self) {
            GeNodeRef *node = nullptr;
            check(geMatchGetAnchor(live(self.ptr()), &node));
            return nb::steal(checked(wrapRef(node)));
          },
          nb::for_getter(nb::sig("def anchor(self, /) -> typing.Any")),
          "The node at which the match began: what makes the pattern's first output.")
      .def_prop_ro(
          "inputs",
          [](MatchHandle self) {
            const GeMatch *match = live(self.ptr());
            return sequence<geMatchGetInput>(match, gePatternNumInputs(geMatchGetPattern(match)));
          },
          nb::for_getter(nb::sig("def inputs(self, /) -> tuple[typing.Any, ...]")),
          "What the pattern's inputs are, in order; None for one that is not bound.")
      .def_prop_ro(
          "outputs",
          [](MatchHandle self) {
            const GeMatch *match = live(self.ptr());
            return sequence<geMatchGetOutput>(match, gePatternNumOutputs(geMatchGetPattern(match)));
          },
          nb::for_getter(nb::sig("def outputs(self, /) -> tuple[typing.Any, ...]")),
          "What the pattern's outputs are, in order.")
      .def_prop_ro(
          "is_valid",
          [](MatchHandle self) { return payload<MatchObject>(self.ptr()).match != nullptr; },
          nb::for_getter(nb::sig("def is_valid(self, /) -> bool")),
          "Whether it has not expired. Never raises.");
}

void defineQuestions(nb::class_<MatchObject> &match) {
  match
      .def(
          "node",
          [](MatchHandle self, nb::str name) {
            GeNodeRef *node = nullptr;
            check(geMatchGetNode(live(self.ptr()), ref(name), &node));
            return nb::steal(checked(wrapRef(node)));
          },
          nb::arg("name"), nb::sig("def node(self, name: str) -> typing.Any"),
          "Return the node with that name in the pattern, or that makes the value with it.\n\n"
          "Raises\n------\nKeyError\n    With the names that there are.")
      .def(
          "reject",
          [](MatchHandle self, nb::str reason) {
            check(geMatchSetReason(live(self.ptr()), ref(reason)));
            return false;
          },
          nb::arg("reason"), nb::sig("def reject(self, reason: str) -> typing.Literal[False]"),
          "Return False, for a condition: ``return match.reject(\"odd width\")``. `explain` shows "
          "the reason.")
      .def(
          "get_matched_nodes",
          [](MatchHandle self) { return matchedWithConstants(live(self.ptr())); },
          nb::sig("def get_matched_nodes(self) -> list[typing.Any]"),
          "Return the matched nodes as a list, as GE does: with constants, unlike `nodes`.")
      .def("get_captured_tensor", capturedTensor, nb::arg("index"),
           nb::sig("def get_captured_tensor(self, index: int) -> typing.Any"),
           "Return the `NodeIo` of the tensor that `Pattern.capture_tensor` captured as number "
           "`index`.\n\n"
           "Raises\n------\nRuntimeError\n    When there is none.")
      .def(
          "get_pattern_graph_name",
          [](MatchHandle self) {
            return nb::steal<nb::str>(
                checked(newText(gePatternGetName(geMatchGetPattern(live(self.ptr()))))));
          },
          nb::sig("def get_pattern_graph_name(self) -> str"), "Return the pattern's name.")
      .def("__str__", textOf);
}

} // namespace

nb::object newMatch(std::shared_ptr<GeMatches> all, const GeMatch *match, nb::handle captures) {
  PyObject *object = checked(allocate(matchClass));
  auto *m = new (&payload<MatchObject>(object)) MatchObject();
  m->match = match;
  m->all = std::move(all);
  m->captures = captures.is_valid() && !captures.is_none() ? Py_NewRef(captures.ptr()) : nullptr;
  return nb::steal(object);
}

BorrowedMatch::BorrowedMatch(const GeMatch *match, nb::handle captures)
    : object_(newMatch(nullptr, match, captures)) {}
BorrowedMatch::~BorrowedMatch() { payload<MatchObject>(object_.ptr()).match = nullptr; }

nb::object callHook(const Hook &hook, const GeMatch *match, nb::handle captures) {
  if (hook.takesMatch) {
    BorrowedMatch borrowed(match, captures);
    return nb::steal(
        checked(PyObject_CallFunctionObjArgs(hook.function.ptr(), borrowed.get().ptr(), nullptr)));
  }
  nb::object arguments = nb::steal(checked(PyTuple_New(Py_ssize_t(hook.names.size()))));
  std::optional<BorrowedMatch> borrowed;
  for (size_t i = 0; i != hook.names.size(); ++i) {
    nb::object argument;
    if (i == hook.matchAt)
      argument = nb::borrow(borrowed.emplace(match, captures).get());
    else
      argument = named(match, stringRef(hook.names[i]));
    PyTuple_SetItem(arguments.ptr(), Py_ssize_t(i), argument.release().ptr());
  }
  return nb::steal(checked(PyObject_Call(hook.function.ptr(), arguments.ptr(), nullptr)));
}

void populateMatchResults(nb::module_ &m) {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                                {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                                {Py_mp_subscript, slot<subscript>()},
                                {0, nullptr}};
  nb::class_<MatchObject> match(
      m, "MatchResult", nb::is_final(), nb::type_slots(slots),
      "A place in a graph where a pattern matches.\n\n"
      "``match[\"x\"]`` is the Value that the pattern's ``x`` is there (a tuple for a rest, an "
      "attribute's value for\na bound attribute, a Node for a node's name), None where it is not "
      "bound. A match that a hook is given\nexpires when the hook returns; one of ``graph.find`` "
      "lives on, and what is erased meanwhile is stale.");
  matchClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(match.ptr()));
  defineValues(match);
  defineQuestions(match);
}

void populateMatcher(nb::module_ &m) {
  nb::class_<PatternObject>(
      m, "GraphPattern", nb::is_final(), nb::is_weak_referenceable(),
      "A pattern read from a graph, for matching: what `pattern` and `Pattern` become.\n\n"
      "Parameters\n----------\ngraph : Graph\n    Copied.\n"
      "attributes : {\"given\", \"none\", \"all\"}\n    Which attributes of a node must be those "
      "of "
      "the pattern's.\n"
      "constants : {\"value\", \"any\", \"exact\"}\n    When a constant matches one of the "
      "pattern.\n"
      "predicates : tuple of callable\n    The functions that ``predicate = i`` in the graph "
      "refers to.\n"
      "keeps_order : bool\n    Match operands of commutative operators in the pattern's order "
      "only.\n\n"
      "Raises\n------\nValueError\n    Where the graph cannot be a pattern.\nKeyError\n    For an "
      "operator that a known namespace lacks, with near names.")
      .def("__init__", initPattern, nb::arg("graph"), nb::kw_only(),
           nb::arg("attributes") = "given", nb::arg("constants") = "value",
           nb::arg("predicates") = nb::make_tuple(), nb::arg("keeps_order") = false)
      .def_prop_ro(
          "name",
          [](PatternObject &self) {
            return nb::steal<nb::str>(checked(newText(gePatternGetName(self.ref))));
          },
          "The graph's name.")
      .def_prop_ro("input_names", inputNames,
                   nb::for_getter(nb::sig("def input_names(self, /) -> tuple[str, ...]")),
                   "Of the inputs, in order.")
      .def_prop_ro("names", names, nb::for_getter(nb::sig("def names(self, /) -> tuple[str, ...]")),
                   "What a match can be asked for.")
      .def_prop_ro(
          "num_outputs", [](PatternObject &self) { return gePatternNumOutputs(self.ref); },
          "How many outputs it has.")
      .def_prop_ro(
          "num_nodes", [](PatternObject &self) { return gePatternNumNodes(self.ref); },
          "How many nodes are to be found.")
      .def("find", findMatches, nb::arg("graph"), nb::kw_only(), nb::arg("subgraphs") = true,
           nb::arg("outside_uses") = false, nb::arg("budget") = 0, nb::arg("captures") = nb::none(),
           nb::sig("def find(self, graph: typing.Any, *, subgraphs: bool = True, outside_uses: "
                   "bool = False, budget: int = 0, captures: tuple[str, ...] | None = None) -> "
                   "list[MatchResult]"),
           "Return all matches, in the order of the node list.\n\n"
           "Parameters\n----------\ngraph : Graph\nsubgraphs : bool\n    Bodies of If, Loop, ... "
           "too.\noutside_uses : bool\n    Values that are not outputs of the pattern may be used "
           "outside of a match.\nbudget : int\n    Steps for one node; 0: 65536.\n"
           "captures : tuple of str, optional\n    Names for `MatchResult.get_captured_tensor`.\n\n"
           "Cost: O(nodes) expected.");
  m.def("_set_node_io", [](nb::handle type) { nodeIoClass = Py_NewRef(type.ptr()); });
  m.def("_consume", [](nb::handle graph) {
    if (!isGraph(graph.ptr()))
      checked(raiseType("graph", "a Graph", graph.ptr()));
    check(geGraphExpireHandles(payload<GraphObject>(graph.ptr()).ref, true, nullptr));
  });
  populateMatchResults(m);
  populateRules(m);
  populateExplain(m);
}

} // namespace ge::python
