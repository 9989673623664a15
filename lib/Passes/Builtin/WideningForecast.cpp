//===- WideningForecast.cpp - how much wider constants would enlarge a graph ------------------===//
//
// Counts bytes and rewrites nothing, so it needs no matcher.
//
#include "NarrowFloats.h"
#include "PassEditor.h"
#include "Weights.h"

#include <unordered_set>

namespace ge::builtin {

namespace {

class Forecast {
public:
  Forecast(PassEditor &editor, bool isExact, uint64_t limit)
      : editor_(editor), isExact_(isExact), limit_(limit) {}

  uint64_t run(Graph &graph) {
    uint64_t bytes = 0;
    std::vector<Node *> order;
    graph.topologicalOrder(order);
    for (Node *node : order) {
      editor_.poll();
      for (Graph *inner : node->subgraphs())
        bytes = addSaturated(bytes, run(*inner));
      if (node->numResults() == 0 || !node->subgraphs().empty() || !isFree(node))
        continue;
      if (editor_.isConstant(node->result(0)))
        constants_.insert(node->result(0));
      else if (std::optional<uint64_t> freed = freedBytes(node);
               freed && isComputed(node, *freed)) {
        bytes = addSaturated(bytes, editor_.policy().wideningOf(node, *freed));
        for (uint32_t i = 0; i != node->numResults(); ++i)
          constants_.insert(node->result(i));
      }
    }
    return bytes;
  }

private:
  static uint64_t sizeOf(const Value *value) {
    int64_t count = value->type()->isTensor() ? value->type()->numElements() : 0;
    return multiplySaturated(uint64_t(std::max<int64_t>(count, 0)),
                             (info(dtypeOf(value)).bits + 7u) / 8);
  }
  /// Of operands that nothing else needs; nullopt if the node does not depend on constants alone.
  std::optional<uint64_t> freedBytes(const Node *node) const {
    if (node->numOperands() == 0)
      return std::nullopt;
    uint64_t freed = 0;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (const Value *operand = node->operand(i)) {
        if (!constants_.contains(operand) && (i == 0 || !isOnnx(node, "CastLike")))
          return std::nullopt;
        if (constants_.contains(operand) && PassEditor::onlyUser(operand) == node)
          freed = addSaturated(freed, sizeOf(operand));
      }
    return freed;
  }
  bool isComputed(const Node *node, uint64_t freed) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Value *result = node->result(i);
      if (!result->hasUses())
        continue;
      if (!result->type()->isTensor() || result->type()->numElements() < 0)
        return false;
      if (uint64_t size = sizeOf(result); size > freed && size - freed > limit_)
        return false;
    }
    return !(isExact_ && roundsByWeights(node)) && !roundsOtherwise(node, isExact_) &&
           editor_.isPure(node) && !editor_.policy().keepsQuantized(node);
  }

  PassEditor &editor_;
  bool isExact_;
  uint64_t limit_;
  std::unordered_set<const Value *> constants_;
};

} // namespace

uint64_t wideningForecast(PassEditor &editor, bool isExact, uint64_t limit) {
  return Forecast(editor, isExact, limit).run(editor.root());
}

} // namespace ge::builtin
