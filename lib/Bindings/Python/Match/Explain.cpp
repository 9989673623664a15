//===- Explain.cpp - why a pattern does not match ---------------------------------------------===//
#include "Match.h"

#include "../IR/Unlock.h"

namespace ge::python {

namespace {

struct Destroy {
  void operator()(GeExplanation *explanation) const { geExplanationDestroy(explanation); }
};

template <auto get, typename... Args>
nb::object nodeOf(const GeExplanation *explanation, Args... args) {
  GeNodeRef *node = nullptr;
  check(get(explanation, args..., &node));
  return nb::steal(checked(wrapRef(node)));
}

nb::str text(GeStringRef string) { return nb::steal<nb::str>(checked(newText(string))); }

nb::dict attemptOf(const GeExplanation *explanation, size_t index) {
  GeAttempt attempt;
  check(geExplanationGetAttempt(explanation, index, &attempt));
  nb::dict out;
  out["reason"] = text(geMatchFailureName(attempt.failure));
  out["matched"] = attempt.matched;
  out["anchor"] = nodeOf<geExplanationGetAttemptAnchor>(explanation, index);
  out["node"] = nodeOf<geExplanationGetAttemptPlace>(explanation, index);
  out["expected"] = text(attempt.expected);
  out["found"] = text(attempt.found);
  nb::list nodes;
  for (size_t i = 0; i != attempt.numNodes; ++i)
    nodes.append(nodeOf<geExplanationGetAttemptNode>(explanation, index, i));
  out["nodes"] = nodes;
  return out;
}

nb::dict explainAll(nb::handle graph, nb::handle what, nb::handle node, size_t most,
                    bool outsideUses, uint32_t budget) {
  if (!isGraph(graph.ptr()))
    checked(raiseType("graph", "a Graph", graph.ptr()));
  if (!node.is_none() && !isNode(node.ptr()))
    checked(raiseType("node", "a Node", node.ptr()));
  GeGraphRef *g = payload<GraphObject>(graph.ptr()).ref;
  GeNodeRef *at = node.is_none() ? nullptr : payload<NodeObject>(node.ptr()).ref;
  GeMatchOptions options{sizeof options, outsideUses, budget};
  RuleObject *rule = nullptr;
  PatternObject *pattern = nullptr;
  if (!nb::try_cast(what, rule) && !nb::try_cast(what, pattern))
    checked(raiseType("what is explained", "a pattern or a rule", what.ptr()));
  GeExplanation *made = nullptr;
  GeStatus status = reading(g, [&] {
    return rule ? geGraphExplain(g, rule->ref, at, most, &options, &made)
                : geGraphExplainPattern(g, pattern->ref, at, most, &options, &made);
  });
  std::unique_ptr<GeExplanation, Destroy> explanation(made);
  check(afterCallbacks(status));
  nb::dict out;
  out["text"] = text(geExplanationGetText(made));
  out["matches"] = geExplanationNumMatches(made);
  out["pattern_nodes"] = geExplanationNumPatternNodes(made);
  nb::list attempts;
  for (size_t i = 0; i != geExplanationNumAttempts(made); ++i)
    attempts.append(attemptOf(made, i));
  out["attempts"] = attempts;
  nb::dict near;
  for (size_t i = 0; i != geExplanationNumNearOperators(made); ++i) {
    GeStringRef name;
    uint64_t count = 0;
    check(geExplanationGetNearOperator(made, i, &name, &count));
    near[text(name)] = count;
  }
  out["near_operators"] = near;
  return out;
}

} // namespace

void populateExplain(nb::module_ &m) {
  m.def("_explain", explainAll, nb::arg("graph"), nb::arg("what"), nb::arg("node").none(),
        nb::arg("most"), nb::arg("outside_uses"), nb::arg("budget"));
}

} // namespace ge::python
