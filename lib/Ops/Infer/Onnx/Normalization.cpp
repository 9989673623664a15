//===- Normalization.cpp - normalisation and quantisation: shapes that stay -------------------===//
#include "../InferRows.h"

#include <algorithm>

namespace ge {
namespace {

/// Operands `first` to `last` (included) hold one number for each of X's channels.
bool checkChannels(InferContext &c, uint32_t first, uint32_t last) {
  if (!c.isRanked(0) || c.rank(0) < 2)
    return true;
  Dim channels = c.shape(0)[1];
  for (uint32_t i = first; i <= last; ++i) {
    if (!c.isRanked(i))
      continue;
    if (!expectRank(c, i, 1))
      return false;
    Dim size = c.shape(i)[0];
    if (size.isStatic() && channels.isStatic() && size.size != channels.size) {
      c.failAt(i, "must have one element for each of the ", channels.size, " channels of ",
               c.operandName(0), " (", shortType(c.operand(0)), ")");
      return false;
    }
  }
  return true;
}

/// X, scale, B, mean, var.
void batchNormalization(InferContext &c) {
  // Version 1 to 8 may have `spatial` = 0: statistics for every element.
  if (c.intAttr("spatial", 1) != 0 && !checkChannels(c, 1, 4))
    return;
  likeOperand(c);
  Dim channels;
  for (uint32_t i = 1; i <= 4; ++i)
    if (c.rank(i) == 1 && !channels.isStatic())
      channels = c.shape(i)[0];
  if (!channels.isStatic() && c.rank(0) >= 2)
    channels = c.shape(0)[1];
  for (uint32_t i = 1; i < c.numResults(); ++i)
    c.setTensor(i, c.dtype(c.version() >= 14 ? 3 : 0), {channels});
}

void instanceNormalization(InferContext &c) {
  if (checkChannels(c, 1, 2))
    likeOperand(c);
}

/// Mean and inverse deviation keep the dimensions before the axis.
void layerNormalization(InferContext &c) {
  likeOperand(c);
  if (!c.isRanked(0))
    return;
  int64_t axis = c.intAttr("axis", -1);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  std::span<const Dim> normalized = c.shape(0).subspan(size_t(axis));
  for (uint32_t i : {1u, 2u}) {
    Dims fitted(normalized.begin(), normalized.end());
    if (c.isRanked(i) && !broadcastInto(fitted, c.shape(i)))
      return c.failAt(i, "does not broadcast with the normalised dimensions of ", c.operandName(0),
                      " (", shortType(c.operand(0)), ") from axis ", axis, " on");
  }
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + axis);
  dims.resize(c.shape(0).size(), staticDim(1));
  DType stash = c.dtypeAttr("stash_type", DType::F32);
  c.setTensor(1, stash, dims);
  c.setTensor(2, stash, dims);
}

/// Of the scale's element type.
void rmsNormalization(InferContext &c) {
  if (c.isRanked(0))
    c.setTensor(0, c.dtype(1), c.shape(0));
  else
    c.setUnranked(0, c.dtype(1));
}

void shapeOfFirst(InferContext &c, DType dtype) {
  if (c.isRanked(0))
    c.setTensor(0, dtype, c.shape(0));
  else
    c.setUnranked(0, dtype);
}

void quantizeLinear(InferContext &c) {
  DType dtype = c.has(2) ? c.dtype(2) : c.dtypeAttr("output_dtype", DType::U8);
  shapeOfFirst(c, dtype);
}

void dequantizeLinear(InferContext &c) { shapeOfFirst(c, c.dtypeAttr("output_dtype", c.dtype(1))); }

void dynamicQuantizeLinear(InferContext &c) {
  shapeOfFirst(c, DType::U8);
  c.setTensor(1, DType::F32, Dims());
  c.setTensor(2, DType::U8, Dims());
}

constexpr InferRow kNormalizationRows[] = {
    {"BatchNormalization", batchNormalization},
    {"GroupNormalization", inferSame},
    {"InstanceNormalization", instanceNormalization},
    {"LRN", inferSame},
    {"LayerNormalization", layerNormalization},
    {"LpNormalization", inferSame},
    {"MeanVarianceNormalization", inferSame},
    {"RMSNormalization", rmsNormalization},
    {"RotaryEmbedding", inferSame},
    {"QuantizeLinear", quantizeLinear},
    {"DequantizeLinear", dequantizeLinear},
    {"DynamicQuantizeLinear", dynamicQuantizeLinear},
};

} // namespace

std::span<const InferRow> normalizationRows() { return kNormalizationRows; }

} // namespace ge
