//===- CommonSubexpressions.cpp - cse: the same is computed once ------------------------------===//
//
// Not the matcher: any two nodes are compared, by a hash of what they compute.
//
#include "Builtin.h"
#include "PassEditor.h"

#include "ge/IR/Analysis.h"
#include "ge/Ops/Schema/OpSegments.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ge::builtin {

namespace {

/// Attributes that affect the result; those of the ONNX reader describe the file.
bool counts(const Context &context, const AttributeList &list, uint32_t i) {
  return !context.identifierAt(list.nameIdAt(i))->str().starts_with("onnx.");
}

uint32_t numCounted(const Context &context, const AttributeList &list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i != list.size(); ++i)
    count += counts(context, list, i);
  return count;
}

bool sameAttributes(const Node *a, const Node *b) {
  const Context &context = a->context();
  const AttributeList &la = a->attributes(), &lb = b->attributes();
  if (numCounted(context, la) != numCounted(context, lb))
    return false;
  for (uint32_t i = 0; i != la.size(); ++i)
    if (counts(context, la, i)) {
      Attribute other = lb.find(la.nameIdAt(i));
      if (!other || !attrEquals(la.at(i), other))
        return false;
    }
  return true;
}

/// The operands without trailing absent ones, but for those of a list; the two of a commutative
/// operator are sorted.
std::vector<const Value *> comparedOperands(PassEditor &rewriter, const Node *node) {
  std::vector<const Value *> operands;
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    operands.push_back(node->operand(i));
  const OpDef *def = rewriter.definition(node);
  while (!(def && takesLists(*def)) && !operands.empty() && !operands.back())
    operands.pop_back();
  // Of three, the sum depends on the order.
  if (operands.size() == 2 && def && def->has(OpTrait::Commutative) && !def->hasOperandChoice() &&
      std::less<>()(operands[1], operands[0]))
    std::swap(operands[0], operands[1]);
  return operands;
}

struct Key {
  Node *node;
  std::vector<const Value *> operands;
  uint64_t hash;
};

bool sameComputation(const Key &a, const Key &b) {
  if (a.hash != b.hash || a.node->opId() != b.node->opId() || a.operands != b.operands ||
      a.node->numResults() != b.node->numResults() ||
      a.node->subgraphs().size() != b.node->subgraphs().size() || !sameAttributes(a.node, b.node) ||
      !sameSegments(a.node, b.node))
    return false;
  for (size_t i = 0; i != a.node->subgraphs().size(); ++i)
    if (a.node->subgraphs()[i]->slot() != b.node->subgraphs()[i]->slot() ||
        !isStructurallyEqual(a.node->subgraphs()[i], b.node->subgraphs()[i]))
      return false;
  return true;
}

/// Appends the values that the bodies capture, each once: they count as operands, in no particular
/// order.
void appendCaptured(const Node *node, std::vector<const Value *> &operands) {
  std::unordered_set<const Graph *> inside;
  std::vector<Graph *> graphs;
  for (Graph *body : node->subgraphs())
    for (Graph *each : allGraphs(*body)) {
      graphs.push_back(each);
      inside.insert(each);
    }
  std::vector<const Value *> captured;
  auto add = [&](const Node *user) {
    for (uint32_t i = 0; i != user->numOperands(); ++i)
      if (const Value *value = user->operand(i); value && !inside.contains(value->node()->graph()))
        captured.push_back(value);
  };
  for (const Graph *graph : graphs) {
    for (const Node *each = graph->front(); each; each = each->next())
      add(each);
    add(graph->output());
  }
  std::ranges::sort(captured, std::less<>());
  operands.insert(operands.end(), captured.begin(), std::ranges::unique(captured).begin());
}

Key keyOf(PassEditor &rewriter, Node *node) {
  Key key{node, comparedOperands(rewriter, node), node->op()->hash()};
  if (!node->subgraphs().empty())
    appendCaptured(node, key.operands);
  if (uint64_t segments = hashSegments(node))
    key.hash = hashCombine(key.hash, segments);
  for (const Value *operand : key.operands)
    key.hash = hashCombine(key.hash, reinterpret_cast<uintptr_t>(operand));
  uint64_t sum = 0;
  const AttributeList &list = node->attributes();
  for (uint32_t i = 0; i != list.size(); ++i)
    if (counts(node->context(), list, i))
      sum += hashCombine(list.nameIdAt(i), attrHash(list.at(i)));
  key.hash = hashCombine(key.hash, sum);
  for (const Graph *inner : node->subgraphs())
    key.hash = hashCombine(key.hash, structuralHash(inner));
  return key;
}

/// The expressions computed so far in a graph and in its enclosing graphs.
struct ExpressionScope {
  ExpressionScope *outer;
  std::unordered_multimap<uint64_t, Key> known;
};

class Eliminator {
public:
  explicit Eliminator(PassEditor &rewriter) : rewriter_(rewriter) {}

  void run(Graph &graph, ExpressionScope *outer) {
    std::vector<Node *> order;
    graph.topologicalOrder(order);
    ExpressionScope scope{outer, {}};
    for (Node *node : order) {
      rewriter_.poll();
      // Nested graphs first: two bodies may become equal by it.
      for (size_t i = 0; i < node->subgraphs().size(); ++i)
        run(*node->subgraphs()[i], &scope);
      if (!mayBeShared(node))
        continue;
      Key key = keyOf(rewriter_, node);
      std::string name = rewriter_.nameFor(node);
      if (Node *earlier = find(scope, key);
          earlier && rewriter_.mayRewrite() && rewriter_.replace(node, earlier)) {
        rewriter_.rewrote("merged", name);
        continue;
      }
      scope.known.emplace(key.hash, std::move(key));
    }
  }

private:
  bool mayBeShared(const Node *node) {
    return node->numResults() != 0 && isFree(node) && rewriter_.isPure(node) &&
           !constantTensor(node->result(0)) && // constants are left to share-weights
           !isOfWeight(node);
  }
  /// Runtimes recognise an operator on quantised operands by the nodes of its own before each of
  /// them, and those of a constant cost nothing.
  bool isOfWeight(const Node *node) {
    constexpr int kMost = 8;
    constexpr std::string_view kUnary[] = {
        "QuantizeLinear", "DequantizeLinear", "Identity",  "Reshape",
        "Transpose",      "Squeeze",          "Unsqueeze", "Cast"};
    if (!isOnnx(node, "DequantizeLinear") && !isOnnx(node, "QuantizeLinear"))
      return false;
    const Value *value = operandOf(node, 0);
    for (int i = 0; value && i != kMost && !rewriter_.isConstant(value); ++i) {
      auto isIt = [&](std::string_view op) { return isOnnx(value->node(), op); };
      value = std::ranges::any_of(kUnary, isIt) ? operandOf(value->node(), 0) : nullptr;
    }
    return value && rewriter_.isConstant(value);
  }
  static Node *find(ExpressionScope &innermost, const Key &key) {
    for (ExpressionScope *scope = &innermost; scope; scope = scope->outer) {
      auto [begin, end] = scope->known.equal_range(key.hash);
      for (auto at = begin; at != end; ++at)
        if (sameComputation(at->second, key))
          return at->second.node;
    }
    return nullptr;
  }
  PassEditor &rewriter_;
};

} // namespace

void registerCommonSubexpressions(PassRegistry &registry) {
  registry.add(functionPass(
      "cse",
      "Merges pure nodes with the same operator, operands and attributes; a node of an outer graph "
      "also replaces nodes in its subgraphs. Not: random operators, unregistered ones, two outputs "
      "of the graph, QuantizeLinear and DequantizeLinear of constants, of which runtimes need one "
      "for each user.",
      [](PassEditor &rewriter) { Eliminator(rewriter).run(rewriter.root(), nullptr); }));
}

} // namespace ge::builtin
