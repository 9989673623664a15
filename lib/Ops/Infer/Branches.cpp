//===- Branches.cpp - which branch of an If is taken ------------------------------------------===//
#include "ge/Ops/Infer/Branches.h"

#include "ge/Ops/Infer/InferGraph.h"

namespace ge {

std::string_view takenBranch(const Contents *condition) {
  if (!condition || condition->size() != 1 || !condition->elements[0].isInt())
    return {};
  return condition->elements[0].number != 0 ? "then_branch" : "else_branch";
}

bool isInDeadBranch(const Node *node) {
  for (const Graph *graph = node->graph(); graph; graph = node->graph()) {
    node = graph->parentNode();
    if (!node)
      return false;
    const OperatorName *op = node->op();
    if (op->domain() != "onnx" || op->type() != "If" || node->numOperands() == 0 ||
        !node->operand(0))
      continue;
    std::unique_ptr<ContentsSource> contents =
        lazyContents(node->context(), opsetOf(node->graph(), "onnx"));
    std::string_view taken = takenBranch(contents->contents(node->operand(0)));
    if (!taken.empty() && graph->slot() != taken)
      return true;
  }
  return false;
}

} // namespace ge
