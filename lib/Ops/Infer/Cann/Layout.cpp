//===- Layout.cpp - CANN's operators that move, select and reduce -----------------------------===//
//
// In CANN, what ONNX has as an attribute is often an operand, under another name; the work is done
// by the same functions.
//
#include "../../Eval/EvalShape.h"
#include "CannInference.h"

#include <algorithm>

namespace ge {
namespace {

// --- Reductions ----------------------------------------------------------------------------------

void reduceBy(InferContext &c, bool emptyIsNoop) {
  bool known = true;
  std::optional<std::vector<int64_t>> axes = c.intsAttr("axes");
  if (!axes)
    axes = operandInts(c, 1, known);
  reduceOver(c, c.dtype(0), axes, known, c.intAttr("keep_dims", 0) != 0, emptyIsNoop);
}

void reduce(InferContext &c) { reduceBy(c, c.intAttr("noop_with_empty_axes", 1) != 0); }
void reduceAll(InferContext &c) { reduceBy(c, false); }

void argReduce(InferContext &c) {
  DType dtype = cannDType(c, "dtype", DType::I64);
  if (std::optional<int64_t> axis = scalarOf(c, 1))
    reduceAxis(c, 0, dtype, *axis, false);
  else
    setRank(c, dtype, c.rank(0) > 0 ? c.rank(0) - 1 : -1);
}

void argWithValue(InferContext &c) {
  int64_t axis = c.intAttr("dimension", 0);
  bool keep = c.intAttr("keep_dims", 0) != 0;
  reduceAxis(c, 0, DType::I32, axis, keep);
  reduceAxis(c, 1, c.dtype(0), axis, keep);
}

void topK(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  int64_t axis = c.intAttr("dim", -1);
  if (!normalizeAxis(c, axis, c.rank(0), "dim"))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  const Contents *k = c.contents(1);
  dims[size_t(axis)] = k && k->size() == 1 ? k->elements[0].dim() : Dim{};
  c.setTensor(0, c.dtype(0), dims);
  c.setTensor(1, cannDType(c, "indices_dtype", DType::I32), dims);
}

void toScalar(InferContext &c) { c.setTensor(0, c.dtype(0), Dims()); }

// --- Shapes --------------------------------------------------------------------------------------

/// The dimensions from `axis` on, `num_axes` of them, may be reshaped alone.
void reshape(InferContext &c) {
  if (c.intAttr("axis", 0) != 0 || c.intAttr("num_axes", -1) != -1)
    return c.setUnranked(0, c.dtype(0));
  inferReshape(c);
}

void shape(InferContext &c) {
  setRank(c, cannDType(c, "dtype", DType::I32), 1);
  if (c.isRanked(0))
    c.setTensor(0, cannDType(c, "dtype", DType::I32), {staticDim(c.rank(0))});
}

void size(InferContext &c) { c.setTensor(0, cannDType(c, "dtype", DType::I32), Dims()); }
void rank(InferContext &c) { c.setTensor(0, DType::I32, Dims()); }

void evalRank(InferContext &c) {
  if (c.isRanked(0))
    c.setContents(0, Contents::scalar(Element::of(c.rank(0))));
}

void transpose(InferContext &c) {
  std::optional<std::vector<int64_t>> perm = c.intsAttr("perm");
  if (!perm)
    perm = c.intsAttr("order");
  if (!perm)
    perm = listOf(c, 1);
  if (perm)
    transposeBy(c, std::move(perm));
  else
    setRank(c, c.dtype(0), c.rank(0));
}

/// An empty list: all dimensions of 1.
void squeeze(InferContext &c) {
  std::optional<std::vector<int64_t>> axes = c.intsAttr("axis");
  squeezeAxes(c, axes && axes->empty() ? std::nullopt : axes, true);
}

void unsqueezeByAxis(InferContext &c) { unsqueezeAxes(c, c.intsAttr("axis")); }

void expandDims(InferContext &c) {
  std::optional<int64_t> axis = scalarOf(c, 1);
  if (axis)
    unsqueezeAxes(c, std::vector<int64_t>{*axis});
  else
    setRank(c, c.dtype(0), c.rank(0) >= 0 ? c.rank(0) + 1 : -1);
}

void concatAt(InferContext &c, uint32_t begin, uint32_t end, std::optional<int64_t> axis) {
  if (axis)
    concatOperands(c, begin, end, *axis);
  else
    setRank(c, commonDType(c, begin, end), c.rank(begin));
}

/// The axis is the first operand, the last one, or an attribute.
void concat(InferContext &c) { concatAt(c, 1, c.numOperands(), scalarOf(c, 0)); }
void concatV2(InferContext &c) {
  if (c.numOperands() > 0)
    concatAt(c, 0, c.numOperands() - 1, scalarOf(c, c.numOperands() - 1));
}
void concatD(InferContext &c) { concatAt(c, 0, c.numOperands(), c.intAttr("concat_dim", 0)); }

void evalConcatFirst(InferContext &c) {
  if (std::optional<int64_t> axis = scalarOf(c, 0))
    concatContents(c, 1, c.numOperands(), *axis);
}
void evalConcatLast(InferContext &c) {
  uint32_t n = c.numOperands();
  if (std::optional<int64_t> axis = n == 0 ? std::nullopt : scalarOf(c, n - 1))
    concatContents(c, 0, n - 1, *axis);
}
void evalConcatD(InferContext &c) {
  concatContents(c, 0, c.numOperands(), c.intAttr("concat_dim", 0));
}

void splitAt(InferContext &c, uint32_t x, std::optional<int64_t> axis,
             std::optional<std::vector<int64_t>> sizes, bool known) {
  if (axis)
    return splitOperand(c, x, *axis, std::move(sizes), known, false);
  for (uint32_t i = 0; i != c.numResults(); ++i)
    if (c.isRanked(x))
      c.setTensor(i, c.dtype(x), Dims(size_t(c.rank(x))));
}

void split(InferContext &c) { splitAt(c, 1, scalarOf(c, 0), std::nullopt, true); }
void splitD(InferContext &c) { splitAt(c, 0, c.intAttr("split_dim", 0), std::nullopt, true); }
void splitV(InferContext &c) {
  bool known;
  std::optional<std::vector<int64_t>> sizes = operandInts(c, 1, known);
  splitAt(c, 0, scalarOf(c, 2), std::move(sizes), known);
}
void splitVD(InferContext &c) {
  splitAt(c, 0, c.intAttr("split_dim", 0), c.intsAttr("size_splits"), true);
}

void pack(InferContext &c) {
  DType dtype = commonDType(c, 0, c.numOperands());
  if (c.failed() || !c.isRanked(0))
    return c.setUnranked(0, dtype);
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0) + 1))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (uint32_t i = 1; i < c.numOperands(); ++i) {
    if (!expectRank(c, i, int64_t(dims.size())))
      return;
    bool ok = true;
    for (size_t at = 0; c.isRanked(i) && at != dims.size(); ++at)
      dims[at] = unify(dims[at], c.shape(i)[at], ok);
    if (!ok)
      return c.failAt(i, "differs from ", c.operandName(0), " (", shortType(c.operand(0)),
                      "); what is packed must have one shape");
  }
  dims.insert(dims.begin() + axis, staticDim(c.numOperands()));
  c.setTensor(0, dtype, dims);
}

void unpack(InferContext &c) {
  if (!c.isRanked(0))
    return;
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim size = dims[size_t(axis)];
  if (size.isStatic() && size.size != int64_t(c.numResults()))
    return c.failAt(0, "has ", size.size, " elements on axis ", axis, ", but there are ",
                    c.numResults(), " results");
  dims.erase(dims.begin() + axis);
  for (uint32_t i = 0; i != c.numResults(); ++i)
    c.setTensor(i, c.dtype(0), dims);
}

/// Sizes; -1 is the rest.
void slice(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  std::optional<std::vector<int64_t>> offsets = c.intsAttr("offsets"), sizes = c.intsAttr("size");
  if (!offsets)
    offsets = listOf(c, 1);
  if (!sizes)
    sizes = listOf(c, 2);
  if (!sizes)
    return setRank(c, c.dtype(0), c.rank(0));
  if (int64_t(sizes->size()) != c.rank(0) || (offsets && offsets->size() != sizes->size()))
    return c.fail("offsets and size must have one number for each of the ", c.rank(0),
                  " dimensions of ", c.operandName(0));
  Dims dims;
  for (size_t i = 0; i != sizes->size(); ++i) {
    Dim from = c.shape(0)[i];
    if ((*sizes)[i] >= 0)
      dims.push_back(staticDim((*sizes)[i]));
    else if (offsets && from.isStatic() && (*offsets)[i] >= 0 && (*offsets)[i] <= from.size)
      dims.push_back(staticDim(from.size - (*offsets)[i]));
    else
      dims.push_back(offsets && (*offsets)[i] == 0 ? from : Dim{});
  }
  c.setTensor(0, c.dtype(0), dims);
}

void evalSlice1D(InferContext &c) {
  std::optional<std::vector<int64_t>> offsets = c.intsAttr("offsets"), sizes = c.intsAttr("size");
  if (!offsets)
    offsets = listOf(c, 1);
  if (!sizes)
    sizes = listOf(c, 2);
  if (offsets && sizes && offsets->size() == 1 && sizes->size() == 1)
    sliceContents(c, offsets->front(), sizes->front());
}

/// paddings: {rank, 2}.
void pad(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  const Contents *paddings = c.contents(1);
  if (!paddings || paddings->size() != size_t(c.rank(0)) * 2)
    return setRank(c, c.dtype(0), c.rank(0));
  Dims dims;
  for (size_t i = 0; i != c.shape(0).size(); ++i)
    dims.push_back(add(add(c.shape(0)[i], paddings->elements[2 * i].dim()),
                       paddings->elements[2 * i + 1].dim()));
  c.setTensor(0, c.dtype(0), dims);
}

void cast(InferContext &c) {
  DType to = cannDType(c, "dst_type", DType::Undefined);
  if (to == DType::Undefined)
    return c.fail("attribute 'dst_type' must be an element type");
  setShaped(c, 0, to, 0);
}

/// Of the shape of what is chosen from; a condition of one dimension chooses rows.
void select(InferContext &c) {
  commonDType(c, {1, 2});
  likeOperand(c, 1);
}

void fill(InferContext &c) { shapedBy(c, 0, c.dtype(1)); }

void evalFill(InferContext &c) {
  const Contents *value = c.contents(1);
  const Type *type = c.result(0);
  if (!value || value->size() != 1 || !type || !type->hasStaticShape() ||
      type->numElements() > Contents::kMaxElements)
    return;
  Contents out;
  for (const Dim &dim : type->shape())
    out.shape.push_back(dim.size);
  out.elements.assign(size_t(type->numElements()), value->elements[0]);
  c.setContents(0, std::move(out));
}

void random(InferContext &c) { shapedBy(c, 0, cannDType(c, "dtype", DType::F32)); }

/// x, depth, on_value, off_value.
void oneHot(InferContext &c) {
  DType dtype = c.dtype(2);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  int64_t axis = c.intAttr("axis", -1);
  if (!normalizeAxis(c, axis, c.rank(0) + 1))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  std::optional<int64_t> depth = scalarOf(c, 1);
  dims.insert(dims.begin() + axis, depth ? Element::of(*depth).dim() : Dim{});
  c.setTensor(0, dtype, dims);
}

/// Coordinates of what is true, one row for each.
void where(InferContext &c) {
  c.setTensor(0, DType::I64, {Dim{}, c.isRanked(0) ? staticDim(c.rank(0)) : Dim{}});
}

void gatherAt(InferContext &c, std::optional<int64_t> axis) {
  DType dtype = c.dtype(0);
  int64_t batch = c.intAttr("batch_dims", 0);
  if (!c.isRanked(0) || !c.isRanked(1) || batch < 0 || batch > c.rank(1))
    return c.setUnranked(0, dtype);
  if (!axis)
    return setRank(c, dtype, c.rank(0) - 1 + c.rank(1) - batch);
  if (!normalizeAxis(c, *axis, c.rank(0)))
    return;
  std::span<const Dim> data = c.shape(0), indices = c.shape(1).subspan(size_t(batch));
  Dims dims(data.begin(), data.begin() + *axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + *axis + 1, data.end());
  c.setTensor(0, dtype, dims);
}

void gather(InferContext &c) { gatherAt(c, c.intAttr("batch_dims", 0)); }
void gatherV2(InferContext &c) { gatherAt(c, scalarOf(c, 2)); }
void gatherV2D(InferContext &c) { gatherAt(c, c.intAttr("axis", 0)); }

/// Only where no dimension is common to both operands.
void evalGatherBy(InferContext &c, std::optional<int64_t> axis) {
  if (axis && c.intAttr("batch_dims", 0) == 0)
    gatherContents(c, *axis);
}
void evalGatherOp(InferContext &c) { evalGatherBy(c, 0); }
void evalGatherV2(InferContext &c) { evalGatherBy(c, scalarOf(c, 2)); }
void evalGatherV2D(InferContext &c) { evalGatherBy(c, c.intAttr("axis", 0)); }

void gatherNd(InferContext &c) {
  if (!c.isRanked(0) || !c.isRanked(1) || c.rank(1) == 0 || !c.shape(1).back().isStatic())
    return c.setUnranked(0, c.dtype(0));
  int64_t depth = c.shape(1).back().size;
  if (depth > c.rank(0))
    return c.failAt(1, "has ", depth, " coordinates in its last dimension, but ", c.operandName(0),
                    " (", shortType(c.operand(0)), ") has only ", c.rank(0));
  Dims dims(c.shape(1).begin(), c.shape(1).end() - 1);
  dims.insert(dims.end(), c.shape(0).begin() + depth, c.shape(0).end());
  c.setTensor(0, c.dtype(0), dims);
}

void gatherElements(InferContext &c) {
  if (c.isRanked(1))
    c.setTensor(0, c.dtype(0), c.shape(1));
  else
    setRank(c, c.dtype(0), c.rank(0));
}

/// indices, x, shape.
void scatterNd(InferContext &c) { shapedBy(c, 2, c.dtype(1)); }

/// Result i like operand i.
void eachLikeOwn(InferContext &c) {
  for (uint32_t i = 0; i < c.numResults() && i < c.numOperands(); ++i)
    if (c.has(i))
      c.setResult(i, c.operand(i));
}

constexpr InferRow kLayoutRows[] = {
    {"ReduceSum", reduce, evalReduceSum},
    {"ReduceMean", reduce},
    {"ReduceMax", reduce, evalReduceMax},
    {"ReduceMin", reduce, evalReduceMin},
    {"ReduceProd", reduce, evalReduceProd},
    {"ReduceLogSumExp", reduce},
    {"ReduceLogSum", reduceAll},
    {"ReduceAll", reduceAll},
    {"ReduceAny", reduceAll},
    {"EuclideanNorm", reduceAll},
    {"ReduceSumD", reduceAll},
    {"ReduceMeanD", reduceAll},
    {"ReduceMaxD", reduceAll},
    {"ReduceMinD", reduceAll},
    {"ReduceProdD", reduceAll, evalReduceProd},
    {"ReduceAllD", reduceAll},
    {"ReduceAnyD", reduceAll},
    {"ArgMaxV2", argReduce},
    {"ArgMin", argReduce},
    {"ArgMaxWithValue", argWithValue},
    {"ArgMinWithValue", argWithValue},
    {"TopK", topK},
    {"TopKV2", topK},
    {"L2Loss", toScalar},
    {"Shape", shape, evalShapeOf},
    {"Size", size, evalSize},
    {"Rank", rank, evalRank},
    {"Reshape", reshape, evalCopy},
    {"Squeeze", squeeze, evalCopy},
    {"SqueezeV2", squeeze, evalCopy},
    {"SqueezeV3", inferSqueeze, evalCopy},
    {"Unsqueeze", inferUnsqueeze, evalCopy},
    {"UnsqueezeV2", unsqueezeByAxis, evalCopy},
    {"UnsqueezeV3", inferUnsqueeze, evalCopy},
    {"ExpandDims", expandDims, evalCopy},
    {"Flatten", inferFlatten, evalCopy},
    {"Transpose", transpose},
    {"TransposeD", transpose, evalTranspose},
    {"Permute", transpose},
    {"Tile", inferTile},
    {"BroadcastTo", inferExpand, evalExpand},
    {"Expand", inferExpand, evalExpand},
    {"Concat", concat, evalConcatFirst},
    {"ConcatV2", concatV2, evalConcatLast},
    {"ConcatD", concatD, evalConcatD},
    {"ConcatV2D", concatD, evalConcatD},
    {"Split", split},
    {"SplitD", splitD},
    {"SplitV", splitV},
    {"SplitVD", splitVD},
    {"Pack", pack, packContents},
    {"Unpack", unpack},
    {"Slice", slice, evalSlice1D},
    {"SliceD", slice, evalSlice1D},
    {"Pad", pad},
    {"PadV2", pad},
    {"PadV3", pad},
    {"MirrorPad", pad},
    {"Cast", cast, evalCast},
    {"Select", select},
    {"Fill", fill, evalFill},
    {"Range", inferRange, evalRange},
    {"RandomUniform", random},
    {"RandomStandardNormal", random},
    {"TruncatedNormal", random},
    {"OneHot", oneHot},
    {"Where", where},
    {"Gather", gather, evalGatherOp},
    {"GatherV2", gatherV2, evalGatherV2},
    {"GatherV2D", gatherV2D, evalGatherV2D},
    {"GatherNd", gatherNd},
    {"GatherElements", gatherElements},
    {"ScatterNd", scatterNd},
    {"IdentityN", eachLikeOwn},
};

} // namespace

std::optional<int64_t> scalarOf(InferContext &c, uint32_t i) {
  const Contents *contents = c.contents(i);
  if (!contents || contents->size() != 1 || !contents->elements[0].isInt())
    return std::nullopt;
  return contents->elements[0].number;
}

std::optional<std::vector<int64_t>> listOf(InferContext &c, uint32_t i) {
  bool known;
  return operandInts(c, i, known);
}

DType cannDType(InferContext &c, std::string_view name, DType otherwise) {
  int64_t number = c.intAttr(name, -1);
  if (number < 0)
    return c.dtypeAttr(name, otherwise);
  return number < 1000 ? dtypeFromCann(int32_t(number)).value_or(otherwise) : otherwise;
}

void setShaped(InferContext &c, uint32_t result, DType dtype, uint32_t operand) {
  if (c.isRanked(operand))
    c.setTensor(result, dtype, c.shape(operand));
  else
    c.setUnranked(result, dtype);
}

void shapedBy(InferContext &c, uint32_t operand, DType dtype) {
  if (const Contents *dims = c.contents(operand))
    return c.setTensor(0, dtype, dims->dims());
  setRank(c, dtype, vectorLength(c, operand));
}

std::span<const InferRow> geLayoutRows() { return kLayoutRows; }

} // namespace ge
