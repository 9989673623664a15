//===- Neural.cpp - CANN's products, normalisations and activations ---------------------------===//
#include "CannInference.h"

#include <algorithm>

namespace ge {
namespace {

// --- Products ------------------------------------------------------------------------------------

bool isSet(InferContext &c, std::string_view name) { return c.intAttr(name, 0) != 0; }

void product(InferContext &c, std::string_view transposeA, std::string_view transposeB) {
  DType dtype = accumulated(commonDType(c, {0, 1}));
  inferProduct(c, dtype, 0, 1, isSet(c, transposeA), isSet(c, transposeB));
}

void matMul(InferContext &c) { product(c, "transpose_x1", "transpose_x2"); }
void batchMatMul(InferContext &c) { product(c, "adj_x1", "adj_x2"); }
void gemm(InferContext &c) { product(c, "transpose_a", "transpose_b"); }

/// Results of all products of one row form one dimension, after those in front of `axis`.
void fullyConnection(InferContext &c) {
  DType dtype = accumulated(commonDType(c, {0, 1}));
  int64_t axis = c.intAttr("axis", 1);
  if (c.failed())
    return;
  if (axis < 1 || axis > 2)
    return c.fail("attribute 'axis' is ", axis, "; it must be 1 or 2");
  if (!c.isRanked(0))
    return setRank(c, dtype, axis + 1);
  if (c.rank(0) < axis)
    return c.failAt(0, "must have at least ", axis, " dimensions");
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + axis);
  dims.push_back(Element::of(c.intAttr("num_output", -1)).dim());
  c.setTensor(0, dtype, dims);
}

// --- Normalisations ------------------------------------------------------------------------------

/// y like x; the others like the scale.
void batchNorm(InferContext &c) {
  likeOperand(c);
  for (uint32_t i = 1; i < c.numResults() && i < 5; ++i)
    if (c.has(1))
      c.setResult(i, c.operand(1));
}

/// Statistics keep the dimensions before the axis.
void layerNorm(InferContext &c) {
  likeOperand(c);
  if (!c.isRanked(0))
    return;
  int64_t axis = c.intAttr("begin_norm_axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0), "begin_norm_axis"))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + axis);
  dims.resize(c.shape(0).size(), staticDim(1));
  for (uint32_t i : {1u, 2u})
    c.setTensor(i, c.dtype(0), dims);
}

/// Statistics of operand 0 over its last `count` dimensions, which stay with size 1.
void lastStatistics(InferContext &c, int64_t count, std::initializer_list<uint32_t> results,
                    DType dtype) {
  for (uint32_t i : results)
    c.setUnranked(i, dtype);
  if (!c.isRanked(0) || count < 0)
    return;
  if (count > c.rank(0))
    return c.failAt(0, "has ", c.rank(0), " dimensions, fewer than the ", count,
                    " that are normalised");
  Dims dims(c.shape(0).begin(), c.shape(0).end() - count);
  dims.resize(c.shape(0).size(), staticDim(1));
  for (uint32_t i : results)
    c.setTensor(i, dtype, dims);
}

/// x, gamma, whose dimensions are normalised.
void rmsNorm(InferContext &c) {
  likeOperand(c);
  lastStatistics(c, c.rank(1), {1}, DType::F32);
}

/// The sum of operands 0 and 1 is normalised, and is itself a result.
void addRmsNorm(InferContext &c) {
  broadcastOperands(c, commonDType(c, {0, 1}), {0, 1});
  lastStatistics(c, c.rank(2), {1}, DType::F32);
  c.setResult(2, c.result(0));
}

void addLayerNorm(InferContext &c) {
  broadcastOperands(c, commonDType(c, {0, 1}), {0, 1});
  lastStatistics(c, c.rank(2), {1, 2}, DType::F32);
  if (c.numResults() > 3)
    c.setResult(3, c.result(0));
}

/// The sizes of what is normalised are operand 1.
void layerNormV4(InferContext &c) {
  likeOperand(c);
  lastStatistics(c, vectorLength(c, 1), {1, 2}, c.has(2) ? c.dtype(2) : c.dtype(0));
}

/// dy, x, variance, mean, gamma.
void layerNormGradient(InferContext &c) {
  likeOperand(c);
  for (uint32_t i : {1u, 2u})
    if (c.has(4))
      c.setResult(i, c.operand(4));
}

/// y_backprop, x, scale, ...: gradients of what there is for each channel have its shape.
void batchNormGradient(InferContext &c) {
  likeOperand(c);
  for (uint32_t i = 1; i < c.numResults() && i < 5; ++i)
    if (c.has(2))
      c.setResult(i, c.operand(2));
}

/// CANN's headers differ about the statistics: one dimension, or a number for each group of each
/// image.
void groupNorm(InferContext &c) {
  likeOperand(c);
  int64_t groups = c.intAttr("num_groups", 0);
  if (groups < 1)
    return c.fail("attribute 'num_groups' is ", groups, "; it must be at least 1");
  if (c.isRanked(0) && c.rank(0) < 2)
    return c.failAt(0, "must have a batch and a channel dimension");
  for (uint32_t i : {1u, 2u})
    c.setUnranked(i, c.dtype(0));
}

/// Statistics of each channel of each image: space stays with size 1.
void instanceStatistics(InferContext &c, DType dtype, const SpaceLayout &layout) {
  for (uint32_t i : {1u, 2u})
    c.setUnranked(i, dtype);
  if (!c.isRanked(0))
    return;
  if (c.rank(0) < 2)
    return c.failAt(0, "must have a batch and a channel dimension");
  Dims dims(c.shape(0).size(), staticDim(1));
  dims[0] = c.shape(0)[0];
  size_t channels = layout.channels == 1 ? 1 : dims.size() - 1;
  dims[channels] = c.shape(0)[channels];
  for (uint32_t i : {1u, 2u})
    c.setTensor(i, dtype, dims);
}

void instanceNorm(InferContext &c) {
  likeOperand(c);
  instanceStatistics(c, c.dtype(0), SpaceLayout::of(c, "NDHWC"));
}

/// x, gamma, beta, mean, variance; the last two are results, too.
void instanceInference(InferContext &c) {
  likeOperand(c);
  instanceStatistics(c, DType::F32, {});
  for (uint32_t i : {1u, 2u})
    if (c.has(i + 2))
      c.setResult(i, c.operand(i + 2));
}

// --- Activations ---------------------------------------------------------------------------------

/// Bits of the mask are packed as the kernel wants them.
void reluV2(InferContext &c) {
  likeOperand(c);
  c.setUnranked(1, DType::U8);
}

/// One dimension is cut in two.
void swiGlu(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  int64_t axis = c.intAttr("dim", -1);
  if (!normalizeAxis(c, axis, c.rank(0), "dim"))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim &dim = dims[size_t(axis)];
  if (dim.isStatic() && dim.size % 2 != 0)
    return c.failAt(0, "has ", dim.size, " in dimension ", axis, ", which has no half");
  dim = dim.isStatic() ? staticDim(dim.size / 2) : Dim{};
  c.setTensor(0, c.dtype(0), dims);
}

/// grads, features, weights.
void preluGradient(InferContext &c) {
  likeOperand(c);
  if (c.has(2))
    c.setResult(1, c.operand(2));
}

void softmax(InferContext &c) {
  bool widens = c.intAttr("half_to_float", 0) != 0 && c.dtype(0) == DType::F16;
  if (widens && c.isRanked(0))
    c.setTensor(0, DType::F32, c.shape(0));
  else if (widens)
    c.setUnranked(0, DType::F32);
  else
    likeOperand(c);
}

constexpr InferRow kNeuralRows[] = {
    {"MatMul", matMul},
    {"MatMulV2", matMul},
    {"MatMulV3", matMul},
    {"BatchMatMul", batchMatMul},
    {"BatchMatMulV2", batchMatMul},
    {"BatchMatMulV3", batchMatMul},
    {"GEMM", gemm},
    {"FullyConnection", fullyConnection},
    {"BatchNorm", batchNorm},
    {"BatchNorm3D", batchNorm},
    {"BatchNormGrad", batchNormGradient},
    {"LayerNorm", layerNorm},
    {"LayerNormV3", layerNorm},
    {"LayerNormV4", layerNormV4},
    {"LayerNormGrad", layerNormGradient},
    {"AddLayerNorm", addLayerNorm},
    {"RmsNorm", rmsNorm},
    {"AddRmsNorm", addRmsNorm},
    {"GroupNorm", groupNorm},
    {"GroupNormSilu", groupNorm},
    {"InstanceNorm", instanceNorm},
    {"INInferV2", instanceInference},
    {"SoftmaxV2", softmax},
    {"ReluV2", reluV2},
    {"ReluGradV2", inferSame},
    {"SwiGlu", swiGlu},
    {"PReluGrad", preluGradient},
};

} // namespace

std::span<const InferRow> geNeuralRows() { return kNeuralRows; }

} // namespace ge
