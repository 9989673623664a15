//===- Rules.cpp - rewrite rules and their functions in Python --------------------------------===//
#include "Match.h"

#include "../IR/ErrorText.h"
#include "../IR/Scope.h"
#include "../IR/Unlock.h"
#include "../Passes/PopulatePasses.h"

#include <memory>

namespace ge::python {

namespace {

PyObject *skipClass;  ///< exception class that skips the current match; null: none
PyObject *pointClass; ///< InsertionPoint
PyObject *enterName, *exitName;

} // namespace

bool takeSkip() {
  if (!skipClass || !PyErr_ExceptionMatches(skipClass))
    return false;
  PyErr_Clear();
  return true;
}

namespace {

/// The Python objects that the functions of a rule need.
struct RuleFunctions {
  Hook condition, build;
  nb::object captures;
  bool inPlace = true; ///< called inside the insertion point; else the function returns a graph
};

void dropFunctions(void *functions) {
  if (GilAcquire held{})
    delete static_cast<RuleFunctions *>(functions);
}

GeStatus callCondition(const GeMatch *match, void *functions, bool *out) {
  GilAcquire held;
  if (!held)
    return failWithoutPython();
  auto &f = *static_cast<RuleFunctions *>(functions);
  try {
    nb::object yes = callHook(f.condition, match, f.captures);
    int truth = PyObject_IsTrue(yes.ptr());
    checked(truth);
    *out = truth != 0;
    return GE_OK;
  } catch (nb::python_error &e) {
    e.restore();
  } catch (...) {
    translateException();
  }
  if (takeSkip()) {
    *out = false;
    return GE_OK;
  }
  return failInCallback("a rule's condition raised an exception");
}

/// The values and nodes that a replacement function returned, kept while the rewriter needs them.
struct Given {
  nb::object result;
  std::vector<nb::object> held;
  std::vector<GeValueRef *> values;
};

void dropGiven(void *given) {
  if (GilAcquire held{})
    delete static_cast<Given *>(given);
}

void addValue(Given &given, nb::handle item) {
  if (item.is_none()) {
    given.values.push_back(nullptr);
    return;
  }
  nb::object value = nb::borrow(item);
  // A node with one result, or CANN's eager wrapper of a value.
  if (isNode(value.ptr()))
    value = value.attr("result");
  else if (!isValue(value.ptr()) && nb::hasattr(value, "value"))
    value = value.attr("value");
  if (!isValue(value.ptr()))
    checked(raiseType("what a replacement returns", "a Value, a sequence of them, or a Graph",
                      item.ptr()));
  given.values.push_back(payload<ValueObject>(value.ptr()).ref);
  given.held.push_back(std::move(value));
}

void readResult(Given &given, GeReplacement *out) {
  nb::object &result = given.result;
  if (isGraph(result.ptr())) {
    out->graph = payload<GraphObject>(result.ptr()).ref;
    return;
  }
  bool isSequence = PyTuple_Check(result.ptr()) || PyList_Check(result.ptr());
  if (isSequence)
    for (nb::handle item : result)
      addValue(given, item);
  else if (result.is_none())
    checked(raiseType("what a replacement returns", "a Value, a sequence of them, or a Graph",
                      result.ptr()));
  else
    addValue(given, result);
  out->values = given.values.data();
  out->numValues = given.values.size();
}

/// Calls the function inside `with InsertionPoint.before(node):`.
nb::object callAt(RuleFunctions &f, const GeMatch *match, GeGraphRef *graph, GeNodeRef *before) {
  nb::object place;
  if (before) {
    geNodeRetain(before);
    place = nb::steal(checked(wrapRef(before)));
    place = nb::handle(pointClass).attr("before")(place);
  } else {
    geGraphRetain(graph);
    place = nb::steal(checked(wrapRef(graph)));
    place = nb::handle(pointClass)(place);
  }
  nb::steal(checked(PyObject_CallMethodObjArgs(place.ptr(), enterName, nullptr)));
  nb::object result;
  std::exception_ptr error;
  try {
    result = callHook(f.build, match, f.captures);
  } catch (...) {
    error = std::current_exception();
  }
  nb::steal(checked(
      PyObject_CallMethodObjArgs(place.ptr(), exitName, Py_None, Py_None, Py_None, nullptr)));
  if (error)
    std::rethrow_exception(error);
  return result;
}

GeStatus callBuild(const GeMatch *match, GeGraphRef *graph, GeNodeRef *before, void *functions,
                   GeReplacement *out) {
  GilAcquire held;
  if (!held)
    return failWithoutPython();
  auto &f = *static_cast<RuleFunctions *>(functions);
  try {
    auto given = std::make_unique<Given>();
    given->result =
        f.inPlace ? callAt(f, match, graph, before) : callHook(f.build, match, f.captures);
    readResult(*given, out);
    out->release = dropGiven;
    out->owner = given.release();
    return GE_OK;
  } catch (nb::python_error &e) {
    e.restore();
  } catch (...) {
    translateException();
  }
  if (takeSkip()) {
    *out = {};
    out->skip = true;
    return GE_OK;
  }
  return failInCallback("a rule's replacement raised an exception");
}

Hook hookOf(nb::handle function, nb::handle arguments) {
  Hook hook;
  hook.function = nb::borrow(function);
  hook.takesMatch = arguments.is_none();
  if (!hook.takesMatch)
    for (nb::handle name : arguments) {
      // None stands for the match itself.
      if (name.is_none())
        hook.matchAt = hook.names.size();
      hook.names.push_back(name.is_none() ? std::string() : nb::cast<std::string>(name));
    }
  return hook;
}

void initRule(RuleObject &self, PatternObject &pattern, std::string_view name,
              nb::handle replacement, nb::handle inputs, nb::handle when, nb::handle whenArguments,
              nb::handle build, nb::handle buildArguments, bool inPlace, int32_t benefit,
              nb::handle captures) {
  new (&self) RuleObject();
  GeGraphRef *graph = nullptr;
  if (!replacement.is_none()) {
    if (!isGraph(replacement.ptr()))
      checked(raiseType("replacement", "a Graph", replacement.ptr()));
    graph = payload<GraphObject>(replacement.ptr()).ref;
  }
  std::vector<std::string> texts;
  std::vector<GeStringRef> names;
  if (!inputs.is_none())
    for (nb::handle item : inputs)
      texts.push_back(nb::cast<std::string>(item));
  for (const std::string &text : texts)
    names.push_back(stringRef(text));
  auto functions = std::make_unique<RuleFunctions>();
  functions->captures = nb::borrow(captures);
  functions->inPlace = inPlace;
  GeRuleCallbacks callbacks{};
  if (!when.is_none()) {
    functions->condition = hookOf(when, whenArguments);
    callbacks.condition = callCondition;
  }
  if (!build.is_none()) {
    functions->build = hookOf(build, buildArguments);
    callbacks.build = callBuild;
  }
  bool isForeign = callbacks.condition || callbacks.build;
  self.callsPython = isForeign || pattern.callsPython;
  if (isForeign) {
    callbacks.userData = functions.release();
    callbacks.deleteUserData = dropFunctions;
  }
  check(geRuleCreate(pattern.ref, {name.data(), name.size()}, graph,
                     inputs.is_none() ? nullptr : names.data(), names.size(),
                     isForeign ? &callbacks : nullptr, benefit, &self.ref));
}

nb::tuple rewriteGraph(nb::handle graph, const nb::sequence &rules, bool fixpoint, bool subgraphs,
                       bool outsideUses, uint32_t budget) {
  if (!isGraph(graph.ptr()))
    checked(raiseType("graph", "a Graph", graph.ptr()));
  std::vector<GeRule *> refs;
  std::vector<nb::object> held;
  for (nb::handle rule : rules) {
    RuleObject *object = nullptr;
    if (!nb::try_cast(rule, object) || !object)
      checked(raiseType("a rule", "a Rule", rule.ptr()));
    refs.push_back(object->ref);
    held.push_back(nb::borrow(rule));
  }
  GeGraphRef *g = payload<GraphObject>(graph.ptr()).ref;
  GeMatchOptions match{sizeof match, outsideUses, budget};
  GeRewriteOptions options{sizeof options, fixpoint, !subgraphs, &match};
  GeRewriteCounts counts{};
  std::vector<uint64_t> perRule(refs.size());
  check(afterCallbacks(writing(g, "rewriting", [&] {
    return geGraphRewrite(g, refs.data(), refs.size(), &options, &counts, perRule.data());
  })));
  nb::list each;
  for (uint64_t count : perRule)
    each.append(count);
  return nb::make_tuple(counts.rewrites, counts.cyclic, counts.exhausted, nb::tuple(each));
}

/// Clones `graph` before a node; returns the cloned nodes and the outputs.
nb::tuple copyNodes(nb::handle graph, nb::handle before, const nb::sequence &inputs,
                    const nb::str &prefix) {
  if (!isGraph(graph.ptr()))
    checked(raiseType("graph", "a Graph", graph.ptr()));
  if (!isNode(before.ptr()))
    checked(raiseType("before", "a Node", before.ptr()));
  std::vector<GeValueRef *> given;
  std::vector<nb::object> held;
  for (nb::handle value : inputs) {
    if (!value.is_none() && !isValue(value.ptr()))
      checked(raiseType("an input", "a Value or None", value.ptr()));
    held.push_back(nb::borrow(value));
    given.push_back(value.is_none() ? nullptr : payload<ValueObject>(value.ptr()).ref);
  }
  GeStringRef text;
  if (!toText(prefix.ptr(), "prefix", text))
    throw nb::python_error();
  GeGraphRef *from = payload<GraphObject>(graph.ptr()).ref;
  GeNodeRef *place = payload<NodeObject>(before.ptr()).ref;
  size_t count = 0;
  check(geGraphNumOutputs(from, &count));
  std::vector<GeNodeRef *> made;
  std::vector<GeValueRef *> outputs(count);
  {
    TracedEdit traced(place);
    check(geGraphCopyNodes(
        from, place, given.data(), given.size(), text,
        [](GeNodeRef *node, void *all) {
          static_cast<std::vector<GeNodeRef *> *>(all)->push_back(node);
        },
        &made, outputs.data()));
  }
  nb::list nodes, values;
  for (GeNodeRef *node : made)
    nodes.append(nb::steal(checked(wrapRef(node))));
  for (GeValueRef *value : outputs)
    values.append(nb::steal(checked(wrapRef(value))));
  return nb::make_tuple(nodes, values);
}

} // namespace

void populateRules(nb::module_ &m) {
  pointClass = Py_NewRef(reinterpret_cast<PyObject *>(classes.insertionPoint));
  enterName = checked(PyUnicode_InternFromString("__enter__"));
  exitName = checked(PyUnicode_InternFromString("__exit__"));
  nb::class_<RuleObject>(m, "GraphRule", nb::is_final(), nb::is_weak_referenceable(),
                         "A pattern and its replacement; made by `rewrite_rule`.")
      .def("__init__", initRule, nb::arg("pattern"), nb::arg("name"), nb::kw_only(),
           nb::arg("replacement") = nb::none(), nb::arg("inputs") = nb::none(),
           nb::arg("when") = nb::none(), nb::arg("when_arguments") = nb::none(),
           nb::arg("build") = nb::none(), nb::arg("build_arguments") = nb::none(),
           nb::arg("in_place") = true, nb::arg("benefit") = 0, nb::arg("captures") = nb::none())
      .def_prop_ro(
          "name",
          [](RuleObject &self) {
            return nb::steal<nb::str>(checked(newText(geRuleGetName(self.ref))));
          },
          "What origins and counts call it.");
  m.def("_rewrite", rewriteGraph, nb::arg("graph"), nb::arg("rules"), nb::arg("fixpoint"),
        nb::arg("subgraphs"), nb::arg("outside_uses"), nb::arg("budget"));
  m.def("_copy_nodes", copyNodes, nb::arg("graph"), nb::arg("before"), nb::arg("inputs"),
        nb::arg("prefix"));
  m.def("_set_skip", [](nb::handle type) { skipClass = Py_NewRef(type.ptr()); });
}

} // namespace ge::python
