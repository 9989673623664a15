//===- PatternsExplain.cpp - ge-c/Patterns.h: why a pattern does not match --------------------===//

#include "Patterns.h"

#include "ge/Passes/Rewrite/Explain.h"

using namespace ge;
using namespace ge::capi;

struct GeExplanation {
  Explanation explanation;
  std::string text;
  struct Places {
    HandleRecord *anchor, *at;
    std::vector<HandleRecord *> nodes;
  };
  std::vector<Places> places;

  ~GeExplanation() {
    auto release = [](HandleRecord *record) {
      if (record)
        releaseHandle(record);
    };
    for (const Places &p : places) {
      release(p.anchor);
      release(p.at);
      for (HandleRecord *node : p.nodes)
        release(node);
    }
  }
};

namespace {

void run(GeGraphRef *graph, const RewriteRule &rule, GeNodeRef *node, size_t most,
         const GeMatchOptions *options, GeExplanation **out) {
  GeExplanation *&explanation = result(out);
  Reading<Graph> g(graph, "graph");
  std::unique_ptr<ReadAccess> access;
  if (rule.condition || rule.pattern->hasPredicates())
    access = std::make_unique<ReadAccess>(g.root(), true);
  ExplainOptions how;
  how.node = g.peerOrNull<Node>(node, "node");
  if (most)
    how.most = most;
  how.match = matchOptions(options);
  auto made = std::make_unique<GeExplanation>();
  made->explanation = explain(rule, g.get(), how);
  made->text = made->explanation.text();
  auto hold = [](const Node *held) {
    return held ? acquireHandle(const_cast<Node *>(held)) : nullptr;
  };
  for (const PartialMatch &attempt : made->explanation.attempts) {
    GeExplanation::Places &places =
        made->places.emplace_back(hold(attempt.anchor), hold(attempt.at));
    for (const Node *matched : attempt.nodes)
      places.nodes.push_back(hold(matched));
  }
  explanation = made.release();
}

const GeExplanation &needExplanation(const GeExplanation *explanation) {
  if (!explanation)
    throwNull("explanation");
  return *explanation;
}

GeNodeRef *shared(HandleRecord *record) {
  if (record)
    retainHandle(record);
  return reinterpret_cast<GeNodeRef *>(record);
}

const GeExplanation::Places &placesAt(const GeExplanation *explanation, size_t index) {
  return needExplanation(explanation)
      .places[needIndex("attempt", index, explanation->places.size())];
}

} // namespace

static_assert(int(MatchFailure::Budget) == GE_FAILURE_BUDGET);

GeStringRef geMatchFailureName(GeMatchFailure failure) {
  int number = numberOf(failure);
  if (number < 0 || number > GE_FAILURE_BUDGET)
    return {"", 0};
  return stringRef(matchFailureName(static_cast<MatchFailure>(number)));
}

GeStatus geGraphExplain(GeGraphRef *graph, GeRule *rule, GeNodeRef *node, size_t most,
                        const GeMatchOptions *options, GeExplanation **out) {
  return interruptible([&] {
    if (!rule)
      throwNull("rule");
    run(graph, rule->rule, node, most, options, out);
  });
}

GeStatus geGraphExplainPattern(GeGraphRef *graph, GePattern *pattern, GeNodeRef *node, size_t most,
                               const GeMatchOptions *options, GeExplanation **out) {
  return interruptible([&] {
    if (!pattern)
      throwNull("pattern");
    RewriteRule rule;
    rule.pattern = pattern->pattern;
    run(graph, rule, node, most, options, out);
  });
}

void geExplanationDestroy(GeExplanation *explanation) { delete explanation; }

GeStringRef geExplanationGetText(const GeExplanation *explanation) {
  return explanation ? stringRef(explanation->text) : GeStringRef{"", 0};
}
uint64_t geExplanationNumMatches(const GeExplanation *explanation) {
  return explanation ? explanation->explanation.matches : 0;
}
size_t geExplanationNumPatternNodes(const GeExplanation *explanation) {
  return explanation ? explanation->explanation.numNodes : 0;
}
size_t geExplanationNumAttempts(const GeExplanation *explanation) {
  return explanation ? explanation->places.size() : 0;
}

GeStatus geExplanationGetAttempt(const GeExplanation *explanation, size_t index, GeAttempt *out) {
  return guarded([&] {
    placesAt(explanation, index);
    const PartialMatch &p = explanation->explanation.attempts[index];
    GeAttempt attempt = {sizeof attempt,
                         static_cast<GeMatchFailure>(p.failure),
                         p.matched,
                         p.nodes.size(),
                         stringRef(p.expected),
                         stringRef(p.found)};
    giveSized(attempt, out, "GeAttempt");
  });
}

GeStatus geExplanationGetAttemptAnchor(const GeExplanation *explanation, size_t index,
                                       GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&node = result(out);
    node = shared(placesAt(explanation, index).anchor);
  });
}

GeStatus geExplanationGetAttemptPlace(const GeExplanation *explanation, size_t index,
                                      GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&node = result(out);
    node = shared(placesAt(explanation, index).at);
  });
}

GeStatus geExplanationGetAttemptNode(const GeExplanation *explanation, size_t index, size_t node,
                                     GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    const auto &nodes = placesAt(explanation, index).nodes;
    found = shared(nodes[needIndex("matched node", node, nodes.size())]);
  });
}

size_t geExplanationNumNearOperators(const GeExplanation *explanation) {
  return explanation ? explanation->explanation.nearOperators.size() : 0;
}

GeStatus geExplanationGetNearOperator(const GeExplanation *explanation, size_t index,
                                      GeStringRef *name, uint64_t *count) {
  return guarded([&] {
    GeStringRef &found = result(name, "name");
    uint64_t &number = result(count, "count");
    const auto &near = needExplanation(explanation).explanation.nearOperators;
    const auto &entry = near[needIndex("operator", index, near.size())];
    found = stringRef(entry.first);
    number = entry.second;
  });
}
