//===- Slice.cpp - CANN's strided slices, and indices as NumPy has them -----------------------===//
#include "../../Eval/EvalShape.h"
#include "../InferIndex.h"
#include "CannInference.h"

#include <algorithm>

namespace ge {
namespace {

// --- Strided slices ------------------------------------------------------------------------------

/// What a strided slice does with one dimension.
struct Cut {
  int64_t axis = 0; ///< of the operand; -1: a dimension of size 1 is inserted
  bool shrinks = false;
  std::optional<int64_t> begin = std::nullopt, end = std::nullopt; ///< nullopt: not known
  bool fromStart = false, toEnd = false;
  std::optional<int64_t> stride = 1;
};

/// A list by entry; not known where the contents are not.
using Entries = std::vector<std::optional<int64_t>>;

std::optional<Entries> entriesOf(InferContext &c, std::string_view attribute, int64_t operand) {
  Entries entries;
  if (std::optional<std::vector<int64_t>> given = c.intsAttr(attribute)) {
    entries.assign(given->begin(), given->end());
    return entries;
  }
  if (operand < 0 || !c.has(uint32_t(operand)))
    return std::nullopt;
  if (const Contents *contents = c.contents(uint32_t(operand))) {
    for (const Element &element : contents->elements)
      entries.push_back(element.isInt() ? std::optional(element.number) : std::nullopt);
    return entries;
  }
  int64_t length = vectorLength(c, uint32_t(operand));
  return length < 0 ? std::nullopt : std::optional(Entries(size_t(length)));
}

bool bit(int64_t mask, size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }

/// One cut for each dimension of operand 0 and each inserted one, in the order of the result's;
/// nullopt after an error.
std::optional<std::vector<Cut>> cutsOf(InferContext &c, const Entries &begin, const Entries &end,
                                       const Entries &strides) {
  int64_t beginMask = c.intAttr("begin_mask", 0), endMask = c.intAttr("end_mask", 0),
          ellipsis = c.intAttr("ellipsis_mask", 0), inserts = c.intAttr("new_axis_mask", 0),
          shrinks = c.intAttr("shrink_axis_mask", 0);
  size_t n = begin.size();
  if (end.size() != n || strides.size() != n) {
    c.fail("begin, end and strides must have as many numbers: ", n, ", ", end.size(), ", ",
           strides.size());
    return std::nullopt;
  }
  int64_t rank = c.rank(0), used = 0;
  for (size_t i = 0; i != n; ++i)
    used += !bit(ellipsis, i) && !bit(inserts, i);
  if (used > rank) {
    c.failAt(0, "has ", rank, " dimensions, but begin has entries for ", used);
    return std::nullopt;
  }
  std::vector<Cut> cuts;
  int64_t axis = 0;
  auto whole = [&](int64_t count) {
    for (; count > 0; --count)
      cuts.push_back({.axis = axis++, .fromStart = true, .toEnd = true});
  };
  bool isSpread = false;
  for (size_t i = 0; i != n; ++i) {
    if (bit(ellipsis, i)) {
      if (isSpread) {
        c.fail("attribute 'ellipsis_mask' has more than one bit");
        return std::nullopt;
      }
      isSpread = true;
      whole(rank - used);
    } else if (bit(inserts, i)) {
      cuts.push_back({.axis = -1});
    } else {
      if (strides[i] == 0) {
        c.fail("stride ", i, " is 0");
        return std::nullopt;
      }
      cuts.push_back({.axis = axis++,
                      .shrinks = bit(shrinks, i),
                      .begin = begin[i],
                      .end = end[i],
                      .fromStart = bit(beginMask, i),
                      .toEnd = bit(endMask, i),
                      .stride = strides[i]});
    }
  }
  whole(rank - axis);
  return cuts;
}

/// How many elements are left of `dim`, and where the first is when that is known.
Dim cutSize(const Cut &cut, Dim dim, int64_t &first) {
  first = 0;
  if (cut.fromStart && cut.toEnd && cut.stride == 1)
    return dim;
  if (!cut.stride)
    return {};
  int64_t stride = *cut.stride;
  bool isForward = stride > 0;
  std::optional<int64_t> begin = cut.begin, end = cut.end;
  if (cut.fromStart)
    begin = isForward ? 0 : INT64_MAX;
  if (cut.toEnd)
    end = isForward ? INT64_MAX : INT64_MIN;
  if (!begin || !end)
    return {};
  if (dim.isStatic())
    return staticDim(sliceCount(dim.size, *begin, *end, stride, first));
  // 0: of any input.
  bool keeps = *begin == 0 && stride == 1 && *end >= INT32_MAX;
  return keeps ? dim : Dim{};
}

void cutOperand(InferContext &c, const std::optional<Entries> &begin,
                const std::optional<Entries> &end, const std::optional<Entries> &strides) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  // The masks say how many dimensions there are, as long as the number of entries is known.
  size_t n = begin ? begin->size() : end ? end->size() : strides ? strides->size() : SIZE_MAX;
  if (n == SIZE_MAX)
    return c.setUnranked(0, dtype);
  std::optional<std::vector<Cut>> cuts =
      cutsOf(c, begin.value_or(Entries(n)), end.value_or(Entries(n)), strides.value_or(Entries(n)));
  if (!cuts)
    return;
  Dims dims;
  for (const Cut &cut : *cuts) {
    int64_t first;
    if (cut.axis < 0)
      dims.push_back(staticDim(1));
    else if (!cut.shrinks)
      dims.push_back(cutSize(cut, c.shape(0)[size_t(cut.axis)], first));
    else if (Dim dim = c.shape(0)[size_t(cut.axis)];
             dim.isStatic() && cut.begin && !cut.fromStart &&
             (*cut.begin < -dim.size || *cut.begin >= dim.size))
      return c.failAt(0, "has ", dim.size, " elements in dimension ", cut.axis, ", so ", *cut.begin,
                      " is none of them");
  }
  c.setTensor(0, dtype, dims);
}

void stridedSlice(InferContext &c) {
  cutOperand(c, entriesOf(c, "begin", 1), entriesOf(c, "end", 2), entriesOf(c, "strides", 3));
}

/// Operand 0 cut along some axes; there are no inserted or dropped dimensions.
void cutAlong(InferContext &c, std::span<const int64_t> axes, const std::optional<Entries> &begin,
              const std::optional<Entries> &end, const std::optional<Entries> &strides) {
  int64_t beginMask = c.intAttr("begin_mask", 0), endMask = c.intAttr("end_mask", 0);
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (size_t i = 0; i != axes.size(); ++i) {
    auto entry = [i](const std::optional<Entries> &list) {
      return list && i < list->size() ? (*list)[i] : std::nullopt;
    };
    Cut cut{.axis = axes[i],
            .begin = entry(begin),
            .end = entry(end),
            .fromStart = bit(beginMask, i),
            .toEnd = bit(endMask, i),
            .stride = entry(strides)};
    if (cut.stride == 0)
      return c.fail("stride ", i, " is 0");
    int64_t first;
    Dim &dim = dims[size_t(cut.axis)];
    dim = cutSize(cut, dim, first);
  }
  c.setTensor(0, c.dtype(0), dims);
}

/// x, begin, end, axes, strides: one entry for each of `axes`, the other dimensions are whole.
void stridedSliceV2(InferContext &c) {
  std::optional<Entries> begin = entriesOf(c, "begin", 1), end = entriesOf(c, "end", 2);
  if (!c.isRanked(0) || (!begin && !end))
    return c.setUnranked(0, c.dtype(0));
  std::optional<Entries> strides =
      c.has(4) ? entriesOf(c, "strides", 4) : Entries((begin ? begin : end)->size(), 1);
  if (!c.has(3))
    return cutOperand(c, begin, end, strides);
  std::optional<std::vector<int64_t>> axes = listOf(c, 3);
  bool keepsRank = c.intAttr("new_axis_mask", 0) == 0 && c.intAttr("shrink_axis_mask", 0) == 0 &&
                   c.intAttr("ellipsis_mask", 0) == 0;
  if (!axes)
    return setRank(c, c.dtype(0), keepsRank ? c.rank(0) : -1);
  if (!normalizeAxes(c, *axes, c.rank(0)))
    return;
  bool areFirst =
      std::ranges::is_sorted(*axes) && (axes->empty() || axes->back() + 1 == int64_t(axes->size()));
  if (areFirst)
    cutOperand(c, begin, end, strides);
  else if (keepsRank)
    cutAlong(c, *axes, begin, end, strides);
  else
    c.setUnranked(0, c.dtype(0));
}

/// Of a vector: what shapes are cut with.
void evalStridedSlice(InferContext &c) {
  const Contents *x = c.contents(0);
  const Type *type = c.result(0);
  if (!x || x->rank() != 1 || !type || !type->isTensor() || !type->isRanked() ||
      type->shape().size() > 1)
    return;
  std::optional<Entries> begin = entriesOf(c, "begin", 1), end = entriesOf(c, "end", 2),
                         strides = entriesOf(c, "strides", 3);
  if (!begin || !end || !strides)
    return;
  std::optional<std::vector<Cut>> cuts = cutsOf(c, *begin, *end, *strides);
  if (!cuts || cuts->size() != 1 || cuts->front().axis != 0)
    return;
  const Cut &cut = cuts->front();
  int64_t size = int64_t(x->size()), first = 0;
  if (cut.shrinks) {
    if (!cut.begin || cut.fromStart)
      return;
    first = *cut.begin + (*cut.begin < 0 ? size : 0);
    if (first >= 0 && first < size)
      c.setContents(0, Contents::scalar(x->elements[size_t(first)]));
    return;
  }
  Dim count = cutSize(cut, staticDim(size), first);
  if (!count.isStatic())
    return;
  std::vector<Element> elements;
  for (int64_t i = 0; i != count.size; ++i)
    elements.push_back(x->elements[size_t(first + i * cut.stride.value_or(1))]);
  c.setContents(0, Contents::vector(std::move(elements)));
}

/// shape, begin, end, strides, dy.
void stridedSliceGradient(InferContext &c) { shapedBy(c, 0, c.dtype(4)); }

// --- Indices -------------------------------------------------------------------------------------

/// x, indexed_sizes, indexed_strides, indices: each dimension marked with 1 has an index; these are
/// broadcast and stand where the first was, or in front when others are in between.
void index(InferContext &c) {
  DType dtype = c.dtype(0);
  std::optional<std::vector<int64_t>> marks = listOf(c, 1);
  if (!c.isRanked(0) || !marks || int64_t(marks->size()) > c.rank(0))
    return c.setUnranked(0, dtype);
  Dims indexed;
  for (uint32_t i = 3; i < c.numOperands(); ++i) {
    if (!c.isRanked(i))
      return c.setUnranked(0, dtype);
    if (!broadcastInto(indexed, c.shape(i)))
      return c.failAt(i, "does not broadcast with the indices before it");
  }
  marks->resize(size_t(c.rank(0)), 0);
  auto isMarked = [](int64_t mark) { return mark != 0; };
  auto first = std::ranges::find_if(*marks, isMarked);
  auto after = std::find_if_not(first, marks->end(), isMarked);
  bool isOneBlock = std::none_of(after, marks->end(), isMarked);
  size_t place = isOneBlock ? size_t(first - marks->begin()) : 0;
  Dims dims;
  for (size_t i = 0; i != marks->size(); ++i)
    if (!isMarked((*marks)[i]))
      dims.push_back(c.shape(0)[i]);
  dims.insert(dims.begin() + int64_t(std::min(place, dims.size())), indexed.begin(), indexed.end());
  c.setTensor(0, dtype, dims);
}

constexpr InferRow kSliceRows[] = {
    {"StridedSlice", stridedSlice, evalStridedSlice},
    {"StridedSliceD", stridedSlice, evalStridedSlice},
    {"StridedSliceV2", stridedSliceV2},
    {"StridedSliceGrad", stridedSliceGradient},
    {"Index", index},
};

} // namespace

std::span<const InferRow> geSliceRows() { return kSliceRows; }

} // namespace ge
