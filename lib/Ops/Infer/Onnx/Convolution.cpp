//===- Convolution.cpp - windows over space: convolutions and pools ---------------------------===//
#include "../InferConvolution.h"

#include <algorithm>
#include <limits>

namespace ge {
namespace {

constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();

/// Ceil for `b` > 0.
int64_t ceilDivide(int64_t a, int64_t b) { return a / b + (a % b > 0); }

} // namespace

bool Window::read(InferContext &c, size_t rank) {
  autoPad = c.stringAttr("auto_pad", "NOTSET");
  auto list = [&](std::string_view name, std::vector<int64_t> &out, size_t count, int64_t fill,
                  int64_t least) {
    out.assign(count, fill);
    std::optional<std::vector<int64_t>> given = c.intsAttr(name);
    if (!given || given->empty())
      return true;
    if (given->size() != count) {
      c.fail("attribute '", name, "' has ", given->size(), " numbers, but ", count,
             " are needed for ", rank, " spatial dimensions");
      return false;
    }
    for (int64_t value : *given)
      if (value < least || value > kLimit) {
        c.fail("attribute '", name, "' has ", value, "; it must be at least ", least);
        return false;
      }
    out = std::move(*given);
    return true;
  };
  return list("strides", strides, rank, 1, 1) && list("dilations", dilations, rank, 1, 1) &&
         list("pads", pads, rank * 2, 0, -kLimit);
}

Dim Window::outputSize(InferContext &c, size_t i, Dim input, Dim kernel, bool ceilMode) const {
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    if (strides[i] == 1)
      return input;
    return input.isStatic() ? staticDim(ceilDivide(input.size, strides[i])) : Dim{};
  }
  if (!input.isStatic() || !kernel.isStatic()) {
    // As with padding that keeps the size, so that symbols pass.
    bool keeps = autoPad == "NOTSET" && strides[i] == 1 && kernel.isStatic() &&
                 kernel.size <= kLimit &&
                 pads[i] + pads[rank() + i] == (kernel.size - 1) * dilations[i];
    return keeps ? input : Dim{};
  }
  if (kernel.size > kLimit || input.size > std::numeric_limits<int64_t>::max() / 4)
    return {};
  int64_t padding = autoPad == "VALID" ? 0 : pads[i] + pads[rank() + i];
  int64_t extent = (kernel.size - 1) * dilations[i] + 1;
  int64_t room = input.size + padding - extent;
  if (room < 0) {
    c.failAt(0, "is too small: spatial dimension ", i, " has ", input.size, " and ", padding,
             " of padding, the kernel needs ", extent);
    return {};
  }
  int64_t count = (ceilMode ? ceilDivide(room, strides[i]) : room / strides[i]) + 1;
  // A window that begins in the padding after the input does not count.
  if (ceilMode && (count - 1) * strides[i] >= input.size + pads[i])
    --count;
  return staticDim(count);
}

namespace {

/// Of spatial dimension `i` of a pool. With SAME padding onnxruntime pads as if there were no
/// dilations, where by the text the size is that of the strides alone: known where these agree.
Dim pooledSize(InferContext &c, const Window &window, size_t i, Dim input, Dim kernel,
               bool ceilMode) {
  bool isSame = window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER";
  int64_t stride = window.strides[i], dilation = window.dilations[i];
  if (isSame && dilation != 1 && kernel.size != 1) {
    if (!input.isStatic() || !kernel.isStatic() || input.size > kLimit || kernel.size > kLimit)
      return {};
    int64_t count = ceilDivide(input.size, stride);
    int64_t padding = std::max<int64_t>((count - 1) * stride + kernel.size - input.size, 0);
    int64_t room = input.size + padding - (kernel.size - 1) * dilation - 1;
    int64_t padded = (ceilMode ? ceilDivide(room, stride) : room / stride) + 1;
    return room >= 0 && padded == count ? staticDim(count) : Dim{};
  }
  // Runtimes give a pool that is larger than its input the size 0 or 1.
  int64_t padding = window.autoPad == "VALID" ? 0 : window.pads[i] + window.pads[window.rank() + i];
  if (!isSame && input.isStatic() && kernel.isStatic() && input.size <= kLimit &&
      kernel.size <= kLimit && input.size + padding < (kernel.size - 1) * dilation + 1)
    return {};
  return window.outputSize(c, i, input, kernel, ceilMode);
}

/// Of spatial dimension `i` of a ConvTranspose with SAME padding: by the text the input's size
/// times the stride, for which onnxruntime and ONNX's inference do not add what the kernel lacks.
Dim transposedSameSize(const Window &window, size_t i, Dim input, Dim kernel, int64_t extra) {
  int64_t stride = window.strides[i];
  bool fills = kernel.isStatic() && kernel.size <= kLimit && extra == 0 &&
               (kernel.size - 1) * window.dilations[i] + 1 >= stride;
  return fills ? multiply(input, staticDim(stride)) : Dim{};
}

/// Batch and spatial dimensions, read from operand 0; false when it has none.
bool spatialRank(InferContext &c, uint32_t input, size_t &rank) {
  if (!c.isRanked(input))
    return false;
  if (c.rank(input) < 2) {
    c.failAt(input, "must have a batch and a channel dimension");
    return false;
  }
  rank = size_t(c.rank(input)) - 2;
  return true;
}

/// Sizes of the kernel: the attribute, or those of the weight.
bool kernelSizes(InferContext &c, int64_t weight, size_t rank, Dims &sizes) {
  if (std::optional<std::vector<int64_t>> given = c.intsAttr("kernel_shape");
      given && !given->empty()) {
    if (given->size() != rank) {
      c.fail("attribute 'kernel_shape' has ", given->size(), " numbers, but operand 0 has ", rank,
             " spatial dimensions");
      return false;
    }
    for (int64_t size : *given) {
      if (size < 1 || size > kLimit) {
        c.fail("attribute 'kernel_shape' has ", size, "; it must be at least 1");
        return false;
      }
      sizes.push_back(staticDim(size));
    }
    return true;
  }
  sizes.assign(rank, Dim{});
  if (weight >= 0 && c.rank(uint32_t(weight)) == int64_t(rank) + 2)
    std::copy_n(c.shape(uint32_t(weight)).begin() + 2, rank, sizes.begin());
  return true;
}

/// Operands: the input, the weight, perhaps a bias.
void convolve(InferContext &c, DType dtype, uint32_t weight, int64_t bias) {
  size_t rank;
  if (!spatialRank(c, 0, rank)) {
    if (c.isRanked(weight))
      setRank(c, dtype, c.rank(weight));
    else
      c.setUnranked(0, dtype);
    return;
  }
  if (!expectRank(c, weight, int64_t(rank) + 2))
    return;
  Window window;
  Dims kernel;
  if (!window.read(c, rank) || !kernelSizes(c, weight, rank, kernel))
    return;
  int64_t group = c.intAttr("group", 1);
  Dims dims{c.shape(0)[0], Dim{}};
  if (c.isRanked(weight)) {
    dims[1] = c.shape(weight)[0];
    Dim channels = c.shape(0)[1], perGroup = c.shape(weight)[1];
    Dim wanted = multiply(perGroup, staticDim(std::max<int64_t>(group, 1)));
    if (channels.isStatic() && wanted.isStatic() && channels.size != wanted.size)
      return c.failAt(0, "has ", channels.size, " channels, but ", c.operandName(weight), " (",
                      shortType(c.operand(weight)), ") is for ", perGroup.size,
                      group == 1 ? cat("") : cat(" in each of ", group, " groups"));
    if (group > 0 && dims[1].isStatic() && dims[1].size % group != 0)
      return c.failAt(weight, "makes ", dims[1].size, " channels, which ", group,
                      " groups do not divide");
  }
  if (group < 1)
    return c.fail("attribute 'group' is ", group, "; it must be at least 1");
  if (bias >= 0 && c.has(uint32_t(bias)) && expectRank(c, uint32_t(bias), 1) &&
      c.isRanked(uint32_t(bias))) {
    Dim size = c.shape(uint32_t(bias))[0];
    if (size.isStatic() && dims[1].isStatic() && size.size != dims[1].size)
      return c.failAt(uint32_t(bias), "must have one element for each of ", dims[1].size,
                      " output channels");
  }
  for (size_t i = 0; i != rank && !c.failed(); ++i)
    dims.push_back(window.outputSize(c, i, c.shape(0)[i + 2], kernel[i]));
  if (!c.failed())
    c.setTensor(0, dtype, dims);
}

void conv(InferContext &c) {
  DType dtype = commonDType(c, {0, 1, 2});
  if (!c.failed())
    convolve(c, dtype, 1, 2);
}
void convInteger(InferContext &c) { convolve(c, DType::I32, 1, -1); }
/// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias.
void qlinearConv(InferContext &c) { convolve(c, c.dtype(7), 3, 8); }
/// X, W, offset, B, mask.
void deformConv(InferContext &c) {
  DType dtype = commonDType(c, {0, 1, 2});
  if (!c.failed())
    convolve(c, dtype, 1, 3);
}

void convTranspose(InferContext &c) {
  DType dtype = commonDType(c, {0, 1, 2});
  if (c.failed())
    return;
  size_t rank;
  if (!spatialRank(c, 0, rank))
    return c.isRanked(1) ? setRank(c, dtype, c.rank(1)) : c.setUnranked(0, dtype);
  if (!expectRank(c, 1, int64_t(rank) + 2))
    return;
  Window window;
  Dims kernel;
  if (!window.read(c, rank) || !kernelSizes(c, 1, rank, kernel))
    return;
  Dims dims{c.shape(0)[0], Dim{}};
  int64_t group = c.intAttr("group", 1);
  if (c.isRanked(1)) {
    bool ok = true;
    unify(c.shape(0)[1], c.shape(1)[0], ok);
    if (!ok)
      return c.failAt(0, "has ", c.shape(0)[1].size, " channels, but ", c.operandName(1), " (",
                      shortType(c.operand(1)), ") is for ", c.shape(1)[0].size);
    dims[1] = multiply(c.shape(1)[1], staticDim(std::max<int64_t>(group, 1)));
  }
  std::optional<std::vector<int64_t>> sizes = c.intsAttr("output_shape");
  std::vector<int64_t> extra = c.intsAttr("output_padding").value_or(std::vector<int64_t>());
  extra.resize(rank, 0);
  if (std::ranges::any_of(extra, [](int64_t size) { return size < 0 || size > kLimit; }))
    return c.fail("attribute 'output_padding' must not be negative");
  for (size_t i = 0; i != rank; ++i) {
    Dim input = c.shape(0)[i + 2];
    if (sizes && sizes->size() == rank)
      dims.push_back(Element::of((*sizes)[i]).dim());
    else if (sizes && sizes->size() == rank + 2) // version 1: batch and channels, too
      dims.push_back(Element::of((*sizes)[i + 2]).dim());
    else if (window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER")
      dims.push_back(transposedSameSize(window, i, input, kernel[i], extra[i]));
    else if (input.isStatic() && kernel[i].isStatic() && input.size <= kLimit && input.size > 0 &&
             kernel[i].size <= kLimit) {
      int64_t padding = window.autoPad == "VALID" ? 0 : window.pads[i] + window.pads[rank + i];
      int64_t size = window.strides[i] * (input.size - 1) + extra[i] +
                     (kernel[i].size - 1) * window.dilations[i] + 1 - padding;
      if (size < 0)
        return c.failAt(0, "leaves nothing: padding ", padding, " is more than spatial dimension ",
                        i, " comes to");
      dims.push_back(staticDim(size));
    } else
      dims.push_back({});
  }
  c.setTensor(0, dtype, dims);
}

void pool(InferContext &c) {
  DType dtype = c.dtype(0);
  size_t rank;
  if (!spatialRank(c, 0, rank))
    return c.setUnranked(0, dtype);
  Window window;
  Dims kernel;
  if (!window.read(c, rank) || !kernelSizes(c, -1, rank, kernel))
    return;
  bool ceilMode = c.intAttr("ceil_mode", 0) != 0;
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + 2);
  for (size_t i = 0; i != rank && !c.failed(); ++i)
    dims.push_back(pooledSize(c, window, i, c.shape(0)[i + 2], kernel[i], ceilMode));
  if (c.failed())
    return;
  c.setTensor(0, dtype, dims);
  c.setTensor(1, DType::I64, dims); // MaxPool's indices
}

void globalPool(InferContext &c) {
  size_t rank;
  if (!spatialRank(c, 0, rank))
    return c.setUnranked(0, c.dtype(0));
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + 2);
  dims.resize(rank + 2, staticDim(1));
  c.setTensor(0, c.dtype(0), dims);
}

void maxUnpool(InferContext &c) {
  DType dtype = c.dtype(0);
  size_t rank;
  if (!spatialRank(c, 0, rank))
    return c.setUnranked(0, dtype);
  if (c.has(2)) {
    if (const Contents *sizes = c.contents(2); sizes && sizes->size() == rank + 2)
      return c.setTensor(0, dtype, sizes->dims());
    return setRank(c, dtype, c.rank(0));
  }
  Window window;
  Dims kernel;
  if (!window.read(c, rank) || !kernelSizes(c, -1, rank, kernel))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + 2);
  for (size_t i = 0; i != rank; ++i) {
    Dim input = c.shape(0)[i + 2];
    bool known = input.isStatic() && input.size > 0 && input.size <= kLimit && kernel[i].isStatic();
    dims.push_back(
        known ? staticDim(std::max<int64_t>((input.size - 1) * window.strides[i] + kernel[i].size -
                                                window.pads[i] - window.pads[rank + i],
                                            0))
              : Dim{});
  }
  c.setTensor(0, dtype, dims);
}

/// rois: {number, 5}.
void maxRoiPool(InferContext &c) {
  std::optional<std::vector<int64_t>> sizes = c.intsAttr("pooled_shape");
  Dims dims{c.isRanked(1) && c.rank(1) > 0 ? c.shape(1)[0] : Dim{},
            c.rank(0) >= 2 ? c.shape(0)[1] : Dim{}, Dim{}, Dim{}};
  for (size_t i = 0; sizes && i < 2 && i < sizes->size(); ++i)
    dims[i + 2] = Element::of((*sizes)[i]).dim();
  c.setTensor(0, c.dtype(0), dims);
}

void roiAlign(InferContext &c) {
  Dim rois = c.isRanked(1) && c.rank(1) > 0 ? c.shape(1)[0] : Dim{};
  Dims dims{rois, c.rank(0) >= 2 ? c.shape(0)[1] : Dim{},
            Element::of(c.intAttr("output_height", 1)).dim(),
            Element::of(c.intAttr("output_width", 1)).dim()};
  c.setTensor(0, c.dtype(0), dims);
}

void col2Im(InferContext &c) {
  DType dtype = c.dtype(0);
  const Contents *image = c.contents(1), *block = c.contents(2);
  int64_t rank = vectorLength(c, 1);
  if (rank < 0)
    rank = vectorLength(c, 2);
  if (rank < 0)
    return c.setUnranked(0, dtype);
  Dims dims(size_t(rank) + 2);
  if (c.rank(0) == 3) {
    dims[0] = c.shape(0)[0];
    Dim channels = c.shape(0)[1];
    Dim volume = block ? multiplyAll(block->dims()) : Dim{};
    if (channels.isStatic() && volume.isStatic() && volume.size > 0)
      dims[1] = staticDim(channels.size / volume.size);
  }
  if (image && image->size() == size_t(rank))
    std::ranges::copy(image->dims(), dims.begin() + 2);
  c.setTensor(0, dtype, dims);
}

/// input {B, C, length}, weight {C, 1, k}: like the input, and the last k - 1 columns.
void causalConv(InferContext &c) {
  if (!expectRank(c, 0, 3) || !expectRank(c, 1, 3))
    return;
  likeOperand(c);
  Dim kernel = c.isRanked(1) ? c.shape(1)[2] : Dim{};
  Dim batch = c.isRanked(0) ? c.shape(0)[0] : Dim{},
      channels = c.isRanked(0) ? c.shape(0)[1] : Dim{};
  c.setTensor(1, c.dtype(0),
              {batch, channels, kernel.size > 0 ? staticDim(kernel.size - 1) : Dim{}});
}

constexpr InferRow kConvolutionRows[] = {
    {"Conv", conv},
    {"ConvInteger", convInteger},
    {"CausalConvWithState", causalConv},
    {"QLinearConv", qlinearConv},
    {"DeformConv", deformConv},
    {"ConvTranspose", convTranspose},
    {"AveragePool", pool},
    {"LpPool", pool},
    {"MaxPool", pool},
    {"GlobalAveragePool", globalPool},
    {"GlobalLpPool", globalPool},
    {"GlobalMaxPool", globalPool},
    {"MaxUnpool", maxUnpool},
    {"MaxRoiPool", maxRoiPool},
    {"RoiAlign", roiAlign},
    {"Col2Im", col2Im},
};

} // namespace

std::span<const InferRow> convolutionRows() { return kConvolutionRows; }

} // namespace ge
