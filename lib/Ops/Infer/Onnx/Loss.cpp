//===- Loss.cpp - losses of training ----------------------------------------------------------===//
#include "../InferRows.h"

namespace ge {
namespace {

/// Scores {N, C, D1, ...}, labels {N, D1, ...}, perhaps weights.
void loss(InferContext &c) {
  DType dtype = c.dtype(0);
  bool ok = true;
  if (c.isRanked(0) && c.isRanked(1)) {
    if (c.rank(0) < 2)
      return c.failAt(0, "must have a batch and a class dimension");
    if (!expectRank(c, 1, c.rank(0) - 1))
      return;
    for (size_t i = 0; i != c.shape(1).size(); ++i)
      unify(c.shape(1)[i], c.shape(0)[i == 0 ? 0 : i + 1], ok);
  }
  if (!ok)
    return c.failAt(1, "must have the sizes of ", c.operandName(0), " (", shortType(c.operand(0)),
                    ") without its dimension 1");
  if (c.stringAttr("reduction", "mean") != "none")
    c.setTensor(0, dtype, Dims());
  else if (c.isRanked(1))
    c.setTensor(0, dtype, c.shape(1));
  else
    c.setUnranked(0, dtype);
}

void crossEntropy(InferContext &c) {
  loss(c);
  if (c.has(0))
    c.setResult(1, c.operand(0)); // the logarithms of the probabilities
}

constexpr InferRow kLossRows[] = {
    {"NegativeLogLikelihoodLoss", loss},
    {"SoftmaxCrossEntropyLoss", crossEntropy},
};

} // namespace

std::span<const InferRow> lossRows() { return kLossRows; }

} // namespace ge
