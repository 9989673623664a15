//===- Resize.cpp - sampling on a grid: Resize, Upsample, GridSample --------------------------===//
#include "../InferRows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ge {
namespace {

/// `size` as a dimension, if it is one.
Dim dimOf(double size) { return size >= 0 && size < 0x1p53 ? staticDim(int64_t(size)) : Dim{}; }

/// floor(size * scale); a scale of 1 keeps a symbol. onnxruntime and ONNX's inference multiply f32,
/// ONNX's reference double: known where these agree.
Dim scaled(Dim dim, const Element &scale) {
  double factor = scale.isInt() ? double(scale.number) : scale.real;
  if (!scale.isKnown() || scale.isSymbol())
    return {};
  if (!dim.isStatic())
    return factor == 1.0 ? dim : Dim{};
  double size = std::floor(double(dim.size) * factor);
  return std::floor(float(dim.size) * float(factor)) == size ? dimOf(size) : Dim{};
}

/// The nearest integer of size * to / from, halves up; as for scaled().
Dim scaledTo(Dim dim, int64_t to, int64_t from) {
  if (from == 0)
    return {};
  double exact = std::floor(double(dim.size) * (double(to) / double(from)) + 0.5);
  float scale = float(to) / float(from);
  return std::round(scale * float(dim.size)) == exact ? dimOf(exact) : Dim{};
}

/// The other dimensions stay.
void unknownAt(InferContext &c, const std::vector<int64_t> &axes) {
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (int64_t axis : axes)
    dims[size_t(axis)] = {};
  c.setTensor(0, c.dtype(0), dims);
}

void scaleBy(InferContext &c, const std::vector<Element> &scales,
             const std::vector<int64_t> &axes) {
  if (scales.size() != axes.size())
    return c.fail("there are ", scales.size(), " scales, but ", axes.size(),
                  " are needed: one for each dimension");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (size_t i = 0; i != axes.size(); ++i)
    dims[size_t(axes[i])] = scaled(dims[size_t(axes[i])], scales[i]);
  c.setTensor(0, c.dtype(0), dims);
}

/// Sizes are bounds when the aspect ratio is kept.
void fitTo(InferContext &c, const Contents &sizes, const std::vector<int64_t> &axes,
           std::string_view policy) {
  if (sizes.size() != axes.size())
    return c.fail("there are ", sizes.size(), " sizes, but ", axes.size(),
                  " are needed: one for each dimension");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  bool keeps = policy == "not_larger" || policy == "not_smaller";
  int64_t to = 0, from = 0; // of the axis whose scale is that of all
  for (size_t i = 0; keeps && i != axes.size(); ++i) {
    Dim own = dims[size_t(axes[i])], wanted = sizes.elements[i].dim();
    if (!own.isStatic() || !wanted.isStatic() || own.size == 0)
      return unknownAt(c, axes);
    double scale = double(wanted.size) / double(own.size), least = double(to) / double(from);
    if (i == 0 || (policy == "not_larger" ? scale < least : scale > least)) {
      to = wanted.size;
      from = own.size;
    }
  }
  for (size_t i = 0; i != axes.size(); ++i) {
    Dim &dim = dims[size_t(axes[i])];
    dim = keeps ? scaledTo(dim, to, from) : sizes.elements[i].dim();
  }
  c.setTensor(0, c.dtype(0), dims);
}

std::vector<int64_t> allAxes(InferContext &c) {
  std::vector<int64_t> axes(static_cast<size_t>(c.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// X, scales; since 11 X, roi, scales, sizes.
void resize(InferContext &c) { resizeBy(c, c.version() < 11 ? 1 : 2, 3); }

/// Scales are an attribute until 7, an operand since 9.
void upsample(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  Attribute given = c.attribute("scales");
  if (given.kind() == AttrKind::Array &&
      (given.width() == DType::F32 || given.width() == DType::F64)) {
    std::vector<Element> scales;
    for (size_t i = 0; i != given.size(); ++i)
      scales.push_back(Element::of(given.width() == DType::F32 ? double(given.floats()[i])
                                                               : given.doubles()[i]));
    return scaleBy(c, scales, allAxes(c));
  }
  if (const Contents *scales = c.contents(1))
    return scaleBy(c, scales->elements, allAxes(c));
  setRank(c, c.dtype(0), c.rank(0));
}

/// X: {N, C, D1, ...}, grid: {N, O1, ..., spatial rank}.
void gridSample(InferContext &c) {
  if (!c.isRanked(0) && !c.isRanked(1))
    return c.setUnranked(0, c.dtype(0));
  int64_t rank = c.isRanked(0) ? c.rank(0) : c.rank(1);
  if (rank < 3)
    return c.fail("operands 0 and 1 must have at least 3 dimensions");
  if (!expectRank(c, 0, rank) || !expectRank(c, 1, rank))
    return;
  Dims dims(static_cast<size_t>(rank));
  if (c.isRanked(0))
    std::copy_n(c.shape(0).begin(), 2, dims.begin());
  if (c.isRanked(1))
    std::copy_n(c.shape(1).begin() + 1, rank - 2, dims.begin() + 2);
  c.setTensor(0, c.dtype(0), dims);
}

/// theta, size {N, C, H, W} or {N, C, D, H, W}: {N, H, W, 2} or {N, D, H, W, 3}.
void affineGrid(InferContext &c) {
  int64_t length = vectorLength(c, 1);
  const Contents *size = c.contents(1);
  if (length != 4 && length != 5)
    return c.setUnranked(0, c.dtype(0));
  Dims dims(static_cast<size_t>(length));
  for (size_t i = 0; size && i + 2 < dims.size(); ++i)
    dims[i + 1] = size->elements[i + 2].dim();
  if (size)
    dims[0] = size->elements[0].dim();
  dims.back() = staticDim(length - 2);
  c.setTensor(0, c.dtype(0), dims);
}

constexpr InferRow kResizeRows[] = {
    {"Resize", resize},
    {"Upsample", upsample},
    {"GridSample", gridSample},
    {"AffineGrid", affineGrid},
};

} // namespace

void resizeBy(InferContext &c, uint32_t scales, uint32_t sizes) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  std::vector<int64_t> axes = c.intsAttr("axes").value_or(allAxes(c));
  if (!normalizeAxes(c, axes, c.rank(0)))
    return;
  const Contents *factors = c.contents(scales);
  if (factors && factors->size() != 0) {
    // By the text the region counts, by onnxruntime it does not.
    if (c.stringAttr("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize")
      return unknownAt(c, axes);
    return scaleBy(c, factors->elements, axes);
  }
  if (const Contents *wanted = c.contents(sizes))
    return fitTo(c, *wanted, axes, c.stringAttr("keep_aspect_ratio_policy", "stretch"));
  unknownAt(c, axes);
}

std::span<const InferRow> resizeRows() { return kResizeRows; }

} // namespace ge
