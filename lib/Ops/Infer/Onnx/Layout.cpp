//===- Layout.cpp - the same elements in another shape ----------------------------------------===//
#include "../../Eval/EvalShape.h"
#include "../InferIndex.h"

#include <algorithm>
#include <numeric>

namespace ge {
namespace {

/// The size after -1: what remains of `from` after the sizes in `to`, where factors that are the
/// same symbol cancel, and so do dimensions copied with 0 (`copied`).
Dim remainder(std::span<const Dim> from, std::span<const Dim> to, size_t open,
              const std::vector<bool> &copied, bool &divides) {
  int64_t above = 1, below = 1;
  std::vector<const Identifier *> symbols;
  size_t unknown = 0;
  for (size_t i = 0; i != from.size(); ++i) {
    if (i < copied.size() && copied[i])
      continue;
    if (from[i].isStatic()) {
      if (__builtin_mul_overflow(above, from[i].size, &above))
        return {};
    } else if (from[i].symbol)
      symbols.push_back(from[i].symbol);
    else
      ++unknown;
  }
  for (size_t i = 0; i != to.size(); ++i) {
    if (i == open || (i < copied.size() && copied[i]))
      continue;
    if (to[i].isStatic()) {
      if (__builtin_mul_overflow(below, to[i].size, &below))
        return {};
      continue;
    }
    auto found = to[i].symbol ? std::ranges::find(symbols, to[i].symbol) : symbols.end();
    if (found == symbols.end())
      return {};
    symbols.erase(found);
  }
  if (unknown != 0 || below == 0)
    return {};
  if (symbols.empty()) {
    divides = above % below == 0;
    return divides ? staticDim(above / below) : Dim{};
  }
  return symbols.size() == 1 && above == below ? Dim{-1, symbols[0]} : Dim{};
}

void transpose(InferContext &c) { transposeBy(c, c.intsAttr("perm")); }

/// `axes` of Squeeze and Unsqueeze: an attribute until 11, an operand since 13.
std::optional<std::vector<int64_t>> axesOf(InferContext &c, bool &known) {
  known = true;
  std::optional<std::vector<int64_t>> axes = c.intsAttr("axes");
  return axes ? axes : operandInts(c, 1, known);
}

void concat(InferContext &c) { concatOperands(c, 0, c.numOperands(), c.intAttr("axis", 1)); }

void split(InferContext &c) {
  bool known = true;
  std::optional<std::vector<int64_t>> sizes = c.intsAttr("split");
  if (!sizes)
    sizes = operandInts(c, 1, known);
  splitOperand(c, 0, c.intAttr("axis", 0), sizes, known, c.version() >= 18);
}

/// Paddings are an attribute until 2, an operand since 11; `axes` came with 18.
void pad(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  std::vector<Element> pads;
  std::optional<std::vector<int64_t>> given = c.intsAttr(c.version() < 2 ? "paddings" : "pads");
  if (given)
    for (int64_t value : *given)
      pads.push_back(Element::of(value));
  else if (const Contents *contents = c.contents(1))
    pads = contents->elements;
  else
    return setRank(c, dtype, c.rank(0));
  bool known;
  std::vector<int64_t> axes(static_cast<size_t>(c.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  if (c.has(3)) {
    std::optional<std::vector<int64_t>> some = operandInts(c, 3, known);
    if (!some)
      return setRank(c, dtype, c.rank(0));
    axes = std::move(*some);
    if (!normalizeAxes(c, axes, c.rank(0)))
      return;
  }
  if (pads.size() != axes.size() * 2)
    return c.fail("there are ", pads.size(), " paddings, but ", axes.size() * 2,
                  " are needed: two for each dimension");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (size_t i = 0; i != axes.size(); ++i) {
    Dim &dim = dims[size_t(axes[i])];
    const Element &before = pads[i], &after = pads[axes.size() + i];
    int64_t size;
    if (!before.isInt() || !after.isInt())
      dim = {};
    else if (before.number == 0 && after.number == 0)
      continue;
    else if (!dim.isStatic() || __builtin_add_overflow(dim.size, before.number, &size) ||
             __builtin_add_overflow(size, after.number, &size))
      dim = {};
    else if (size < 0)
      return c.failAt(0, "has only ", dim.size, " elements in dimension ", axes[i],
                      ", and padding takes more away");
    else
      dim = staticDim(size);
  }
  c.setTensor(0, dtype, dims);
}

Dim divide(Dim dim, int64_t by, bool &ok) {
  ok = ok && (!dim.isStatic() || dim.size % by == 0);
  return dim.isStatic() ? staticDim(dim.size / by) : by == 1 ? dim : Dim{};
}

void depthToSpace(InferContext &c, bool back) {
  if (!c.isRanked(0))
    return setRank(c, c.dtype(0), 4);
  int64_t block = c.intAttr("blocksize", 0);
  if (!expectRank(c, 0, 4))
    return;
  if (block < 1 || block > INT32_MAX)
    return c.fail("attribute 'blocksize' is ", block, "; it must be at least 1");
  std::span<const Dim> in = c.shape(0);
  bool ok = true;
  Dim size = staticDim(block), area = staticDim(block * block);
  if (back)
    c.setTensor(0, c.dtype(0),
                {in[0], multiply(in[1], area), divide(in[2], block, ok), divide(in[3], block, ok)});
  else
    c.setTensor(
        0, c.dtype(0),
        {in[0], divide(in[1], area.size, ok), multiply(in[2], size), multiply(in[3], size)});
  if (!ok)
    c.failAt(0, "is not divisible by blocks of ", block, " x ", block);
}

void depthToSpaceOp(InferContext &c) { depthToSpace(c, false); }
void spaceToDepthOp(InferContext &c) { depthToSpace(c, true); }

void shapeOp(InferContext &c) {
  if (!c.isRanked(0))
    return setRank(c, DType::I64, 1);
  int64_t first, last;
  shapeBounds(c, c.rank(0), first, last);
  c.setTensor(0, DType::I64, {staticDim(std::max<int64_t>(last - first, 0))});
}

void sizeOp(InferContext &c) { c.setTensor(0, DType::I64, Dims()); }

void centerCropPad(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  std::vector<int64_t> axes(static_cast<size_t>(c.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  axes = c.intsAttr("axes").value_or(axes);
  if (!normalizeAxes(c, axes, c.rank(0)))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  const Contents *sizes = c.contents(1);
  if (sizes && sizes->size() != axes.size())
    return c.failAt(1, "must have one size for each of ", axes.size(), " axes");
  for (size_t i = 0; i != axes.size(); ++i)
    dims[size_t(axes[i])] = sizes ? sizes->elements[i].dim() : Dim{};
  c.setTensor(0, c.dtype(0), dims);
}

constexpr InferRow kLayoutRows[] = {
    {"Reshape", inferReshape, evalCopy},
    {"Transpose", transpose, evalTranspose},
    {"Flatten", inferFlatten, evalCopy},
    {"Squeeze", inferSqueeze, evalCopy},
    {"Unsqueeze", inferUnsqueeze, evalCopy},
    {"Concat", concat, evalConcat},
    {"Split", split, evalSplit},
    {"Expand", inferExpand, evalExpand},
    {"Tile", inferTile},
    {"Pad", pad},
    {"DepthToSpace", depthToSpaceOp},
    {"SpaceToDepth", spaceToDepthOp},
    {"ReverseSequence", inferSame},
    {"Trilu", inferSame},
    {"Shape", shapeOp, evalShapeOf},
    {"Size", sizeOp, evalSize},
    {"CenterCropPad", centerCropPad},
};

} // namespace

void transposeBy(InferContext &c, std::optional<std::vector<int64_t>> perm) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return perm ? setRank(c, dtype, int64_t(perm->size())) : c.setUnranked(0, dtype);
  Dims dims(c.shape(0).rbegin(), c.shape(0).rend());
  if (perm) {
    if (int64_t(perm->size()) != c.rank(0))
      return c.failAt(0, "has ", c.rank(0), " dimensions, but 'perm' has ", perm->size(),
                      " numbers");
    if (!normalizeAxes(c, *perm, c.rank(0)))
      return;
    for (size_t i = 0; i != dims.size(); ++i)
      dims[i] = c.shape(0)[size_t((*perm)[i])];
  }
  c.setTensor(0, dtype, dims);
}

void squeezeAxes(InferContext &c, std::optional<std::vector<int64_t>> axes, bool known) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  if (!known) {
    int64_t count = vectorLength(c, 1);
    return setRank(c, dtype, count >= 0 && count <= c.rank(0) ? c.rank(0) - count : -1);
  }
  Dims dims;
  if (!axes) {
    for (const Dim &dim : c.shape(0)) {
      if (!dim.isStatic())
        return c.setUnranked(0, dtype);
      if (dim.size != 1)
        dims.push_back(dim);
    }
    return c.setTensor(0, dtype, dims);
  }
  if (!normalizeAxes(c, *axes, c.rank(0)))
    return;
  for (int64_t i = 0; i != c.rank(0); ++i) {
    Dim dim = c.shape(0)[size_t(i)];
    if (std::ranges::find(*axes, i) == axes->end())
      dims.push_back(dim);
    else if (dim.isStatic() && dim.size != 1)
      return c.failAt(0, "cannot be squeezed: dimension ", i, " is ", dim.size, ", not 1");
  }
  c.setTensor(0, dtype, dims);
}

void unsqueezeAxes(InferContext &c, std::optional<std::vector<int64_t>> axes) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  if (!axes) {
    int64_t count = vectorLength(c, 1);
    return setRank(c, dtype, count >= 0 ? c.rank(0) + count : -1);
  }
  int64_t rank = c.rank(0) + int64_t(axes->size());
  if (!normalizeAxes(c, *axes, rank))
    return;
  Dims dims;
  for (int64_t i = 0, from = 0; i != rank; ++i)
    dims.push_back(std::ranges::find(*axes, i) != axes->end() ? staticDim(1)
                                                              : c.shape(0)[size_t(from++)]);
  c.setTensor(0, dtype, dims);
}

void concatOperands(InferContext &c, uint32_t begin, uint32_t end, int64_t axis) {
  DType dtype = commonDType(c, begin, end);
  if (c.failed() || begin >= end)
    return;
  uint32_t first = begin;
  while (first != end && !c.isRanked(first))
    ++first;
  if (first == end)
    return c.setUnranked(0, dtype);
  Dims dims(c.shape(first).begin(), c.shape(first).end());
  if (!normalizeAxis(c, axis, int64_t(dims.size())))
    return;
  Dim total = staticDim(0);
  for (uint32_t i = begin; i != end; ++i) {
    if (!c.isRanked(i)) {
      total = Dim{};
      continue;
    }
    if (!expectRank(c, i, int64_t(dims.size())))
      return;
    for (size_t at = 0; at != dims.size(); ++at) {
      if (int64_t(at) == axis)
        continue;
      bool ok = true;
      dims[at] = unify(dims[at], c.shape(i)[at], ok);
      if (!ok)
        return c.failAt(i, "differs from ", c.operandName(first), " (", shortType(c.operand(first)),
                        ") in dimension ", at, "; only axis ", axis, " may differ");
    }
    total = i == begin ? c.shape(i)[size_t(axis)] : add(total, c.shape(i)[size_t(axis)]);
  }
  dims[size_t(axis)] = total;
  c.setTensor(0, dtype, dims);
}

void splitOperand(InferContext &c, uint32_t x, int64_t axis,
                  std::optional<std::vector<int64_t>> sizes, bool known, bool lastIsSmaller) {
  DType dtype = c.dtype(x);
  uint32_t n = c.numResults();
  if (!c.isRanked(x)) {
    for (uint32_t i = 0; i != n; ++i)
      c.setUnranked(i, dtype);
    return;
  }
  if (!normalizeAxis(c, axis, c.rank(x)))
    return;
  Dims dims(c.shape(x).begin(), c.shape(x).end());
  Dim whole = dims[size_t(axis)];
  if (sizes && sizes->size() != n)
    return c.fail("there are ", sizes->size(), " sizes to split to, but ", n, " results");
  int64_t each = whole.isStatic() && n ? whole.size / n + (whole.size % n != 0) : -1;
  if (!sizes && known && whole.isStatic() && n && !lastIsSmaller && whole.size % n != 0)
    return c.failAt(x, "has ", whole.size, " elements on axis ", axis, ", which ", n,
                    " equal parts do not divide");
  int64_t total = 0;
  for (uint32_t i = 0; i != n; ++i) {
    Dim size;
    if (sizes)
      size = Element::of((*sizes)[i]).dim();
    else if (known && whole.isStatic())
      size = staticDim(std::max<int64_t>(std::min(each, whole.size - each * int64_t(i)), 0));
    else if (known && n == 1)
      size = whole;
    if (sizes && (!size.isStatic() || __builtin_add_overflow(total, size.size, &total)))
      return c.fail("size ", i, " to split to is negative or too large");
    dims[size_t(axis)] = size;
    c.setTensor(i, dtype, dims);
  }
  if (sizes && whole.isStatic() && total != whole.size)
    c.failAt(x, "has ", whole.size, " elements on axis ", axis,
             ", but the sizes to split to add up to ", total);
}

void inferReshape(InferContext &c) {
  DType dtype = c.dtype(0);
  std::vector<Element> wanted;
  if (std::optional<std::vector<int64_t>> given = c.intsAttr("shape"); given && c.version() < 5) {
    for (int64_t size : *given)
      wanted.push_back(Element::of(size));
  } else if (const Contents *contents = c.contents(1)) {
    wanted = contents->elements;
  } else {
    return setRank(c, dtype, vectorLength(c, 1));
  }
  reshapeTo(c, wanted, c.intAttr("allowzero", 0) != 0);
}

/// A size that is not 0 where the symbol is, as far as names say.
static bool isOther(const Dim &dim, const Element &symbol) {
  return dim.isStatic() ? dim.size != 0 : dim.symbol && dim.symbol != symbol.symbol;
}

void reshapeTo(InferContext &c, std::span<const Element> wanted, bool zeroIsZero) {
  Dims dims;
  size_t open = SIZE_MAX;
  bool isCertain = true; // no unknown element can be -1 or 0
  std::vector<bool> copied(wanted.size());
  for (size_t i = 0; i != wanted.size(); ++i) {
    const Element &element = wanted[i];
    isCertain = isCertain && element.isKnown();
    dims.push_back(element.dim());
    if (!element.isInt())
      continue;
    if (element.number == -1) {
      if (open != SIZE_MAX)
        return c.fail("the shape has -1 twice; one size can be computed from the others");
      open = i;
    } else if (element.number == 0 && !zeroIsZero) {
      dims[i] = {};
      if (!c.isRanked(0))
        continue;
      if (int64_t(i) >= c.rank(0))
        return c.fail("the shape has 0, which copies a dimension of ", c.operandName(0), ", at ", i,
                      ", but that has only ", c.rank(0));
      dims[i] = c.shape(0)[i];
      copied[i] = true;
    } else if (element.number < -1) {
      return c.fail("the shape has ", element.number, "; a size is -1, 0 or positive");
    }
  }
  // A symbol that is 0 copies a dimension of the operand, too. That fails, because the result has
  // elements, unless the same size of 0 is there a second time or -1 takes what then remains.
  // Beside a -1 the symbol stays, for sizes that are not 0: exporters write (-1, S, 4).
  Dims asWanted = dims;
  bool mayCopy = false;
  for (size_t i = 0; !zeroIsZero && i != wanted.size(); ++i) {
    if (!wanted[i].isSymbol() || int64_t(i) >= c.rank(0) || c.shape(0)[i] == asWanted[i])
      continue;
    bool isTwice = std::ranges::count(asWanted, asWanted[i]) > 1;
    if (isTwice)
      dims[i] = {};
    mayCopy = mayCopy || isTwice || (open != SIZE_MAX && isOther(c.shape(0)[i], wanted[i]));
  }
  if (c.isRanked(0) && isCertain && !mayCopy) {
    bool divides = true;
    Dim rest = remainder(c.shape(0), dims, open, copied, divides);
    if (open != SIZE_MAX && divides)
      dims[open] = rest;
    bool differs = open == SIZE_MAX && rest.isStatic() && rest.size != 1 &&
                   std::ranges::none_of(dims, [](const Dim &d) { return d.size == 0; });
    if (!divides || differs) {
      std::string text;
      for (const Element &element : wanted)
        text += cat(text.empty() ? "" : ", ",
                    element.isInt() ? std::to_string(element.number) : dimText(element.dim()));
      return c.failAt(0, "cannot be reshaped to [", text, "]: the numbers of elements differ");
    }
  }
  c.setTensor(0, c.dtype(0), dims);
}

void inferFlatten(InferContext &c) {
  if (!c.isRanked(0))
    return setRank(c, c.dtype(0), 2);
  int64_t axis = c.intAttr("axis", 1);
  if (axis < -c.rank(0) || axis > c.rank(0))
    return c.fail("axis ", axis, " is out of range: it must be in [", -c.rank(0), ", ", c.rank(0),
                  "]");
  size_t at = size_t(axis < 0 ? axis + c.rank(0) : axis);
  c.setTensor(0, c.dtype(0),
              {multiplyAll(c.shape(0).first(at)), multiplyAll(c.shape(0).subspan(at))});
}

void inferSqueeze(InferContext &c) {
  bool known;
  std::optional<std::vector<int64_t>> axes = axesOf(c, known);
  squeezeAxes(c, axes, known);
}

void inferUnsqueeze(InferContext &c) {
  bool known;
  unsqueezeAxes(c, axesOf(c, known));
}

void inferExpand(InferContext &c) {
  DType dtype = c.dtype(0);
  const Contents *wanted = c.contents(1);
  if (!wanted || !c.isRanked(0)) {
    int64_t length = vectorLength(c, 1);
    if (length < 0 || !c.isRanked(0))
      return c.setUnranked(0, dtype);
    Dims dims(static_cast<size_t>(length));
    if (!broadcastInto(dims, c.shape(0)))
      return;
    // Where the wanted size is not known it may be larger than 1.
    return c.setTensor(0, dtype, dims);
  }
  expandTo(c, wanted->dims());
}

void expandTo(InferContext &c, Dims dims) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  std::string text;
  for (const Dim &dim : dims)
    text += cat(text.empty() ? "" : ", ", dimText(dim));
  if (!broadcastInto(dims, c.shape(0)))
    return c.failAt(0, "does not broadcast to [", text, "]");
  c.setTensor(0, c.dtype(0), dims);
}

void inferTile(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return setRank(c, dtype, c.version() >= 6 ? vectorLength(c, 1) : -1);
  const Contents *repeats = c.version() >= 6 ? c.contents(1) : nullptr;
  if (!repeats)
    return setRank(c, dtype, c.rank(0));
  tileBy(c, repeats->dims());
}

void tileBy(InferContext &c, std::span<const Dim> repeats) {
  if (!c.isRanked(0))
    return setRank(c, c.dtype(0), int64_t(repeats.size()));
  if (int64_t(repeats.size()) != c.rank(0))
    return c.fail("there are ", repeats.size(), " repetitions, but ", c.operandName(0), " (",
                  shortType(c.operand(0)), ") needs one for each of its ", c.rank(0),
                  " dimensions");
  Dims dims;
  for (size_t i = 0; i != repeats.size(); ++i)
    dims.push_back(multiply(c.shape(0)[i], repeats[i]));
  c.setTensor(0, c.dtype(0), dims);
}

void shapeBounds(InferContext &c, int64_t rank, int64_t &first, int64_t &last) {
  auto bound = [&](std::string_view name, int64_t otherwise) {
    int64_t at = c.intAttr(name, otherwise);
    return std::clamp<int64_t>(at < 0 && at >= -rank ? at + rank : at, 0, rank);
  };
  first = bound("start", 0);
  last = bound("end", rank);
}

std::span<const InferRow> layoutRows() { return kLayoutRows; }

} // namespace ge
