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
#include "ge-c/Patterns.h"
#include "ge-c/Text.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

uint64_t seed = 1, randomState = 1;
int64_t step = 0;

uint32_t random32() {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return uint32_t(randomState >> 32);
}
int below(int n) { return int(random32() % uint32_t(n)); }
bool oneIn(int n) { return below(n) == 0; }

// --- Graphs as the driver sees them

struct Operator {
  const char *name;
  int operands, results;
  bool commutes;
};
constexpr std::array kOperators = {
    Operator{"onnx.Relu", 1, 1, false}, Operator{"onnx.Neg", 1, 1, false},
    Operator{"onnx.Add", 2, 1, true},   Operator{"onnx.Mul", 2, 1, true},
    Operator{"onnx.Sub", 2, 1, false},  Operator{"test.Fork", 1, 2, false},
    Operator{"test.Mix", 3, 2, false},  Operator{"ge.Const", 0, 1, false},
};
constexpr int kConstant = int(kOperators.size()) - 1;

/// Result `index` of a node, or input `index` for node -1.
struct Place {
  int node, index;
  auto operator<=>(const Place &) const = default;
};

struct Node {
  int op;
  std::vector<Place> operands;
  int contents = 0; ///< of a constant
  const Operator &operatorOf() const { return kOperators[size_t(op)]; }
  bool isConstant() const { return op == kConstant; }
};

struct Model {
  int numInputs = 0;
  std::vector<Node> nodes;
  std::vector<Place> outputs;

  bool isConstant(Place place) const {
    return place.node >= 0 && nodes[size_t(place.node)].isConstant();
  }
  std::string text(const char *type) const {
    auto value = [](Place place) {
      return place.node < 0 ? "%x" + std::to_string(place.index)
                            : "%v" + std::to_string(place.node) + "_" + std::to_string(place.index);
    };
    auto list = [](const auto &items, const auto &textOf) {
      std::string text;
      for (const auto &item : items)
        text += (text.empty() ? "" : ", ") + textOf(item);
      return text;
    };
    auto types = [&](const std::vector<Place> &values) {
      return list(values, [&](Place value) {
        return std::string(isConstant(value) ? "tensor<2xf32>" : type);
      });
    };
    std::string out = "func.func @main(";
    for (int i = 0; i != numInputs; ++i)
      out += (i ? ", %x" : "%x") + std::to_string(i) + ": " + type;
    out += ") -> (" + types(outputs) + ") {\n";
    for (int i = 0; i != int(nodes.size()); ++i) {
      const Node &node = nodes[size_t(i)];
      std::vector<Place> results;
      for (int r = 0; r != node.operatorOf().results; ++r)
        results.push_back({i, r});
      out += "  " + list(results, value) + " = \"" + node.operatorOf().name + "\"(" +
             list(node.operands, value) + ") {ge.name = \"n" + std::to_string(i) + "\"";
      if (node.isConstant())
        out += ", value = dense<" + std::to_string(node.contents) + ".0> : tensor<2xf32>";
      out += "} : (" + types(node.operands) + ") -> (" + types(results) + ")\n";
    }
    out += "  return " + list(outputs, value) + " : " + types(outputs) + "\n}\n";
    return out;
  }
};

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

Model drawGraph() {
  Model graph;
  graph.numInputs = 1 + below(3);
  std::vector<Place> values;
  for (int i = 0; i != graph.numInputs; ++i)
    values.push_back({-1, i});
  std::set<Place> used;
  const int numOperators = oneIn(3) ? 3 : int(kOperators.size());
  const int numNodes = 3 + below(11);
  for (int i = 0; i != numNodes; ++i) {
    Node node{below(numOperators), {}};
    if (node.isConstant())
      node.contents = below(2);
    for (int k = 0; k != node.operatorOf().operands; ++k) {
      int recent = std::min(int(values.size()), oneIn(3) ? int(values.size()) : 4);
      node.operands.push_back(values[values.size() - 1 - size_t(below(recent))]);
      used.insert(node.operands.back());
    }
    graph.nodes.push_back(node);
    for (int r = 0; r != node.operatorOf().results; ++r)
      values.push_back({i, r});
  }
  for (Place value : values)
    if (value.node >= 0 && (used.contains(value) ? oneIn(12) : !oneIn(4)))
      graph.outputs.push_back(value);
  if (graph.outputs.empty())
    graph.outputs.push_back(values.back());
  return graph;
}

/// Whether two nodes have an edge or an operand in common.
bool touch(const Model &graph, int a, int b) {
  auto leads = [&](int from, int to) {
    return std::ranges::any_of(graph.nodes[size_t(to)].operands,
                               [&](Place operand) { return operand.node == from; });
  };
  return leads(a, b) || leads(b, a) ||
         std::ranges::any_of(graph.nodes[size_t(a)].operands, [&](Place operand) {
           return std::ranges::count(graph.nodes[size_t(b)].operands, operand) != 0;
         });
}

struct Cut {
  Model pattern;
  std::vector<int> nodes; ///< of the graph, for each node of the pattern
};

/// Cuts out up to six nodes. False: these have more than three outputs.
bool cut(const Model &graph, Cut &out) {
  std::set<int> chosen;
  const int numNodes = 1 + below(6);
  const int pieces = oneIn(5) ? 2 : 1;
  for (int tries = 0; tries != 40 && int(chosen.size()) != numNodes; ++tries) {
    int node = below(int(graph.nodes.size()));
    bool isNear = std::ranges::any_of(chosen, [&](int other) { return touch(graph, node, other); });
    if (!graph.nodes[size_t(node)].isConstant() && (int(chosen.size()) < pieces || isNear))
      chosen.insert(node);
  }
  if (chosen.empty())
    return false;
  out = {};
  std::map<Place, Place> places;
  auto placeOf = [&](Place value) {
    if (auto at = places.find(value); at != places.end())
      return at->second;
    Place place{-1, 0};
    if (graph.isConstant(value) && !oneIn(3)) {
      place.node = int(out.pattern.nodes.size());
      out.pattern.nodes.push_back(graph.nodes[size_t(value.node)]);
      out.nodes.push_back(value.node);
    } else {
      place.index = out.pattern.numInputs++;
    }
    return places[value] = place;
  };
  std::set<Place> inner, outer(graph.outputs.begin(), graph.outputs.end());
  for (int i = 0; i != int(graph.nodes.size()); ++i)
    for (Place operand : graph.nodes[size_t(i)].operands)
      (chosen.contains(i) ? inner : outer).insert(operand);
  for (int i : chosen) {
    Node node = graph.nodes[size_t(i)];
    for (Place &operand : node.operands)
      operand = placeOf(operand);
    if (node.operatorOf().commutes && oneIn(2))
      std::swap(node.operands[0], node.operands[1]);
    for (int r = 0; r != node.operatorOf().results; ++r) {
      Place place = places[{i, r}] = {int(out.pattern.nodes.size()), r};
      // What nobody uses may be left out, if the node has another result.
      bool isUsed = outer.contains({i, r});
      if (isUsed || (!inner.contains({i, r}) && (node.operatorOf().results == 1 || oneIn(2))) ||
          oneIn(12))
        out.pattern.outputs.push_back(place);
    }
    out.pattern.nodes.push_back(node);
    out.nodes.push_back(i);
  }
  // Each node leads to an output.
  std::set<int> leading;
  for (int i = int(out.pattern.nodes.size()); i-- > 0;) {
    bool isOutput = std::ranges::any_of(out.pattern.outputs, [&](Place p) { return p.node == i; });
    if (!isOutput && !leading.contains(i))
      return false;
    for (Place operand : out.pattern.nodes[size_t(i)].operands)
      leading.insert(operand.node);
  }
  return out.pattern.outputs.size() <= 3 && !out.pattern.outputs.empty();
}

// --- The search that tries all assignments

class SlowMatcher {
public:
  SlowMatcher(const Model &pattern, const Model &graph)
      : pattern_(pattern), graph_(graph), nodes_(pattern.nodes.size(), -1) {}

  /// The nodes of the graph at which matches are anchored: what makes the first output.
  std::set<int> anchors() {
    assign(0);
    return anchors_;
  }
  /// Whether these nodes of the graph are a match. Nodes of constants are not looked at.
  bool isMatch(const std::vector<int> &nodes) {
    wanted_ = &nodes;
    assign(0);
    return !anchors_.empty();
  }

private:
  bool bind(Place wanted, Place found) {
    if (auto [at, isNew] = values_.emplace(wanted, found); !isNew)
      return at->second == found;
    if (pattern_.isConstant(wanted))
      return graph_.isConstant(found) && pattern_.nodes[size_t(wanted.node)].contents ==
                                             graph_.nodes[size_t(found.node)].contents;
    return wanted.node < 0 ||
           (nodes_[size_t(wanted.node)] == found.node && wanted.index == found.index);
  }

  void assign(size_t index) {
    if (index == nodes_.size()) {
      if (isClosed())
        anchors_.insert(nodes_[size_t(pattern_.outputs[0].node)]);
      return;
    }
    const Node &wanted = pattern_.nodes[index];
    if (wanted.isConstant())
      return assign(index + 1);
    for (int at = 0; at != int(graph_.nodes.size()); ++at) {
      const Node &node = graph_.nodes[size_t(at)];
      if (node.op != wanted.op || (wanted_ && (*wanted_)[index] != at) ||
          std::ranges::count(nodes_, at) != 0)
        continue;
      for (int order = 0; order != (wanted.operatorOf().commutes ? 2 : 1); ++order) {
        const std::map<Place, Place> before = values_;
        nodes_[index] = at;
        bool fits = true;
        for (size_t k = 0; k != wanted.operands.size() && fits; ++k)
          fits = bind(wanted.operands[k], node.operands[order ? 1 - k : k]);
        for (int r = 0; r != wanted.operatorOf().results && fits; ++r)
          fits = bind({int(index), r}, {at, r});
        if (fits)
          assign(index + 1);
        values_ = before;
        nodes_[index] = -1;
      }
    }
  }

  bool isClosed() const {
    auto isTaken = [&](int node) { return node >= 0 && std::ranges::count(nodes_, node) != 0; };
    std::set<Place> outputs;
    for (Place output : pattern_.outputs)
      outputs.insert(values_.at(output));
    for (const auto &[wanted, found] : values_)
      if (wanted.node < 0 && isTaken(found.node))
        return false;
    auto isInner = [&](Place value) { return isTaken(value.node) && !outputs.contains(value); };
    for (int i = 0; i != int(graph_.nodes.size()); ++i)
      if (!isTaken(i) && std::ranges::any_of(graph_.nodes[size_t(i)].operands, isInner))
        return false;
    return std::ranges::none_of(graph_.outputs, isInner);
  }

  const Model &pattern_, &graph_;
  const std::vector<int> *wanted_ = nullptr;
  std::vector<int> nodes_;
  std::map<Place, Place> values_;
  std::set<int> anchors_;
};

// --- The matcher

int numberOf(GeNodeRef *node) {
  GeStringRef name;
  MUST(geNodeGetName(node, &name, nullptr));
  return atoi(std::string(name.data, name.length).c_str() + 1);
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
      limit = atoll(argv[i] + 6);
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
