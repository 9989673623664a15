//===- Math.cpp - CANN's operators that compute, sort, make and select ------------------------===//
#include "../../Eval/EvalShape.h"
#include "CannInference.h"

#include <algorithm>

namespace ge {
namespace {

// --- Element by element --------------------------------------------------------------------------

/// Further operands are factors.
void binaryScaled(InferContext &c) { broadcastOperands(c, commonDType(c, {0, 1}), {0, 1}); }
void ternary(InferContext &c) { broadcastOperands(c, commonDType(c, {0, 1, 2}), {0, 1, 2}); }

// --- Diagonals -----------------------------------------------------------------------------------

/// {D1, ..., Dk} to {D1, ..., Dk, D1, ..., Dk}.
void diag(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  dims.insert(dims.end(), c.shape(0).begin(), c.shape(0).end());
  c.setTensor(0, c.dtype(0), dims);
}

/// {D1, ..., Dk, D1, ..., Dk} to {D1, ..., Dk}.
void diagPart(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  size_t half = c.shape(0).size() / 2;
  if (c.rank(0) % 2 != 0)
    return c.failAt(0, "must have an even number of dimensions, not ", c.rank(0));
  Dims dims;
  bool ok = true;
  for (size_t i = 0; i != half; ++i)
    dims.push_back(unify(c.shape(0)[i], c.shape(0)[half + i], ok));
  if (!ok)
    return c.failAt(0, "has no diagonal: the first half of its dimensions differs from the second");
  c.setTensor(0, c.dtype(0), dims);
}

void matrixDiag(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  if (c.rank(0) < 1)
    return c.failAt(0, "must have at least one dimension");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  dims.push_back(dims.back());
  c.setTensor(0, c.dtype(0), dims);
}

void matrixDiagPart(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  if (c.rank(0) < 2)
    return c.failAt(0, "must have at least two dimensions");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim columns = dims.back();
  dims.pop_back();
  Dim &rows = dims.back();
  if (rows.isStatic() && columns.isStatic())
    rows = staticDim(std::min(rows.size, columns.size));
  else if (!(rows == columns))
    rows = {};
  c.setTensor(0, c.dtype(0), dims);
}

// --- Made from attributes and scalars ------------------------------------------------------------

void eye(InferContext &c) {
  DType dtype = cannDType(c, "dtype", DType::F32);
  int64_t rows = c.intAttr("num_rows", -1), columns = c.intAttr("num_columns", 0);
  if (rows < 0)
    return c.fail("attribute 'num_rows' is ", rows, "; it must not be negative");
  Dims dims;
  for (int64_t size : c.intsAttr("batch_shape").value_or(std::vector<int64_t>()))
    dims.push_back(Element::of(size).dim());
  dims.push_back(staticDim(rows));
  dims.push_back(staticDim(columns > 0 ? columns : rows));
  c.setTensor(0, dtype, dims);
}

void fillD(InferContext &c) {
  Dims dims;
  for (int64_t size : c.intsAttr("dims").value_or(std::vector<int64_t>()))
    dims.push_back(Element::of(size).dim());
  c.setTensor(0, c.dtype(0), dims);
}

void fileConstant(InferContext &c) {
  DType dtype = cannDType(c, "dtype", DType::Undefined);
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  if (!shape)
    return c.setUnranked(0, dtype);
  Dims dims;
  for (int64_t size : *shape)
    dims.push_back(Element::of(size).dim());
  c.setTensor(0, dtype, dims);
}

void linSpace(InferContext &c) {
  const Contents *count = c.contents(2);
  c.setTensor(0, commonDType(c, {0, 1}),
              {count && count->size() == 1 ? count->elements[0].dim() : Dim{}});
}

void randomInt(InferContext &c) { shapedBy(c, 0, commonDType(c, {1, 2})); }

/// One bit for each element, in blocks of 128.
void dropoutMask(InferContext &c) {
  const Contents *shape = c.contents(0);
  Dim count = shape ? multiplyAll(shape->dims()) : Dim{};
  bool fits = count.isStatic() && count.size <= INT64_MAX - 128;
  c.setTensor(0, DType::U8, {fits ? staticDim((count.size + 127) / 128 * 16) : Dim{}});
}

/// Declared on creation; a variable also has an initial value.
void declared(InferContext &c) {
  if (Attribute value = c.attribute("value"); value.kind() == AttrKind::Tensor)
    c.setResult(0, value.tensorValue()->type());
  else
    likeOperand(c);
}

// --- Reductions ----------------------------------------------------------------------------------

void reduceStd(InferContext &c) {
  reduceOver(c, c.dtype(0), c.intsAttr("dim"), true, c.intAttr("keepdim", 0) != 0, false);
  if (!c.failed() && c.numResults() > 0)
    c.setResult(1, c.result(0));
}

void lpNorm(InferContext &c) {
  reduceOver(c, c.dtype(0), c.intsAttr("axes"), true, c.intAttr("keepdim", 0) != 0, false);
}

/// As many rows as the last number says, when the sorted numbers are known.
void segments(InferContext &c) {
  if (!c.isRanked(0) || c.rank(0) < 1)
    return c.setUnranked(0, c.dtype(0));
  if (!expectRank(c, 1, 1))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  const Contents *ids = c.contents(1);
  dims[0] = {};
  if (ids && ids->size() == 0)
    dims[0] = staticDim(0);
  else if (ids && ids->elements.back().isInt() && ids->elements.back().number < INT64_MAX)
    dims[0] = Element::of(ids->elements.back().number + 1).dim();
  c.setTensor(0, c.dtype(0), dims);
}

/// The numbers take the place of the first dimensions.
void unsortedSegments(InferContext &c) {
  if (!c.isRanked(0) || !c.isRanked(1))
    return c.setUnranked(0, c.dtype(0));
  if (c.rank(1) > c.rank(0))
    return c.failAt(1, "has ", c.rank(1), " dimensions, but ", c.operandName(0), " (",
                    shortType(c.operand(0)), ") has only ", c.rank(0));
  const Contents *count = c.contents(2);
  Dims dims{count && count->size() == 1 ? count->elements[0].dim() : Dim{}};
  dims.insert(dims.end(), c.shape(0).begin() + c.rank(1), c.shape(0).end());
  c.setTensor(0, c.dtype(0), dims);
}

// --- Orders and sets -----------------------------------------------------------------------------

void sort(InferContext &c) {
  likeOperand(c);
  int64_t axis = c.intAttr("axis", -1);
  if (c.isRanked(0) && !normalizeAxis(c, axis, std::max<int64_t>(c.rank(0), 1)))
    return;
  setShaped(c, 1, cannDType(c, "y2_dtype", DType::I32), 0);
}

void inTopK(InferContext &c) {
  if (expectRank(c, 0, 2) && expectRank(c, 1, 1))
    c.setTensor(0, DType::Bool,
                {c.isRanked(1)   ? c.shape(1)[0]
                 : c.isRanked(0) ? c.shape(0)[0]
                                 : Dim{}});
}

void unique(InferContext &c) {
  if (!expectRank(c, 0, 1))
    return;
  DType indices = cannDType(c, "out_idx", DType::I32);
  c.setTensor(0, c.dtype(0), {Dim{}});
  c.setTensor(1, indices, {c.isRanked(0) ? c.shape(0)[0] : Dim{}});
  c.setTensor(2, indices, {Dim{}});
}

void nonZero(InferContext &c) {
  Dim rank = c.isRanked(0) ? staticDim(c.rank(0)) : Dim{};
  DType dtype = cannDType(c, "dtype", DType::I64);
  if (c.intAttr("transpose", 0) != 0)
    c.setTensor(0, dtype, {rank, Dim{}});
  else
    c.setTensor(0, dtype, {Dim{}, rank});
}

void maskedSelect(InferContext &c) { c.setTensor(0, c.dtype(0), {Dim{}}); }

// --- Shapes as tensors ---------------------------------------------------------------------------

void shapeN(InferContext &c) {
  DType dtype = cannDType(c, "dtype", DType::I32);
  for (uint32_t i = 0; i < c.numOperands() && i < c.numResults(); ++i)
    c.setTensor(i, dtype, {c.isRanked(i) ? staticDim(c.rank(i)) : Dim{}});
}

void evalShapeN(InferContext &c) {
  for (uint32_t i = 0; i < c.numOperands() && i < c.numResults(); ++i) {
    if (!c.isRanked(i))
      continue;
    std::vector<Element> elements;
    for (const Dim &dim : c.shape(i))
      elements.push_back(Element::of(dim));
    c.setContents(i, Contents::vector(std::move(elements)));
  }
}

/// Two shapes as they are when broadcast; nullopt when they are not known, or after an error.
std::optional<Dims> broadcastShapes(InferContext &c) {
  const Contents *a = c.contents(0), *b = c.contents(1);
  if (!a || !b)
    return std::nullopt;
  Dims dims = a->dims();
  if (broadcastInto(dims, b->dims()))
    return dims;
  c.failAt(1, "is a shape that does not broadcast with that of ", c.operandName(0));
  return std::nullopt;
}

void broadcastArgs(InferContext &c) {
  DType dtype = commonDType(c, {0, 1});
  int64_t a = vectorLength(c, 0), b = vectorLength(c, 1);
  if (!c.failed())
    c.setTensor(0, dtype, {a < 0 || b < 0 ? Dim{} : staticDim(std::max(a, b))});
}

void evalBroadcastArgs(InferContext &c) {
  std::optional<Dims> dims = broadcastShapes(c);
  if (!dims)
    return;
  std::vector<Element> elements;
  for (const Dim &dim : *dims)
    elements.push_back(Element::of(dim));
  c.setContents(0, Contents::vector(std::move(elements)));
}

/// Axes of the broadcast shape where `own` has 1 or lacks a dimension, as TensorFlow counts them.
std::vector<Element> summedAxes(std::span<const Element> own, size_t rank) {
  std::vector<Element> axes;
  for (size_t axis = 0; axis != rank; ++axis)
    if (axis + own.size() < rank || own[axis + own.size() - rank].number == 1)
      axes.push_back(Element::of(int64_t(axis)));
  return axes;
}

void broadcastGradientArgs(InferContext &c) {
  DType dtype = commonDType(c, {0, 1});
  if (c.failed())
    return;
  for (uint32_t i = 0; i != 2; ++i)
    c.setTensor(i, dtype, {Dim{}});
  std::optional<Dims> dims = broadcastShapes(c);
  if (!dims || !c.contents(0)->ints() || !c.contents(1)->ints())
    return;
  for (uint32_t i = 0; i != 2; ++i) {
    std::vector<Element> axes = summedAxes(c.contents(i)->elements, dims->size());
    c.setTensor(i, dtype, {staticDim(int64_t(axes.size()))});
    c.setContents(i, Contents::vector(std::move(axes)));
  }
}

/// concat_dim, then one shape for each result.
void concatOffset(InferContext &c) {
  for (uint32_t i = 0; i != c.numResults(); ++i)
    if (c.has(i + 1))
      c.setResult(i, c.operand(i + 1));
}

void evalConcatOffset(InferContext &c) {
  std::optional<int64_t> axis = scalarOf(c, 0);
  Element offset = Element::of(int64_t(0));
  for (uint32_t i = 0; axis && i != c.numResults(); ++i) {
    const Contents *shape = c.contents(i + 1);
    if (!shape || shape->rank() != 1)
      return;
    int64_t at = *axis;
    if (!normalizeAxis(c, at, int64_t(shape->size()), "concat_dim"))
      return;
    std::vector<Element> elements(shape->size(), Element::of(int64_t(0)));
    elements[size_t(at)] = offset;
    c.setContents(i, Contents::vector(std::move(elements)));
    offset = Element::of(add(offset.dim(), shape->elements[size_t(at)].dim()));
  }
}

constexpr InferRow kMathRows[] = {
    {"AxpyV2", binaryScaled},
    {"Addcdiv", ternary},
    {"Addcmul", ternary},
    {"Lerp", ternary},
    {"Cross", inferBinary},
    {"Einsum", inferEinsum},
    {"Diag", diag},
    {"DiagPart", diagPart},
    {"MatrixDiag", matrixDiag},
    {"MatrixDiagPart", matrixDiagPart},
    {"MatrixSetDiag", inferSame},
    {"Eye", eye},
    {"FillD", fillD},
    {"FileConstant", fileConstant},
    {"LinSpace", linSpace},
    {"RandomUniformInt", randomInt},
    {"DropOutGenMask", dropoutMask},
    {"Data", declared},
    {"RefData", declared},
    {"Variable", declared},
    {"PlaceHolder", declared},
    {"ReduceStd", reduceStd},
    {"LpNorm", lpNorm},
    {"SegmentSum", segments},
    {"SegmentMax", segments},
    {"UnsortedSegmentSum", unsortedSegments},
    {"Sort", sort},
    {"InTopK", inTopK},
    {"Unique", unique},
    {"UniqueWithCounts", unique},
    {"NonZero", nonZero},
    {"InvertPermutation", inferSame},
    {"MaskedSelect", maskedSelect},
    {"ShapeN", shapeN, evalShapeN},
    {"BroadcastArgs", broadcastArgs, evalBroadcastArgs},
    {"BroadcastGradientArgs", broadcastGradientArgs},
    {"ConcatOffset", concatOffset, evalConcatOffset},
};

} // namespace

std::span<const InferRow> geMathRows() { return kMathRows; }

} // namespace ge
