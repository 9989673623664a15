//===- Parallel.cpp - CANN's attention, experts, and what processors tell each other ----------===//
#include "CannInference.h"

namespace ge {
namespace {

// --- Communication -------------------------------------------------------------------------------

/// Result i is what operand i is, elsewhere.
void asOperands(InferContext &c) {
  for (uint32_t i = 0; i != c.numResults() && i != c.numOperands(); ++i)
    if (c.has(i))
      c.setResult(i, c.operand(i));
}

/// The first dimension is cut for the processors, or put together from them.
void shareFirst(InferContext &c, bool gathers) {
  int64_t processors = c.intAttr("rank_size", 0);
  if (processors < 1)
    return c.fail("attribute 'rank_size' is ", processors, "; it must be at least 1");
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  if (c.rank(0) < 1)
    return c.failAt(0, "must have at least one dimension");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  if (gathers)
    dims[0] = multiply(dims[0], staticDim(processors));
  else if (!divideBy(c, dims[0], processors, "the first dimension"))
    return;
  c.setTensor(0, c.dtype(0), dims);
}
void allGather(InferContext &c) { shareFirst(c, true); }
void reduceScatter(InferContext &c) { shareFirst(c, false); }

void receive(InferContext &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  DType dtype = cannDType(c, "dtype", DType::Undefined);
  if (!shape)
    return c.setUnranked(0, dtype);
  Dims dims;
  for (int64_t size : *shape)
    dims.push_back(size < 0 ? Dim{} : staticDim(size));
  c.setTensor(0, dtype, dims);
}

void nothing(InferContext &) {}

// --- Attention and experts -----------------------------------------------------------------------

/// query, key, value, ..; quant_scale2 is operand 10. With it, and for 8-bit queries, the element
/// type depends on the kernel.
void promptFlashAttention(InferContext &c) {
  DType dtype = c.dtype(0);
  if (c.has(10) || (dtype != DType::F16 && dtype != DType::BF16))
    return;
  std::string_view layout = c.stringAttr("input_layout", "BSH");
  if (layout.find('_') == std::string_view::npos)
    return likeOperand(c); // "BNSD_BSND": the result has another one
  c.setUnranked(0, dtype);
}

/// x, finished: the k best elements of the last dimension, and the indices of their origins.
void gatingTopK(InferContext &c) {
  int64_t k = c.intAttr("k", 0);
  if (k < 1)
    return c.fail("attribute 'k' is ", k, "; it must be at least 1");
  const DType dtypes[] = {c.dtype(0), DType::I32, DType::I32};
  for (uint32_t i = 0; i != 3; ++i) {
    if (!c.isRanked(0)) {
      c.setUnranked(i, dtypes[i]);
      continue;
    }
    if (c.rank(0) < 1)
      return c.failAt(0, "must have at least one dimension");
    Dims dims(c.shape(0).begin(), c.shape(0).end());
    if (dims.back().isStatic() && dims.back().size < k)
      return c.failAt(0, "has ", dims.back().size, " experts, but 'k' is ", k);
    dims.back() = staticDim(k);
    c.setTensor(i, dtypes[i], dims);
  }
}

/// x, w[expert, rows, columns], ..
void finalizeRouting(InferContext &c) {
  int64_t rows = c.intAttr("output_bs", 0);
  Dim columns;
  if (c.rank(1) >= 2)
    columns = c.shape(1)[size_t(c.rank(1)) - (c.intAttr("transpose_w", 0) ? 2 : 1)];
  c.setTensor(0, DType::F32, {rows > 0 ? staticDim(rows) : Dim{}, columns});
}

constexpr InferRow kParallelRows[] = {
    {"HcomAllReduce", inferSame},
    {"HcomReduce", inferSame},
    {"HcomBroadcast", asOperands},
    {"HcomAllGather", allGather},
    {"HcomReduceScatter", reduceScatter},
    {"HcomSend", nothing},
    {"HcomReceive", receive},
    {"PromptFlashAttention", promptFlashAttention},
    {"MoeGatingTopKSoftmax", gatingTopK},
    {"GroupedMatmulFinalizeRouting", finalizeRouting},
};

} // namespace

std::span<const InferRow> geParallelRows() { return kParallelRows; }

} // namespace ge
