//===- Weights.cpp - operators that sum products with weights ---------------------------------===//
//
// Looks at single nodes and rewrites nothing, so it needs no matcher.
//
#include "Weights.h"

#include "ge/IR/FloatFormat.h"

#include <algorithm>

namespace ge::builtin {

bool sumsByWeights(const Node *node) {
  constexpr std::string_view kOps[] = {"MatMul", "Gemm", "Conv", "ConvTranspose",
                                       "LSTM",   "GRU",  "RNN"};
  return node->op()->domain() == "onnx" &&
         std::ranges::any_of(kOps, [&](std::string_view op) { return isOnnx(node, op); });
}

bool makesWeights(const Node *node) {
  for (uint32_t i = 0; i != node->numResults(); ++i)
    if (hasFloatFormat(dtypeOf(node->result(i))))
      for (const Use *use = node->result(i)->firstUse(); use; use = use->next())
        if (use->index() != 0 && sumsByWeights(use->owner()))
          return true;
  return false;
}

bool roundsByWeights(const Node *node) {
  bool isSum = sumsByWeights(node) && hasFloatFormat(dtypeOf(node->result(0)));
  return isSum || makesWeights(node);
}

} // namespace ge::builtin
