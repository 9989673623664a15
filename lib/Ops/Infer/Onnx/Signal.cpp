//===- Signal.cpp - Fourier transforms and windows --------------------------------------------===//
#include "../InferRows.h"

namespace ge {
namespace {

Dim scalarDim(InferContext &c, uint32_t i) {
  const Contents *contents = c.contents(i);
  return contents && contents->size() == 1 ? contents->elements[0].dim() : Dim{};
}

Dim half(Dim dim) { return dim.isStatic() ? staticDim(dim.size / 2 + 1) : Dim{}; }

/// input, dft_length, since 20 axis; before an attribute.
void dft(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  if (c.rank(0) < 2)
    return c.failAt(0, "must have at least 2 dimensions");
  bool isInverse = c.intAttr("inverse", 0) != 0, isOneSided = c.intAttr("onesided", 0) != 0;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  int64_t axis = c.intAttr("axis", 1);
  if (c.version() >= 20) {
    axis = -2;
    if (c.has(2)) {
      const Contents *given = c.contents(2);
      if (!given || given->size() != 1 || !given->elements[0].isInt()) {
        if (c.has(1) || isOneSided)
          dims.assign(dims.size(), Dim{});
        dims.back() = staticDim(isInverse && isOneSided ? 1 : 2);
        return c.setTensor(0, dtype, dims);
      }
      axis = given->elements[0].number;
    }
  }
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  Dim &size = dims[size_t(axis)];
  if (c.has(1))
    size = scalarDim(c, 1);
  else if (isInverse && isOneSided)
    size = {}; // the length may be even or odd
  if (isOneSided && !isInverse)
    size = half(size);
  dims.back() = staticDim(isInverse && isOneSided ? 1 : 2);
  c.setTensor(0, dtype, dims);
}

/// signal {batch, length, 1 or 2} or {batch, length}, frame_step, window, frame_length.
void stft(InferContext &c) {
  bool isReal = c.rank(0) == 2;
  if (!isReal && !expectRank(c, 0, 3))
    return;
  Dim frame = c.has(3) ? scalarDim(c, 3) : c.rank(2) == 1 ? c.shape(2)[0] : Dim{};
  Dim step = scalarDim(c, 1);
  Dim batch = c.isRanked(0) ? c.shape(0)[0] : Dim{}, length = c.isRanked(0) ? c.shape(0)[1] : Dim{};
  Dim frames;
  if (length.isStatic() && frame.isStatic() && step.size > 0 && length.size >= frame.size)
    frames = staticDim((length.size - frame.size) / step.size + 1);
  Dim bins = c.intAttr("onesided", 1) != 0 ? half(frame) : frame;
  c.setTensor(0, c.dtype(0), {batch, frames, bins, staticDim(2)});
}

void window(InferContext &c) {
  c.setTensor(0, c.dtypeAttr("output_datatype", DType::F32), {scalarDim(c, 0)});
}

/// num_mel_bins, dft_length, ...
void melWeightMatrix(InferContext &c) {
  c.setTensor(0, c.dtypeAttr("output_datatype", DType::F32),
              {half(scalarDim(c, 1)), scalarDim(c, 0)});
}

constexpr InferRow kSignalRows[] = {
    {"DFT", dft},
    {"STFT", stft},
    {"BlackmanWindow", window},
    {"HammingWindow", window},
    {"HannWindow", window},
    {"MelWeightMatrix", melWeightMatrix},
};

} // namespace

std::span<const InferRow> signalRows() { return kSignalRows; }

} // namespace ge
