//===- patterns_model.h - graphs, cuts, and a search that tries all assignments ---------------===//
//
// The part of patterns.cpp that knows nothing of the library under test.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TEST_RANDOM_PATTERNS_MODEL_H
#define TEST_RANDOM_PATTERNS_MODEL_H

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace patterns {

inline uint64_t randomState = 1;

inline uint32_t random32() {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return uint32_t(randomState >> 32);
}
inline int below(int n) { return int(random32() % uint32_t(n)); }
inline bool oneIn(int n) { return below(n) == 0; }

struct Operator {
  const char *name;
  int operands, results;
  bool commutes;
};
inline constexpr std::array kOperators = {
    Operator{"onnx.Relu", 1, 1, false}, Operator{"onnx.Neg", 1, 1, false},
    Operator{"onnx.Add", 2, 1, true},   Operator{"onnx.Mul", 2, 1, true},
    Operator{"onnx.Sub", 2, 1, false},  Operator{"test.Fork", 1, 2, false},
    Operator{"test.Mix", 3, 2, false},  Operator{"ge.Const", 0, 1, false},
};
inline constexpr int kConstant = int(kOperators.size()) - 1;

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

inline Model drawGraph() {
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
inline bool touch(const Model &graph, int a, int b) {
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
inline bool cut(const Model &graph, Cut &out) {
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
      // An unused result need not be an output if its node has another result.
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

} // namespace patterns

#endif // TEST_RANDOM_PATTERNS_MODEL_H
