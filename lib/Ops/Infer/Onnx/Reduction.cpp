//===- Reduction.cpp - reductions, arg, top-k, softmax ----------------------------------------===//
#include "../../Eval/EvalShape.h"
#include "../InferRows.h"

#include <algorithm>

namespace ge {
namespace {

/// `shape` without the axes, or with 1 there.
Dims reduced(std::span<const Dim> shape, std::span<const int64_t> axes, bool keep) {
  Dims dims;
  for (size_t i = 0; i != shape.size(); ++i) {
    bool gone = std::ranges::find(axes, int64_t(i)) != axes.end();
    if (!gone)
      dims.push_back(shape[i]);
    else if (keep)
      dims.push_back(staticDim(1));
  }
  return dims;
}

/// Axes are an attribute at first, and an operand since 13 (ReduceSum) or 18.
void reduce(InferContext &c) {
  std::optional<std::vector<int64_t>> axes = c.intsAttr("axes");
  bool known = true;
  if (!axes)
    axes = operandInts(c, 1, known);
  reduceOver(c, c.dtype(0), axes, known, c.intAttr("keepdims", 1) != 0,
             c.intAttr("noop_with_empty_axes", 0) != 0);
}

void argReduce(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, DType::I64);
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  bool keep = c.intAttr("keepdims", 1) != 0;
  c.setTensor(0, DType::I64, reduced(c.shape(0), {&axis, 1}, keep));
}

void topK(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0)) {
    c.setUnranked(0, dtype);
    if (c.numResults() > 1) {
      TensorTypeSpec spec;
      spec.dtype = DType::I64;
      spec.ranked = false;
      c.setResult(1, c.context().tensorType(spec));
    }
    return;
  }
  int64_t axis = c.intAttr("axis", -1);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  Dim k;
  if (c.version() < 10)
    k = Element::of(c.intAttr("k", -1)).dim();
  else if (const Contents *given = c.contents(1); given && given->size() == 1)
    k = given->elements[0].dim();
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim size = dims[size_t(axis)];
  if (k.isStatic() && size.isStatic() && k.size > size.size)
    return c.failAt(0, "has ", size.size, " elements on axis ", axis, ", fewer than k = ", k.size);
  dims[size_t(axis)] = k;
  c.setTensor(0, dtype, dims);
  c.setTensor(1, DType::I64, dims);
}

/// Of the shape of its operand; the axis is checked.
void alongAxis(InferContext &c) {
  likeOperand(c);
  if (!c.isRanked(0))
    return;
  int64_t axis = c.intAttr("axis", c.version() >= 13 ? -1 : 1);
  // Before version 13 an operand was flattened to a matrix at the axis, which may be its end.
  if (c.version() < 13 && (axis == c.rank(0) || c.rank(0) == 0))
    return;
  normalizeAxis(c, axis, std::max<int64_t>(c.rank(0), 1));
}

void cumulative(InferContext &c) {
  likeOperand(c);
  const Contents *axis = c.isRanked(0) ? c.contents(1) : nullptr;
  if (!axis || axis->size() != 1 || !axis->elements[0].isInt())
    return;
  int64_t number = axis->elements[0].number;
  normalizeAxis(c, number, c.rank(0));
}

constexpr InferRow kReductionRows[] = {
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce, evalReduceMax},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce, evalReduceMin},
    {"ReduceProd", reduce, evalReduceProd},
    {"ReduceSum", reduce, evalReduceSum},
    {"ReduceSumSquare", reduce},
    {"ArgMax", argReduce},
    {"ArgMin", argReduce},
    {"TopK", topK},
    {"Softmax", alongAxis},
    {"LogSoftmax", alongAxis},
    {"Hardmax", alongAxis},
    {"CumSum", cumulative},
    {"CumProd", cumulative},
};

} // namespace

void reduceOver(InferContext &c, DType dtype, std::optional<std::vector<int64_t>> axes, bool known,
                bool keep, bool emptyIsNoop) {
  if (!known) {
    if (!c.isRanked(0))
      return c.setUnranked(0, dtype);
    if (keep)
      return setRank(c, dtype, c.rank(0));
    int64_t count = vectorLength(c, 1);
    // An empty list may mean all.
    return setRank(c, dtype, count > 0 && count <= c.rank(0) ? c.rank(0) - count : -1);
  }
  if (!axes || axes->empty()) {
    if (emptyIsNoop)
      return likeOperand(c);
    if (!keep)
      return c.setTensor(0, dtype, Dims());
    if (!c.isRanked(0))
      return c.setUnranked(0, dtype);
    return c.setTensor(0, dtype, Dims(c.shape(0).size(), staticDim(1)));
  }
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  if (normalizeAxes(c, *axes, c.rank(0)))
    c.setTensor(0, dtype, reduced(c.shape(0), *axes, keep));
}

void reduceAxis(InferContext &c, uint32_t result, DType dtype, int64_t axis, bool keep) {
  if (c.isRanked(0) && normalizeAxis(c, axis, c.rank(0)))
    c.setTensor(result, dtype, reduced(c.shape(0), {&axis, 1}, keep));
}

std::span<const InferRow> reductionRows() { return kReductionRows; }

} // namespace ge
