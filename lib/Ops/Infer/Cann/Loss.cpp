//===- Loss.cpp - CANN's losses ---------------------------------------------------------------===//
#include "CannInference.h"

namespace ge {
namespace {

/// Of the operands' shape with reduction "none", else one number.
void reduced(InferContext &c) {
  std::string_view reduction = c.stringAttr("reduction", "mean");
  if (reduction == "none")
    return broadcastOperands(c, commonDType(c, {0, 1}), {0, 1});
  if (reduction != "mean" && reduction != "sum" && reduction != "batchmean")
    return c.fail("attribute 'reduction' is '", reduction, "'; it must be none, mean or sum");
  commonDType(c, {0, 1});
  c.setTensor(0, c.dtype(0), Dims());
}

/// Losses of the rows, and the gradient; what both operands say of the batch counts.
void softmaxLoss(InferContext &c, int64_t labelsRank) {
  DType dtype = c.dtype(0);
  if (!expectRank(c, 0, 2) || !expectRank(c, 1, labelsRank))
    return;
  Dims dims(2);
  bool ok = true;
  if (c.isRanked(0))
    dims.assign(c.shape(0).begin(), c.shape(0).end());
  if (c.isRanked(1)) {
    if (labelsRank == 2)
      ok = broadcastInto(dims, c.shape(1));
    else
      dims[0] = unify(dims[0], c.shape(1)[0], ok);
  }
  if (!ok)
    return c.failAt(1, "does not fit ", c.operandName(0), " (", shortType(c.operand(0)), ")");
  c.setTensor(0, dtype, {dims[0]});
  c.setTensor(1, dtype, dims);
}

void denseLoss(InferContext &c) { softmaxLoss(c, 2); }
void sparseLoss(InferContext &c) { softmaxLoss(c, 1); }

/// x {N, classes} or {classes}, target {N} or {}.
void negativeLogLikelihood(InferContext &c) {
  DType dtype = c.dtype(0);
  c.setTensor(1, dtype, Dims());
  if (c.stringAttr("reduction", "mean") != "none")
    return c.setTensor(0, dtype, Dims());
  if (c.isRanked(1))
    c.setTensor(0, dtype, c.shape(1));
  else
    setRank(c, dtype, c.rank(0) > 0 ? c.rank(0) - 1 : -1);
}

constexpr InferRow kLossRows[] = {
    {"SoftmaxCrossEntropyWithLogits", denseLoss},
    {"SparseSoftmaxCrossEntropyWithLogits", sparseLoss},
    {"SigmoidCrossEntropyWithLogits", inferBinary},
    {"SigmoidCrossEntropyWithLogitsV2", reduced},
    {"BinaryCrossEntropy", reduced},
    {"SmoothL1Loss", inferBinary},
    {"NLLLoss", negativeLogLikelihood},
    {"MseLoss", reduced},
    {"KLDiv", reduced},
};

} // namespace

std::span<const InferRow> geLossRows() { return kLossRows; }

} // namespace ge
