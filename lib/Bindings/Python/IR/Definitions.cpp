//===- Definitions.cpp - Graph.infer_types and Graph.verify ------------------------------------===//
#include "Definitions.h"

#include "Convert.h"
#include "Errors.h"
#include "Scope.h"
#include "Unlock.h"

#include "ge-c/ONNX.h"
#include "ge-c/Ops.h"

#include <utility>
#include <vector>

namespace ge::python {

namespace {

/// The result of one call of infer_types.
struct InferredTypes {
  GeInferCounts counts{};
  nb::object unknownOperators, fallbackOperators, diagnostics;
};

uint32_t opsetOf(nb::handle opset) {
  if (opset.is_none())
    return 0;
  auto number = nb::cast<int64_t>(opset);
  if (number < 1 || number > INT32_MAX)
    throw nb::value_error("opset must be None or a version, such as 17");
  return uint32_t(number);
}

/// Collects reports; the GIL may be released around the call.
struct ReportCollector {
  nb::dict unknown, fallback;
  nb::list diagnostics;
  GeOpReport report{sizeof report, this, add<&ReportCollector::unknown>, addDiagnostic,
                    add<&ReportCollector::fallback>};

  template <nb::dict ReportCollector::*operators>
  static void add(GeStringRef op, uint64_t nodes, void *self) {
    guarded([&] {
      nb::object name = nb::steal(checked(newText(op)));
      (static_cast<ReportCollector *>(self)->*operators)[name] = nb::int_(nodes);
    });
  }
  static void addDiagnostic(const GeDiagnostic *d, void *self) {
    guarded([&] { static_cast<ReportCollector *>(self)->diagnostics.append(newDiagnostic(*d)); });
  }

private:
  template <typename F> static void guarded(F add) {
    GilAcquire held;
    if (!held)
      return;
    try {
      add();
    } catch (nb::python_error &e) {
      e.restore();
      keepException();
    }
  }
};

InferredTypes inferTypes(nb::handle_t<GraphObject> self, nb::handle opset) {
  GeGraphRef *graph = payload<GraphObject>(self.ptr()).ref;
  uint32_t version = opsetOf(opset);
  InferredTypes out;
  ReportCollector collected;
  check(afterCallbacks(geGraphLoadDomains(graph)));
  TracedEdit traced(geRefGetContext(graph));
  check(afterCallbacks(writing(graph, "infer_types", [&] {
    return geGraphInferTypes(graph, version, &collected.report, &out.counts);
  })));
  out.unknownOperators = collected.unknown;
  out.fallbackOperators = collected.fallback;
  out.diagnostics = nb::tuple(collected.diagnostics);
  return out;
}

nb::object opsets(nb::handle_t<GraphObject> self) {
  GeGraphRef *graph = payload<GraphObject>(self.ptr()).ref;
  GeAttribute found;
  check(afterCallbacks(reading(graph, [&] { return geGraphGetOpsets(graph, &found); })));
  return nb::steal(checked(newAttribute(found)));
}

bool verify(nb::handle_t<GraphObject> self, bool definitions, nb::handle opset) {
  GeGraphRef *graph = payload<GraphObject>(self.ptr()).ref;
  uint32_t version = opsetOf(opset);
  check(afterCallbacks(reading(graph, [&] { return geGraphVerify(graph); })));
  if (definitions) {
    check(afterCallbacks(geGraphLoadDomains(graph)));
    check(afterCallbacks(
        reading(graph, [&] { return geGraphVerifyDefinitions(graph, version, nullptr); })));
  }
  return true;
}

/// Holds values until their Python objects are created, which needs the GIL.
struct FoundDisputes {
  std::vector<std::pair<GeValueRef *, std::string>> all;
  ~FoundDisputes() {
    for (auto &[value, text] : all)
      geValueRelease(value);
  }
  static void add(GeValueRef *value, GeStringRef text, void *self) {
    geValueRetain(value);
    static_cast<FoundDisputes *>(self)->all.emplace_back(value,
                                                         std::string(text.data, text.length));
  }
};

nb::dict typeDisputes(nb::handle_t<GraphObject> self) {
  GeGraphRef *graph = payload<GraphObject>(self.ptr()).ref;
  check(afterCallbacks(geGraphLoadDomains(graph)));
  FoundDisputes found;
  check(afterCallbacks(
      reading(graph, [&] { return geGraphFindTypeDisputes(graph, FoundDisputes::add, &found); })));
  nb::dict out;
  constexpr size_t kStride = 1024;
  for (size_t i = 0; i != found.all.size(); ++i) {
    if (i % kStride == 0 && PyErr_CheckSignals() != 0)
      throw nb::python_error();
    auto &[value, text] = found.all[i];
    nb::object object = nb::steal(checked(wrapRef(std::exchange(value, nullptr))));
    out[object] = nb::str(text.data(), text.size());
  }
  return out;
}

} // namespace

void bindDefinitions(nb::module_ &m, nb::class_<GraphObject> &graph) {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)}, {0, nullptr}};
  nb::class_<InferredTypes>(m, "InferredTypes", nb::is_final(), nb::type_slots(slots),
                            "What `Graph.infer_types` found.")
      .def_prop_ro(
          "nodes", [](const InferredTypes &t) { return t.counts.nodes; }, "Nodes with results.")
      .def_prop_ro(
          "inferred", [](const InferredTypes &t) { return t.counts.inferred; },
          "Nodes all of whose results have a type of known rank now.")
      .def_prop_ro(
          "unknown", [](const InferredTypes &t) { return t.counts.unknown; }, "The other nodes.")
      .def_prop_ro(
          "by_fallback", [](const InferredTypes &t) { return t.counts.byFallback; },
          "Nodes whose types an inferrer from outside had to say, such as ONNX's reference "
          "inference.")
      .def_prop_ro(
          "fallback_operators", [](const InferredTypes &t) { return t.fallbackOperators; },
          nb::for_getter(nb::sig("def fallback_operators(self, /) -> dict[str, int]")),
          "The operators of those nodes, and how many have each.")
      .def_prop_ro(
          "changed", [](const InferredTypes &t) { return t.counts.changed; },
          "Values whose type was set.")
      .def_prop_ro(
          "unknown_operators", [](const InferredTypes &t) { return t.unknownOperators; },
          nb::for_getter(nb::sig("def unknown_operators(self, /) -> dict[str, int]")),
          "Operators without inference, and how many nodes have them.")
      .def_prop_ro(
          "diagnostics", [](const InferredTypes &t) { return t.diagnostics; },
          nb::for_getter(nb::sig("def diagnostics(self, /) -> tuple[Diagnostic, ...]")),
          "What is wrong: calls whose operands do not fit, and contradictions with declared types. "
          "Those stayed as\nthey were.")
      .def("__repr__", [](const InferredTypes &t) {
        nb::object fallback = nb::str("");
        if (t.counts.byFallback)
          fallback =
              nb::str(", {} by fallback: {}")
                  .format(t.counts.byFallback, nb::str(", ").attr("join")(t.fallbackOperators));
        return nb::str("<{} of {} nodes inferred{}, {} values changed, {} diagnostics>")
            .format(t.counts.inferred, t.counts.nodes, fallback, t.counts.changed,
                    nb::len(t.diagnostics));
      });
  graph.def_prop_ro(
      "opsets", opsets, nb::for_getter(nb::sig("def opsets(self, /) -> dict[str, int]")),
      "The operator sets that the graph's operators are of, by domain; ONNX's own is "
      "``\"onnx\"``. From the attribute ``opset``\n(``17`` or ``{\"onnx\": 17}``) of the graph, "
      "the imports of the function that it is, or those of its module.");
  graph
      .def("infer_types", inferTypes, nb::arg("opset") = nb::none(),
           nb::sig("def infer_types(self, opset: int | None = None) -> InferredTypes"),
           "Infer and set the types of all values, into subgraphs. A type is only ever made more "
           "precise.\n\n"
           "Parameters\n----------\nopset : int, optional\n    Of ONNX's operators; None: the "
           "attribute ``opset`` of graph or module, else the newest.\n\n"
           "Returns\n-------\nInferredTypes\n\nCost: O(nodes + edges). Large ones are worked on "
           "without the GIL.")
      .def("type_disputes", typeDisputes, nb::sig("def type_disputes(self) -> dict[Value, str]"),
           "Return the values, into subgraphs, whose declared type inference contradicts, with a "
           "sentence for each.\n\n"
           "Nothing is changed. Rules do not match where they would look at such a type; "
           "`infer_types` lists them, too,\nand the pass ``infer-types`` corrects them.\n\n"
           "Cost: O(nodes + edges).")
      .def("verify", verify, nb::kw_only(), nb::arg("definitions") = true,
           nb::arg("opset") = nb::none(),
           nb::sig("def verify(self, *, definitions: bool = True, opset: int | None = None) -> "
                   "bool"),
           "Return True if the graph is valid.\n\n"
           "Parameters\n----------\ndefinitions : bool\n    Check nodes against the definitions of "
           "their operators, too. Operators without one are not a fault.\n"
           "opset : int, optional\n    As of `infer_types`.\n\n"
           "Raises\n------\nVerifyError\n    With what is wrong in ``diagnostics``, up to 10,000 "
           "errors; the message "
           "shows the first 20.\n\nCost: "
           "O(nodes + edges).");
}

} // namespace ge::python
