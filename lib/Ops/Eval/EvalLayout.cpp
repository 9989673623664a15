//===- EvalLayout.cpp - by position, on small known tensors -----------------------------------===//
#include "../Infer/InferIndex.h"
#include "EvalShape.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ge {
namespace {

/// The inferred shape of result `i`; one unknown dimension is computed from the number of elements.
/// Returns false if that is impossible.
bool resultShape(InferContext &c, uint32_t i, size_t count, std::vector<int64_t> &shape) {
  const Type *type = c.result(i);
  if (!type || !type->isTensor() || !type->isRanked())
    return false;
  uint64_t product = 1;
  size_t open = SIZE_MAX;
  shape.clear();
  for (const Dim &dim : type->shape()) {
    if (!dim.isStatic() && open != SIZE_MAX)
      return false;
    if (dim.isStatic())
      product *= uint64_t(dim.size);
    else
      open = shape.size();
    shape.push_back(dim.size);
    if (product > uint64_t(Contents::kMaxElements))
      return false;
  }
  if (open == SIZE_MAX)
    return product == count;
  if (product == 0 || count % product != 0)
    return false;
  shape[open] = int64_t(count / product);
  return true;
}

int64_t volume(std::span<const int64_t> shape, size_t from = 0) {
  int64_t product = 1;
  for (size_t i = from; i < shape.size(); ++i)
    product *= shape[i];
  return product;
}

/// Elements that are not known, so that a list with one of them still has the others.
std::optional<Contents> contentsOrUnknown(InferContext &c, uint32_t i) {
  if (const Contents *known = c.contents(i))
    return *known;
  const Type *type = c.operand(i);
  if (!type || !type->isTensor() || !isInteger(type->dtype()) || !type->hasStaticShape())
    return std::nullopt;
  int64_t count = type->numElements();
  if (count < 0 || count > Contents::kMaxElements || (count == 0 && type->shape().size() > 1))
    return std::nullopt;
  Contents contents;
  for (const Dim &dim : type->shape())
    contents.shape.push_back(dim.size);
  contents.elements.resize(size_t(count));
  return contents;
}

/// Visits the elements of `shape` in order with their coordinates.
template <typename Visit> void forEachIndex(std::span<const int64_t> shape, Visit visit) {
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0, n = volume(shape); i != n; ++i) {
    visit(std::span<const int64_t>(at));
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis])
        break;
      at[axis] = 0;
    }
  }
}

} // namespace

void evalCopy(InferContext &c) {
  const Contents *x = c.contents(0);
  Contents out;
  if (!x || !resultShape(c, 0, x->size(), out.shape))
    return;
  out.elements = x->elements;
  c.setContents(0, std::move(out));
}

void concatContents(InferContext &c, uint32_t begin, uint32_t end, int64_t axis) {
  std::vector<Contents> parts;
  size_t total = 0;
  for (uint32_t i = begin; i < end; ++i) {
    std::optional<Contents> part = contentsOrUnknown(c, i);
    if (!part || part->rank() == 0 || (!parts.empty() && part->rank() != parts[0].rank()))
      return;
    total += part->size();
    if (total > size_t(Contents::kMaxElements))
      return;
    parts.push_back(std::move(*part));
  }
  if (parts.empty())
    return;
  if (!normalizeAxis(c, axis, int64_t(parts[0].rank())))
    return;
  Contents out{parts[0].shape, {}};
  out.shape[size_t(axis)] = 0;
  for (const Contents &part : parts)
    out.shape[size_t(axis)] += part.shape[size_t(axis)];
  int64_t outer = volume(std::span(out.shape).first(size_t(axis)));
  if (uint64_t(volume(out.shape)) != total)
    return; // the other dimensions differ
  for (int64_t row = 0; row != outer; ++row)
    for (const Contents &part : parts) {
      int64_t run = volume(part.shape, size_t(axis));
      auto begin = part.elements.begin() + row * run;
      out.elements.insert(out.elements.end(), begin, begin + run);
    }
  c.setContents(0, std::move(out));
}

void evalConcat(InferContext &c) { concatContents(c, 0, c.numOperands(), c.intAttr("axis", 1)); }

void packContents(InferContext &c) {
  std::vector<Element> elements;
  for (uint32_t i = 0; i != c.numOperands(); ++i) {
    if (c.rank(i) != 0)
      return; // shapes are built from scalars
    const Contents *known = c.contents(i);
    elements.push_back(known && known->size() == 1 ? known->elements[0] : Element{});
  }
  c.setContents(0, Contents::vector(std::move(elements)));
}

void sliceContents(InferContext &c, int64_t offset, int64_t count) {
  const Contents *x = c.contents(0);
  if (!x || x->rank() != 1 || offset < 0 || offset > int64_t(x->size()))
    return;
  if (count < 0)
    count = int64_t(x->size()) - offset;
  if (count > int64_t(x->size()) - offset)
    return;
  auto begin = x->elements.begin() + offset;
  c.setContents(0, Contents::vector({begin, begin + count}));
}

void evalExpand(InferContext &c) {
  const Contents *x = c.contents(0);
  const Type *type = c.result(0);
  if (!x || !type || !type->hasStaticShape() || type->shape().size() < x->rank() ||
      type->numElements() < 1 || type->numElements() > Contents::kMaxElements)
    return;
  Contents out;
  for (const Dim &dim : type->shape())
    out.shape.push_back(dim.size);
  size_t offset = out.rank() - x->rank();
  forEachIndex(out.shape, [&](std::span<const int64_t> at) {
    int64_t position = 0;
    for (size_t i = 0; i != x->rank(); ++i)
      position = position * x->shape[i] + (x->shape[i] == 1 ? 0 : at[offset + i]);
    out.elements.push_back(x->elements[size_t(position)]);
  });
  c.setContents(0, std::move(out));
}

void gatherContents(InferContext &c, int64_t axis) {
  const Contents *x = c.contents(0), *indices = c.contents(1);
  if (!x || !indices || x->rank() == 0)
    return;
  if (!normalizeAxis(c, axis, int64_t(x->rank())))
    return;
  int64_t size = x->shape[size_t(axis)];
  int64_t inner = volume(x->shape, size_t(axis) + 1);
  int64_t outer = volume(std::span(x->shape).first(size_t(axis)));
  if (outer * inner * int64_t(indices->size()) > Contents::kMaxElements)
    return;
  Contents out;
  out.shape.assign(x->shape.begin(), x->shape.begin() + axis);
  out.shape.insert(out.shape.end(), indices->shape.begin(), indices->shape.end());
  out.shape.insert(out.shape.end(), x->shape.begin() + axis + 1, x->shape.end());
  for (int64_t row = 0; row != outer; ++row)
    for (const Element &index : indices->elements)
      for (int64_t i = 0; i != inner; ++i) {
        if (!index.isInt()) {
          out.elements.push_back({});
          continue;
        }
        int64_t at = index.number + (index.number < 0 ? size : 0);
        if (at < 0 || at >= size)
          return c.failAt(1, "has the index ", index.number, ", but axis ", axis, " of ",
                          c.operandName(0), " has ", size, " elements");
        out.elements.push_back(x->elements[size_t((row * size + at) * inner + i)]);
      }
  c.setContents(0, std::move(out));
}

void evalGather(InferContext &c) { gatherContents(c, c.intAttr("axis", 0)); }

void evalSlice(InferContext &c) {
  const Contents *x = c.contents(0);
  std::optional<std::vector<SliceAxis>> axes = x ? sliceAxes(c) : std::nullopt;
  if (!axes)
    return;
  Contents out{x->shape, {}};
  std::vector<int64_t> first(x->rank(), 0), step(x->rank(), 1);
  for (const SliceAxis &slice : *axes) {
    if (!slice.start || !slice.end || !slice.step)
      return;
    // If the declared type of a known value has no rank, negative axes cannot be normalised and are
    // used as written.
    int64_t rank = int64_t(x->rank()), at = slice.axis < 0 ? slice.axis + rank : slice.axis;
    if (at < 0 || at >= rank)
      return;
    auto axis = size_t(at);
    out.shape[axis] =
        sliceCount(x->shape[axis], *slice.start, *slice.end, *slice.step, first[axis]);
    step[axis] = *slice.step;
  }
  forEachIndex(out.shape, [&](std::span<const int64_t> at) {
    int64_t position = 0;
    for (size_t i = 0; i != x->rank(); ++i)
      position = position * x->shape[i] + first[i] + at[i] * step[i];
    out.elements.push_back(x->elements[size_t(position)]);
  });
  c.setContents(0, std::move(out));
}

void evalSplit(InferContext &c) {
  const Contents *x = c.contents(0);
  if (!x || x->rank() != 1)
    return;
  size_t at = 0;
  for (uint32_t i = 0; i != c.numResults(); ++i) {
    const Type *type = c.result(i);
    if (!type || !type->hasStaticShape() || type->shape().size() != 1)
      return;
    size_t count = size_t(type->shape()[0].size);
    if (count > x->size() - at)
      return;
    auto begin = x->elements.begin() + int64_t(at);
    c.setContents(i, Contents::vector({begin, begin + int64_t(count)}));
    at += count;
  }
}

void evalTranspose(InferContext &c) {
  const Contents *x = c.contents(0);
  if (!x)
    return;
  std::vector<int64_t> perm(x->rank());
  std::iota(perm.rbegin(), perm.rend(), 0);
  perm = c.intsAttr("perm").value_or(perm);
  if (perm.size() != x->rank() || !normalizeAxes(c, perm, int64_t(x->rank())))
    return;
  std::vector<int64_t> strides(x->rank(), 1);
  for (size_t i = x->rank(); i-- > 1;)
    strides[i - 1] = strides[i] * x->shape[i];
  Contents out;
  for (int64_t axis : perm)
    out.shape.push_back(x->shape[size_t(axis)]);
  forEachIndex(out.shape, [&](std::span<const int64_t> at) {
    int64_t position = 0;
    for (size_t i = 0; i != perm.size(); ++i)
      position += at[i] * strides[size_t(perm[i])];
    out.elements.push_back(x->elements[size_t(position)]);
  });
  c.setContents(0, std::move(out));
}

void evalConstant(InferContext &c) {
  if (Attribute value = c.attribute("value"); value.kind() == AttrKind::Tensor) {
    if (std::optional<Contents> contents = Contents::of(*value.tensorValue()))
      c.setContents(0, std::move(*contents));
  } else if (Attribute number = c.attribute("value_int"); number.kind() == AttrKind::Int) {
    c.setContents(0, Contents::scalar(Element::of(number.intValue())));
  } else if (Attribute real = c.attribute("value_float"); real.kind() == AttrKind::Float) {
    c.setContents(0, Contents::scalar(Element::of(real.floatValue())));
  } else if (std::optional<std::vector<int64_t>> list = c.intsAttr("value_ints")) {
    std::vector<Element> elements;
    for (int64_t item : *list)
      elements.push_back(Element::of(item));
    c.setContents(0, Contents::vector(std::move(elements)));
  }
}

void evalConstantOfShape(InferContext &c) {
  const Type *type = c.result(0);
  if (!type || !type->hasStaticShape())
    return;
  Element fill = isInteger(type->dtype()) || type->dtype() == DType::Bool ? Element::of(int64_t(0))
                                                                          : Element::of(0.0);
  if (Attribute value = c.attribute("value"); value.kind() == AttrKind::Tensor) {
    std::optional<Contents> contents = Contents::of(*value.tensorValue());
    if (!contents || contents->size() != 1)
      return;
    fill = contents->elements[0];
  }
  Contents out;
  for (const Dim &dim : type->shape())
    out.shape.push_back(dim.size);
  out.elements.assign(size_t(type->numElements()), fill);
  c.setContents(0, std::move(out));
}

void evalRange(InferContext &c) {
  const Contents *start = c.contents(0), *step = c.contents(2);
  const Type *type = c.result(0);
  if (!start || !step || start->size() != 1 || step->size() != 1 || !type ||
      !type->hasStaticShape() || !start->elements[0].isInt() || !step->elements[0].isInt())
    return;
  std::vector<Element> elements;
  for (int64_t i = 0; i != type->numElements(); ++i) {
    int64_t offset, value;
    if (__builtin_mul_overflow(i, step->elements[0].number, &offset) ||
        __builtin_add_overflow(start->elements[0].number, offset, &value))
      return;
    elements.push_back(Element::of(value));
  }
  c.setContents(0, Contents::vector(std::move(elements)));
}

void evalShapeOf(InferContext &c) {
  if (!c.isRanked(0))
    return;
  int64_t first, last;
  shapeBounds(c, c.rank(0), first, last);
  std::vector<Element> elements;
  for (int64_t i = first; i < last; ++i)
    elements.push_back(Element::of(c.shape(0)[size_t(i)]));
  c.setContents(0, Contents::vector(std::move(elements)));
}

void evalSize(InferContext &c) {
  if (c.isRanked(0))
    c.setContents(0, Contents::scalar(Element::of(multiplyAll(c.shape(0)))));
}

} // namespace ge
