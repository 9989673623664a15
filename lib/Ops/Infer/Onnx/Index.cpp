//===- Index.cpp - by index: slices, gathers, scatters, selections ----------------------------===//
#include "../../Eval/EvalShape.h"
#include "../InferIndex.h"

#include <algorithm>
#include <numeric>

namespace ge {

int64_t sliceCount(int64_t size, int64_t start, int64_t end, int64_t step, int64_t &first) {
  first = 0;
  if (size == 0)
    return 0;
  auto clamp = [&](int64_t at, int64_t low, int64_t high) {
    return std::clamp(at < 0 ? std::max(at, -size - 1) + size : at, low, high);
  };
  if (step > 0) {
    first = clamp(start, 0, size);
    int64_t room = clamp(end, 0, size) - first;
    return room <= 0 ? 0 : (room - 1) / step + 1;
  }
  first = clamp(start, 0, size - 1);
  // -1 means the last element; what is before the first is -size - 1 or less.
  int64_t room = first - clamp(end, -1, size - 1);
  int64_t back = step == INT64_MIN ? INT64_MAX : -step;
  return room <= 0 ? 0 : (room - 1) / back + 1;
}

std::optional<std::vector<SliceAxis>> sliceAxes(InferContext &c) {
  using List = std::vector<std::optional<int64_t>>;
  // Attributes until 1, operands since 10.
  auto list = [&](std::string_view name, uint32_t operand) -> std::optional<List> {
    if (std::optional<std::vector<int64_t>> given = c.intsAttr(name))
      return List(given->begin(), given->end());
    const Contents *contents = c.contents(operand);
    if (!contents) {
      int64_t length = vectorLength(c, operand);
      return length < 0 ? std::nullopt : std::optional(List(static_cast<size_t>(length)));
    }
    List values;
    for (const Element &element : contents->elements)
      values.push_back(element.isInt() ? std::optional(element.number) : std::nullopt);
    return values;
  };
  std::optional<List> starts = list("starts", 1), ends = list("ends", 2);
  if (!starts || !ends)
    return std::nullopt;
  std::optional<List> axes, steps;
  if (c.has(3) || c.attribute("axes"))
    axes = list("axes", 3);
  else {
    axes.emplace();
    for (size_t i = 0; i != starts->size(); ++i)
      axes->emplace_back(int64_t(i));
  }
  if (c.has(4))
    steps = list("steps", 4);
  else
    steps = List(starts->size(), 1);
  if (!axes || !steps)
    return std::nullopt;
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size()) {
    c.fail("starts, ends, axes and steps must have as many numbers: ", starts->size(), ", ",
           ends->size(), ", ", axes->size(), ", ", steps->size());
    return std::nullopt;
  }
  std::vector<SliceAxis> slices;
  for (size_t i = 0; i != starts->size(); ++i) {
    if (!(*axes)[i])
      return std::nullopt;
    int64_t axis = *(*axes)[i];
    if (c.isRanked(0) && !normalizeAxis(c, axis, c.rank(0)))
      return std::nullopt;
    if ((*steps)[i] == 0) {
      c.fail("step ", i, " is 0");
      return std::nullopt;
    }
    std::optional<int64_t> end = (*ends)[i], step = (*steps)[i];
    // The specification selects nothing, while onnxruntime selects everything to the front.
    if (step && *step < 0 && end && (*end == INT32_MAX || *end == INT64_MAX))
      end.reset();
    slices.push_back({axis, (*starts)[i], end, step});
  }
  return slices;
}

namespace {

void slice(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  std::optional<std::vector<SliceAxis>> axes = sliceAxes(c);
  if (c.failed())
    return;
  if (!axes)
    return setRank(c, dtype, c.rank(0));
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (const SliceAxis &slice : *axes) {
    Dim &dim = dims[size_t(slice.axis)];
    bool known = slice.start && slice.end && slice.step;
    // All of it, however long it is.
    if (known && *slice.start == 0 && *slice.step == 1 && *slice.end >= INT32_MAX)
      continue;
    // 0:N of something that is N long.
    const Contents *ends = c.contents(2);
    if (slice.start == 0 && slice.step == 1 && !slice.end && ends && dim.symbol &&
        ends->size() == axes->size() && ends->elements[size_t(&slice - axes->data())].dim() == dim)
      continue;
    int64_t first;
    dim = known && dim.isStatic()
              ? staticDim(sliceCount(dim.size, *slice.start, *slice.end, *slice.step, first))
              : Dim{};
  }
  c.setTensor(0, dtype, dims);
}

void gather(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0) || !c.isRanked(1))
    return c.setUnranked(0, dtype);
  if (c.rank(0) < 1)
    return c.failAt(0, "must have at least one dimension");
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  std::span<const Dim> data = c.shape(0), indices = c.shape(1);
  Dims dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  c.setTensor(0, dtype, dims);
}

/// Of the indices' shape.
void gatherElements(InferContext &c) {
  int64_t axis = c.intAttr("axis", 0);
  if (c.isRanked(0) && !normalizeAxis(c, axis, c.rank(0)))
    return;
  if (c.isRanked(0) && !expectRank(c, 1, c.rank(0)))
    return;
  if (c.isRanked(1))
    c.setTensor(0, c.dtype(0), c.shape(1));
  else
    setRank(c, c.dtype(0), c.rank(0));
}

void gatherND(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0) || !c.isRanked(1))
    return c.setUnranked(0, dtype);
  std::span<const Dim> data = c.shape(0), indices = c.shape(1);
  int64_t batch = c.intAttr("batch_dims", 0);
  if (indices.empty() || data.empty())
    return c.failAt(indices.empty() ? 1 : 0, "must have at least one dimension");
  if (batch < 0 || batch >= int64_t(std::min(data.size(), indices.size())))
    return c.fail("attribute 'batch_dims' is ", batch, "; it must be in [0, ",
                  std::min(data.size(), indices.size()) - 1, "]");
  if (!indices.back().isStatic())
    return c.setUnranked(0, dtype);
  int64_t depth = indices.back().size;
  if (depth > c.rank(0) - batch)
    return c.failAt(1, "has ", depth, " coordinates in its last dimension, but ", c.operandName(0),
                    " (", shortType(c.operand(0)), ") has only ", c.rank(0) - batch);
  Dims dims(indices.begin(), indices.end() - 1);
  dims.insert(dims.end(), data.begin() + batch + depth, data.end());
  c.setTensor(0, dtype, dims);
}

/// data, indices, updates: of data's shape.
void scatter(InferContext &c) {
  likeOperand(c);
  DType data = c.dtype(0), updates = c.dtype(2);
  if (data != DType::Undefined && updates != DType::Undefined && data != updates)
    c.failAt(2, "has another element type than ", c.operandName(0), " (", shortType(c.operand(0)),
             "); cast one of them");
}

/// indices, depth, values.
void oneHot(InferContext &c) {
  DType dtype = c.dtype(2);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  int64_t axis = c.intAttr("axis", -1);
  if (!normalizeAxis(c, axis, c.rank(0) + 1))
    return;
  const Contents *depth = c.contents(1);
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim size = depth && depth->size() == 1 ? depth->elements[0].dim() : Dim{};
  if (depth && depth->size() == 1 && depth->elements[0].kind == Element::Kind::Real)
    size = Element::of(int64_t(std::clamp(depth->elements[0].real, 0.0, 0x1p53))).dim();
  dims.insert(dims.begin() + axis, size);
  c.setTensor(0, dtype, dims);
}

void nonZero(InferContext &c) {
  Dim rank = c.isRanked(0) ? staticDim(c.rank(0)) : Dim{};
  c.setTensor(0, DType::I64, {rank, Dim{}});
}

void compress(InferContext &c) {
  if (!c.attribute("axis"))
    return setRank(c, c.dtype(0), 1);
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  dims[size_t(axis)] = {};
  c.setTensor(0, c.dtype(0), dims);
}

void unique(InferContext &c) {
  if (!c.attribute("axis")) {
    setRank(c, c.dtype(0), 1);
  } else if (c.isRanked(0)) {
    int64_t axis = c.intAttr("axis", 0);
    if (!normalizeAxis(c, axis, c.rank(0)))
      return;
    Dims dims(c.shape(0).begin(), c.shape(0).end());
    dims[size_t(axis)] = {};
    c.setTensor(0, c.dtype(0), dims);
  } else {
    c.setUnranked(0, c.dtype(0));
  }
  for (uint32_t i = 1; i < c.numResults(); ++i)
    c.setTensor(i, DType::I64, {Dim{}});
}

void nonMaxSuppression(InferContext &c) {
  if (expectRank(c, 0, 3) && expectRank(c, 1, 3))
    c.setTensor(0, DType::I64, {Dim{}, staticDim(3)});
}

constexpr InferRow kIndexRows[] = {
    {"Slice", slice, evalSlice},
    {"Gather", gather, evalGather},
    {"GatherElements", gatherElements},
    {"GatherND", gatherND},
    {"Scatter", scatter},
    {"ScatterElements", scatter},
    {"ScatterND", scatter},
    {"TensorScatter", inferSame},
    {"OneHot", oneHot},
    {"NonZero", nonZero},
    {"Compress", compress},
    {"Unique", unique},
    {"NonMaxSuppression", nonMaxSuppression},
};

} // namespace

std::span<const InferRow> indexRows() { return kIndexRows; }

} // namespace ge
