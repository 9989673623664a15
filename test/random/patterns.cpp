//===- patterns.cpp - patterns cut out of random graphs ---------------------------------------===//
//
// Draws a graph, cuts a pattern of up to six nodes and three outputs out of it, connected or in two
// pieces, and demands for every order of the outputs that the matcher finds what a search that
// tries all assignments finds, the place of the cut among it. Then it changes one node of the graph
// and demands the same, and that explanations are complete. The matches are also rewritten.
//
//   random-patterns [--ops=N] [--seed=S]
//
//===------------------------------------------------------------------------------------------===//
#include "patterns_model.h"

#include "ge-c/Patterns.h"
#include "ge-c/Text.h"

#include <cstdio>
#include <cstdlib>

namespace {

using namespace patterns;

uint64_t seed = 1;
int64_t step = 0;
std::string shown; ///< the graph and the pattern at hand, for a failure

#define FAIL(...)                                                                                  \
  do {                                                                                             \
    fprintf(stderr, __VA_ARGS__);                                                                  \
    fprintf(stderr, "\n");                                                                         \
    exit(1);                                                                                       \
  } while (0)

#define DEMAND(condition)                                                                          \
  do {                                                                                             \
    if (!(condition))                                                                              \
      FAIL("pattern %lld of --seed=%llu: not so: %s (last error: %.*s)\n%s", (long long)step,      \
           (unsigned long long)seed, #condition, (int)geErrorMessage().length,                     \
           geErrorMessage().data, shown.c_str());                                                  \
  } while (0)
#define MUST(call) DEMAND((call) == GE_OK)

// --- The matcher

int numberOf(GeNodeRef *node) {
  GeStringRef name;
  MUST(geNodeGetName(node, &name, nullptr));
  return int(strtol(std::string(name.data, name.length).c_str() + 1, nullptr, 10));
}

GeStringRef textRef(const std::string &text) { return {text.data(), text.size()}; }

GeGraphRef *parse(GeContext *context, const std::string &text) {
  GeGraphRef *graph = nullptr;
  MUST(geGraphParse(context, textRef(text), {"patterns", 8}, &graph));
  return graph;
}

/// All matches, which must be some; returns where they are anchored.
std::set<int> find(GeGraphRef *graph, GePattern *pattern, const Model &model, const Model &wanted) {
  GeMatches *matches = nullptr;
  MUST(geGraphFindMatches(graph, pattern, nullptr, false, nullptr, &matches));
  std::set<int> anchors;
  for (size_t i = 0; i != geMatchesSize(matches); ++i) {
    const GeMatch *match = nullptr;
    MUST(geMatchesGet(matches, i, &match));
    GeNodeRef *anchor = nullptr;
    MUST(geMatchGetAnchor(match, &anchor));
    DEMAND(anchors.insert(numberOf(anchor)).second);
    geNodeRelease(anchor);
    std::vector<int> nodes;
    for (size_t k = 0; k != wanted.nodes.size(); ++k) {
      nodes.push_back(-1);
      GeNodeRef *node = nullptr;
      if (wanted.nodes[k].isConstant())
        continue;
      MUST(geMatchGetNode(match, textRef("n" + std::to_string(k)), &node));
      DEMAND(node);
      nodes.back() = numberOf(node);
      geNodeRelease(node);
    }
    DEMAND(SlowMatcher(wanted, model).isMatch(nodes));
    for (size_t k = 0; k != wanted.outputs.size(); ++k) {
      GeValueRef *output = nullptr;
      MUST(geMatchGetOutput(match, k, &output));
      DEMAND(output);
      geValueRelease(output);
    }
  }
  geMatchesDestroy(matches);
  return anchors;
}

/// Reads all of an explanation; returns how many matches it counts.
size_t explain(GeGraphRef *graph, GePattern *pattern) {
  GeExplanation *explanation = nullptr;
  MUST(geGraphExplainPattern(graph, pattern, nullptr, 1 + size_t(below(8)), nullptr, &explanation));
  DEMAND(geExplanationGetText(explanation).length != 0);
  for (size_t i = 0; i != geExplanationNumAttempts(explanation); ++i) {
    GeAttempt attempt = {sizeof attempt, GE_FAILURE_NONE, 0, 0, {}, {}};
    MUST(geExplanationGetAttempt(explanation, i, &attempt));
    DEMAND(attempt.failure != GE_FAILURE_NONE && attempt.failure != GE_FAILURE_BUDGET);
    DEMAND(attempt.expected.length != 0 && attempt.found.length != 0);
    DEMAND(attempt.matched <= geExplanationNumPatternNodes(explanation));
    GeNodeRef *anchor = nullptr, *place = nullptr;
    MUST(geExplanationGetAttemptAnchor(explanation, i, &anchor));
    DEMAND(anchor);
    geNodeRelease(anchor);
    MUST(geExplanationGetAttemptPlace(explanation, i, &place));
    geNodeRelease(place);
    for (size_t k = 0; k != attempt.numNodes; ++k) {
      GeNodeRef *node = nullptr;
      MUST(geExplanationGetAttemptNode(explanation, i, k, &node));
      DEMAND(node);
      geNodeRelease(node);
    }
  }
  auto numMatches = size_t(geExplanationNumMatches(explanation));
  geExplanationDestroy(explanation);
  return numMatches;
}

/// Replaces matches by one node each. Whatever the order of the outputs is, the graph stays valid.
void rewrite(GeContext *context, GeGraphRef *graph, GePattern *pattern, const Model &wanted,
             size_t numMatches) {
  std::string text = "func.func @fused(", results, operands, types, unknown;
  for (int i = 0; i != wanted.numInputs; ++i) {
    text += (i ? ", %x" : "%x") + std::to_string(i) + ": !ge.unknown";
    operands += (i ? ", %x" : "%x") + std::to_string(i);
    unknown += i ? ", !ge.unknown" : "!ge.unknown";
  }
  for (size_t i = 0; i != wanted.outputs.size(); ++i) {
    results += (i ? ", %r" : "%r") + std::to_string(i);
    types += i ? ", !ge.unknown" : "!ge.unknown";
  }
  text += ") -> (" + types + ") {\n  " + results + " = \"test.Fused\"(" + operands + ") : (" +
          unknown + ") -> (" + types + ")\n  return " + results + " : " + types + "\n}\n";
  GeGraphRef *replacement = parse(context, text);
  GeRule *rule = nullptr;
  MUST(geRuleCreate(pattern, {"fuse", 4}, replacement, nullptr, 0, nullptr, 0, &rule));
  GeRewriteCounts counts = {sizeof counts, 0, 0, 0};
  MUST(geGraphRewrite(graph, &rule, 1, nullptr, &counts, nullptr));
  DEMAND((counts.rewrites + counts.cyclic != 0) == (numMatches != 0));
  DEMAND(counts.exhausted == 0);
  MUST(geGraphVerify(graph));
  MUST(geGraphSort(graph));
  geRuleRelease(rule);
  geGraphRelease(replacement);
}

/// Compares the matcher with the search that tries all assignments.
void compare(GeContext *context, const Model &model, const Cut &part, bool isPlaceOfCut) {
  Model wanted = part.pattern;
  std::ranges::sort(wanted.outputs);
  const std::string text = model.text("tensor<2xf32>");
  do {
    const std::string patternText = wanted.text("!ge.unknown");
    shown = text + patternText;
    GeGraphRef *graph = parse(context, text), *patternGraph = parse(context, patternText);
    GePattern *pattern = nullptr;
    MUST(gePatternCreate(patternGraph, nullptr, &pattern));
    const std::set<int> anchors = find(graph, pattern, model, wanted);
    DEMAND(anchors == SlowMatcher(wanted, model).anchors());
    if (isPlaceOfCut)
      DEMAND(anchors.contains(part.nodes[size_t(wanted.outputs[0].node)]));
    DEMAND(explain(graph, pattern) == anchors.size());
    if (oneIn(3))
      rewrite(context, graph, pattern, wanted, anchors.size());
    gePatternRelease(pattern);
    geGraphRelease(patternGraph);
    geGraphRelease(graph);
  } while (std::ranges::next_permutation(wanted.outputs).found);
}

/// Changes one of the nodes: its operator, an operand, or who uses it.
void change(Model &graph, const std::vector<int> &nodes) {
  const int at = nodes[size_t(below(int(nodes.size())))];
  Node &node = graph.nodes[size_t(at)];
  if (oneIn(4)) {
    graph.outputs.push_back({at, below(node.operatorOf().results)});
  } else if (node.operands.empty()) {
    ++node.contents;
  } else if (oneIn(2)) {
    node.operands[size_t(below(int(node.operands.size())))] = {-1, below(graph.numInputs)};
  } else {
    const Operator &was = node.operatorOf();
    for (int tries = 0; tries != 20; ++tries)
      if (int op = below(kConstant); op != node.op &&
                                     kOperators[size_t(op)].operands == was.operands &&
                                     kOperators[size_t(op)].results >= was.results) {
        node.op = op;
        return;
      }
  }
}

} // namespace

int main(int argc, char **argv) {
  int64_t limit = 2000;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.starts_with("--ops="))
      limit = strtoll(argv[i] + 6, nullptr, 10);
    else if (option.starts_with("--seed="))
      seed = strtoull(argv[i] + 7, nullptr, 10);
    else
      FAIL("unknown option %s; the options are --ops=N and --seed=S", argv[i]);
  }
  randomState = seed * 0x9e3779b97f4a7c15u + 1;
  GeContext *context = nullptr;
  MUST(geContextCreate(&context));
  int64_t severalOutputs = 0;
  while (step != limit) {
    Model graph = drawGraph();
    Cut part;
    if (!cut(graph, part))
      continue;
    ++step;
    severalOutputs += part.pattern.outputs.size() > 1;
    compare(context, graph, part, true);
    change(graph, part.nodes);
    compare(context, graph, part, false);
  }
  DEMAND(geContextLiveHandleCount(context) == 0 && geContextLiveGraphCount(context) == 0);
  geContextRelease(context);
  if (limit >= 100 && severalOutputs * 4 < limit)
    FAIL("%lld of %lld patterns have several outputs: too few", (long long)severalOutputs,
         (long long)limit);
  printf("%lld patterns, %lld with several outputs, seed %llu\n", (long long)limit,
         (long long)severalOutputs, (unsigned long long)seed);
  return 0;
}
