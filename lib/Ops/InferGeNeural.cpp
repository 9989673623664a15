//===- InferGeNeural.cpp - GE's products, convolutions, pools, normalisations -----------------===//
#include "InferConvolution.h"
#include "InferRows.h"

#include <algorithm>

namespace ge {
namespace {

// --- Products ------------------------------------------------------------------------------------

bool isSet(InferContext &c, std::string_view name) { return c.intAttr(name, 0) != 0; }

void matMul(InferContext &c) {
  inferProduct(c, commonDType(c, {0, 1}), 0, 1, isSet(c, "transpose_x1"), isSet(c, "transpose_x2"));
}
void batchMatMul(InferContext &c) {
  inferProduct(c, commonDType(c, {0, 1}), 0, 1, isSet(c, "adj_x1"), isSet(c, "adj_x2"));
}
void gemm(InferContext &c) {
  inferProduct(c, commonDType(c, {0, 1}), 0, 1, isSet(c, "transpose_a"), isSet(c, "transpose_b"));
}

// --- Convolutions and pools ----------------------------------------------------------------------

/// Where batch, channels and space are: from `data_format`, else the type's own layout.
struct Layout {
  size_t batch = 0, channels = 1, space = 2; ///< `space`: the first of them, the others follow

  static Layout of(InferContext &c, std::string_view otherwise) {
    std::string_view format = c.stringAttr("data_format", otherwise);
    Layout layout;
    if (format.ends_with('C')) {
      layout.channels = format.size() - 1;
      layout.space = 1;
    }
    return layout;
  }
};

/// The spatial ones of a list for all dimensions; one that is for them already stays.
bool spatial(InferContext &c, std::string_view name, const Layout &layout, size_t rank,
             std::vector<int64_t> &out) {
  out.assign(rank, 1);
  std::optional<std::vector<int64_t>> given = c.intsAttr(name);
  if (!given || given->empty())
    return true;
  if (given->size() == 1)
    out.assign(rank, given->front());
  else if (given->size() == rank)
    out = *given;
  else if (given->size() == rank + 2)
    out.assign(given->begin() + int64_t(layout.space),
               given->begin() + int64_t(layout.space + rank));
  else {
    c.fail("attribute '", name, "' has ", given->size(), " numbers, but ", rank + 2,
           " are needed: one for each dimension");
    return false;
  }
  for (int64_t value : out)
    if (value < 1 || value > INT32_MAX) {
      c.fail("attribute '", name, "' has ", value, "; it must be at least 1");
      return false;
    }
  return true;
}

/// GE pads each dimension in turn, ONNX all in front and then all behind.
bool readWindow(InferContext &c, const Layout &layout, size_t rank, std::string_view padding,
                std::string_view dilations, Window &window) {
  if (!spatial(c, "strides", layout, rank, window.strides) ||
      !spatial(c, dilations, layout, rank, window.dilations))
    return false;
  window.pads.assign(rank * 2, 0);
  std::string_view mode = c.stringAttr(padding, "");
  if (mode == "SAME" || mode == "SAME_UPPER")
    window.autoPad = "SAME_UPPER";
  else if (mode == "SAME_LOWER")
    window.autoPad = "SAME_LOWER";
  else if (mode == "VALID")
    window.autoPad = "VALID";
  std::optional<std::vector<int64_t>> pads = c.intsAttr("pads");
  if (!pads || pads->empty())
    return true;
  if (pads->size() != rank * 2) {
    c.fail("attribute 'pads' has ", pads->size(), " numbers, but ", rank * 2,
           " are needed: two for each spatial dimension");
    return false;
  }
  for (size_t i = 0; i != rank; ++i) {
    window.pads[i] = std::clamp<int64_t>((*pads)[2 * i], -INT32_MAX, INT32_MAX);
    window.pads[rank + i] = std::clamp<int64_t>((*pads)[2 * i + 1], -INT32_MAX, INT32_MAX);
  }
  // -1 asks for padding that keeps the size.
  if (std::ranges::any_of(*pads, [](int64_t value) { return value == -1; }))
    window.autoPad = "SAME_UPPER";
  return true;
}

/// The filter's layout is its type's, as GE gives it; without one {out, in / groups, ...}.
bool filterDims(InferContext &c, size_t rank, Dim &out, Dims &kernel) {
  if (!c.isRanked(1))
    return false;
  if (!expectRank(c, 1, int64_t(rank) + 2))
    return false;
  std::span<const Dim> filter = c.shape(1);
  const Identifier *format = c.operand(1)->format();
  std::string_view name = format ? format->str() : "";
  if (name == "HWCN" || name == "DHWCN") {
    out = filter.back();
    kernel.assign(filter.begin(), filter.begin() + int64_t(rank));
  } else if (name == "NHWC" || name == "NDHWC") {
    out = filter[0];
    kernel.assign(filter.begin() + 1, filter.begin() + 1 + int64_t(rank));
  } else {
    out = filter[0];
    kernel.assign(filter.begin() + 2, filter.end());
  }
  return true;
}

void convolve(InferContext &c, std::string_view format, size_t rank) {
  DType dtype = commonDType(c, {0, 1});
  if (c.failed())
    return;
  if (!c.isRanked(0))
    return setRank(c, dtype, int64_t(rank) + 2);
  if (!expectRank(c, 0, int64_t(rank) + 2))
    return;
  Layout layout = Layout::of(c, format);
  Window window;
  Dim channels;
  Dims kernel(rank);
  if (!readWindow(c, layout, rank, "pad_mode", "dilations", window))
    return;
  filterDims(c, rank, channels, kernel);
  Dims dims(rank + 2);
  dims[layout.batch] = c.shape(0)[layout.batch];
  dims[layout.channels] = channels;
  for (size_t i = 0; i != rank && !c.failed(); ++i)
    dims[layout.space + i] = window.outputSize(c, i, c.shape(0)[layout.space + i], kernel[i]);
  if (!c.failed())
    c.setTensor(0, dtype, dims);
}

void conv2D(InferContext &c) { convolve(c, "NHWC", 2); }
void conv2DV2(InferContext &c) { convolve(c, "NCHW", 2); }
void conv3D(InferContext &c) { convolve(c, "NDHWC", 3); }

void poolOf(InferContext &c, std::string_view format, std::string_view padding, size_t rank) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return setRank(c, dtype, int64_t(rank) + 2);
  if (!expectRank(c, 0, int64_t(rank) + 2))
    return;
  Layout layout = Layout::of(c, format);
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  if (c.intAttr("global_pooling", 0) != 0) {
    std::fill_n(dims.begin() + int64_t(layout.space), rank, staticDim(1));
    return c.setTensor(0, dtype, dims);
  }
  Window window;
  std::vector<int64_t> kernel;
  if (!readWindow(c, layout, rank, padding, "dilation", window) ||
      !spatial(c, "ksize", layout, rank, kernel))
    return;
  bool ceilMode = c.intAttr("ceil_mode", 0) != 0;
  for (size_t i = 0; i != rank && !c.failed(); ++i)
    dims[layout.space + i] =
        window.outputSize(c, i, dims[layout.space + i], staticDim(kernel[i]), ceilMode);
  if (!c.failed())
    c.setTensor(0, dtype, dims);
}

void pool(InferContext &c) { poolOf(c, "NHWC", "padding", 2); }
void poolByMode(InferContext &c) { poolOf(c, "NCHW", "padding_mode", 2); }
void pool3D(InferContext &c) { poolOf(c, "NDHWC", "padding", 3); }

void globalPool(InferContext &c) {
  if (!c.isRanked(0) || c.rank(0) < 2)
    return c.setUnranked(0, c.dtype(0));
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + 2);
  dims.resize(c.shape(0).size(), staticDim(1));
  c.setTensor(0, c.dtype(0), dims);
}

void adaptivePool(InferContext &c) {
  std::optional<std::vector<int64_t>> size = c.intsAttr("output_size");
  if (!c.isRanked(0) || c.rank(0) < 2 || !size || size->size() != 2)
    return c.setUnranked(0, c.dtype(0));
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (size_t i = 0; i != 2; ++i)
    dims[dims.size() - 2 + i] = Element::of((*size)[i]).dim();
  c.setTensor(0, c.dtype(0), dims);
  c.setTensor(1, DType::I32, dims);
}

// --- Normalisations ------------------------------------------------------------------------------

/// y like x; the others like the scale.
void batchNorm(InferContext &c) {
  likeOperand(c);
  for (uint32_t i = 1; i < c.numResults() && i < 5; ++i)
    if (c.has(1))
      c.setResult(i, c.operand(1));
}

/// Statistics keep the dimensions before the axis.
void layerNorm(InferContext &c) {
  likeOperand(c);
  if (!c.isRanked(0))
    return;
  int64_t axis = c.intAttr("begin_norm_axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0), "begin_norm_axis"))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).begin() + axis);
  dims.resize(c.shape(0).size(), staticDim(1));
  for (uint32_t i : {1u, 2u})
    c.setTensor(i, c.dtype(0), dims);
}

/// The dimensions of gamma are normalised.
void rmsNorm(InferContext &c) {
  likeOperand(c);
  if (!c.isRanked(0) || !c.isRanked(1) || c.rank(1) > c.rank(0))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end() - c.rank(1));
  dims.resize(c.shape(0).size(), staticDim(1));
  c.setTensor(1, DType::F32, dims);
}

void softmax(InferContext &c) {
  bool widens = c.intAttr("half_to_float", 0) != 0 && c.dtype(0) == DType::F16;
  if (widens && c.isRanked(0))
    c.setTensor(0, DType::F32, c.shape(0));
  else if (widens)
    c.setUnranked(0, DType::F32);
  else
    likeOperand(c);
}

constexpr InferRow kRows[] = {
    {"MatMul", matMul},
    {"MatMulV2", matMul},
    {"MatMulV3", matMul},
    {"BatchMatMul", batchMatMul},
    {"BatchMatMulV2", batchMatMul},
    {"BatchMatMulV3", batchMatMul},
    {"GEMM", gemm},
    {"Conv2D", conv2D},
    {"Conv2DV2", conv2DV2},
    {"Conv3D", conv3D},
    {"AvgPool", pool},
    {"MaxPool", pool},
    {"AvgPoolV2", poolByMode},
    {"MaxPoolV3", poolByMode},
    {"AvgPool3D", pool3D},
    {"MaxPool3D", pool3D},
    {"GlobalAveragePool", globalPool},
    {"AdaptiveAvgPool2d", adaptivePool},
    {"AdaptiveMaxPool2d", adaptivePool},
    {"BatchNorm", batchNorm},
    {"BatchNorm3D", batchNorm},
    {"LayerNorm", layerNorm},
    {"LayerNormV3", layerNorm},
    {"RmsNorm", rmsNorm},
    {"SoftmaxV2", softmax},
};

} // namespace

std::span<const InferRow> geNeuralRows() { return kRows; }

} // namespace ge
