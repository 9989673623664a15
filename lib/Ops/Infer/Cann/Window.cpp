//===- Window.cpp - CANN's convolutions and pools ---------------------------------------------===//
#include "CannInference.h"

#include <algorithm>
#include <numeric>

namespace ge {

SpaceLayout SpaceLayout::of(InferContext &c, std::string_view otherwise) {
  std::string_view format = c.stringAttr("data_format", otherwise);
  SpaceLayout layout;
  if (format.ends_with('C')) {
    layout.channels = format.size() - 1;
    layout.space = 1;
  }
  return layout;
}

bool spatialList(InferContext &c, std::string_view name, std::span<const int64_t> given,
                 const SpaceLayout &layout, size_t rank, std::vector<int64_t> &out) {
  out.assign(rank, 1);
  if (given.size() == 1)
    out.assign(rank, given.front());
  else if (given.size() == rank)
    out.assign(given.begin(), given.end());
  else if (given.size() == rank + 2)
    std::ranges::copy(given.subspan(layout.space, rank), out.begin());
  else if (!given.empty()) {
    c.fail("'", name, "' has ", given.size(), " numbers, but ", rank + 2,
           " are needed: one for each dimension");
    return false;
  }
  for (int64_t value : out)
    if (value < 1 || value > INT32_MAX) {
      c.fail("'", name, "' has ", value, "; it must be at least 1");
      return false;
    }
  return true;
}

bool spatialAttr(InferContext &c, std::string_view name, const SpaceLayout &layout, size_t rank,
                 std::vector<int64_t> &out) {
  std::vector<int64_t> given = c.intsAttr(name).value_or(std::vector<int64_t>());
  return spatialList(c, name, given, layout, rank, out);
}

namespace {

void setMode(Window &window, std::string_view mode) {
  if (mode == "SAME" || mode == "SAME_UPPER")
    window.autoPad = "SAME_UPPER";
  else if (mode == "SAME_LOWER")
    window.autoPad = "SAME_LOWER";
  else if (mode == "VALID")
    window.autoPad = "VALID";
}

} // namespace

bool readWindow(InferContext &c, const SpaceLayout &layout, size_t rank, const WindowNames &names,
                Window &window) {
  if (!spatialAttr(c, names.strides, layout, rank, window.strides) ||
      !spatialAttr(c, names.dilations, layout, rank, window.dilations))
    return false;
  window.pads.assign(rank * 2, 0);
  setMode(window, c.stringAttr(names.padding, ""));
  std::optional<std::vector<int64_t>> pads = c.intsAttr(names.pads);
  if (!pads || pads->empty())
    return true;
  if (pads->size() != rank * 2) {
    c.fail("attribute '", names.pads, "' has ", pads->size(), " numbers, but ", rank * 2,
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

DType accumulated(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8 || dtype == DType::I4 ? DType::I32 : dtype;
}

namespace {

/// The dimensions of a filter, by its layout. The layout is that of its type, as in CANN; without
/// one {out, in / groups, ...}.
struct Filter {
  Dim first, second; ///< the dimensions that are not of space: usually of results and operands
  Dims kernel;
};

/// False when nothing is known, or after an error.
bool readFilter(InferContext &c, uint32_t operand, size_t rank, std::string_view otherwise,
                Filter &out) {
  out.kernel.assign(rank, Dim{});
  if (!c.isRanked(operand) || !expectRank(c, operand, int64_t(rank) + 2))
    return false;
  std::span<const Dim> filter = c.shape(operand);
  const Identifier *format = c.operand(operand)->format();
  std::string_view name = format ? format->str() : otherwise;
  if (name == "HWCN" || name == "DHWCN") {
    out.first = filter.back();
    out.second = filter[rank];
    out.kernel.assign(filter.begin(), filter.begin() + int64_t(rank));
  } else if (name == "NHWC" || name == "NDHWC") {
    out.first = filter[0];
    out.second = filter.back();
    out.kernel.assign(filter.begin() + 1, filter.begin() + 1 + int64_t(rank));
  } else {
    out.first = filter[0];
    out.second = filter[1];
    out.kernel.assign(filter.begin() + 2, filter.end());
  }
  return true;
}

// --- Convolutions --------------------------------------------------------------------------------

/// The image has `rank` dimensions of space; `channels` of the result come from the filter.
template <typename Channels>
void convolve(InferContext &c, std::string_view format, size_t rank, std::string_view filterFormat,
              Channels channels) {
  DType dtype = accumulated(commonDType(c, {0, 1}));
  if (c.failed())
    return;
  if (!c.isRanked(0))
    return setRank(c, dtype, int64_t(rank) + 2);
  if (!expectRank(c, 0, int64_t(rank) + 2))
    return;
  SpaceLayout layout = SpaceLayout::of(c, format);
  Window window;
  if (!readWindow(c, layout, rank, {.padding = "pad_mode"}, window))
    return;
  Filter filter;
  bool known = readFilter(c, 1, rank, filterFormat, filter);
  Dims dims(rank + 2);
  dims[layout.batch] = c.shape(0)[layout.batch];
  dims[layout.channels] = known ? channels(filter) : Dim{};
  for (size_t i = 0; i != rank && !c.failed(); ++i)
    dims[layout.space + i] =
        window.outputSize(c, i, c.shape(0)[layout.space + i], filter.kernel[i]);
  if (!c.failed())
    c.setTensor(0, dtype, dims);
}

Dim firstOf(const Filter &filter) { return filter.first; }

void conv2D(InferContext &c) { convolve(c, "NHWC", 2, "", firstOf); }
void conv2DV2(InferContext &c) { convolve(c, "NCHW", 2, "", firstOf); }
void conv3D(InferContext &c) { convolve(c, "NDHWC", 3, "", firstOf); }

/// Each channel makes as many as the filter has for it: {H, W, C, K}, or {K, C, H, W} with
/// channels in front.
void depthwise(InferContext &c) {
  bool isLast = c.stringAttr("data_format", "NHWC").ends_with('C');
  convolve(c, "NHWC", 2, isLast ? "HWCN" : "NCHW",
           [](const Filter &filter) { return multiply(filter.first, filter.second); });
}

/// Infers the size of the image from which a convolution with this window produces `input`.
Dim transposedSize(InferContext &c, uint32_t x, const Window &window, size_t i, Dim input,
                   Dim kernel, int64_t extra) {
  if (window.autoPad != "NOTSET" && window.autoPad != "VALID")
    return multiply(input, staticDim(window.strides[i]));
  bool fits = input.isStatic() && kernel.isStatic() && input.size > 0 && input.size <= INT32_MAX &&
              kernel.size <= INT32_MAX;
  if (!fits)
    return {};
  int64_t size = window.strides[i] * (input.size - 1) + extra +
                 (kernel.size - 1) * window.dilations[i] + 1 - window.pads[i] -
                 window.pads[window.rank() + i];
  if (size >= 0)
    return staticDim(size);
  c.failAt(x, "leaves nothing: padding is more than spatial dimension ", i, " comes to");
  return {};
}

/// Operand `x` and the filter after it. `isSized`: the window makes the size.
void transposed(InferContext &c, uint32_t x, std::string_view format, size_t rank,
                bool isSized = true) {
  DType dtype = accumulated(commonDType(c, {x, x + 1}));
  if (c.failed())
    return;
  if (!c.isRanked(x))
    return setRank(c, dtype, int64_t(rank) + 2);
  if (!expectRank(c, x, int64_t(rank) + 2))
    return;
  SpaceLayout layout = SpaceLayout::of(c, format);
  Window window;
  if (!readWindow(c, layout, rank, {.padding = "padding"}, window))
    return;
  std::vector<int64_t> extra =
      c.intsAttr("output_padding").value_or(std::vector<int64_t>(rank + 2, 0));
  bool isWhole = extra.size() == rank + 2;
  extra.resize(rank + 2, 0);
  int64_t groups = c.intAttr("groups", 1);
  if (groups < 1)
    return c.fail("attribute 'groups' is ", groups, "; it must be at least 1");
  Filter filter;
  bool known = readFilter(c, x + 1, rank, "", filter);
  Dims dims(rank + 2);
  dims[layout.batch] = c.shape(x)[layout.batch];
  // The filter belongs to the forward convolution.
  dims[layout.channels] = known ? multiply(filter.second, staticDim(groups)) : Dim{};
  for (size_t i = 0; i != rank && isSized && !c.failed(); ++i) {
    int64_t added = std::clamp<int64_t>(extra[isWhole ? layout.space + i : i], 0, INT32_MAX);
    dims[layout.space + i] =
        transposedSize(c, x, window, i, c.shape(x)[layout.space + i], filter.kernel[i], added);
  }
  if (!c.failed())
    c.setTensor(0, dtype, dims);
}

/// Its shape is the contents of operand 0, unless these are all 0.
void transposedTo(InferContext &c, std::string_view format, size_t rank) {
  const Contents *size = c.contents(0);
  bool isGiven = size && std::ranges::any_of(size->elements, [](const Element &e) {
                   return !e.isInt() || e.number != 0;
                 });
  if (!isGiven)
    return transposed(c, 1, format, rank, size != nullptr);
  if (size->size() != rank + 2)
    return c.failAt(0, "must have ", rank + 2, " numbers: the shape of the result");
  c.setTensor(0, accumulated(commonDType(c, {1, 2})), size->dims());
}

void deconvolution(InferContext &c) { transposed(c, 0, "NCHW", 2); }
void conv2DTranspose(InferContext &c) { transposedTo(c, "NHWC", 2); }
void conv3DTranspose(InferContext &c) { transposedTo(c, "NDHWC", 3); }

/// input_size, filter, out_backprop.
void inputGradient(InferContext &c, size_t rank) {
  shapedBy(c, 0, c.dtype(2));
  if (!c.contents(0))
    setRank(c, c.dtype(2), int64_t(rank) + 2);
}
void inputGradient2D(InferContext &c) { inputGradient(c, 2); }
void inputGradient3D(InferContext &c) { inputGradient(c, 3); }

/// x, filter_size, out_backprop; summed in f32.
void filterGradient(InferContext &c) {
  if (c.contents(1))
    return shapedBy(c, 1, DType::F32);
  setRank(c, DType::F32, 4);
}

// --- Pools ---------------------------------------------------------------------------------------

/// Result 0 of operand 0, with windows of the sizes in `kernel`.
void poolWith(InferContext &c, const SpaceLayout &layout, const Window &window,
              std::span<const Dim> kernel, bool ceilMode) {
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  for (size_t i = 0; i != window.rank() && !c.failed(); ++i)
    dims[layout.space + i] = window.outputSize(c, i, dims[layout.space + i], kernel[i], ceilMode);
  if (!c.failed())
    c.setTensor(0, c.dtype(0), dims);
}

/// False when the image is not known (then the rank is set) or wrong.
bool hasImage(InferContext &c, size_t rank) {
  if (c.isRanked(0))
    return expectRank(c, 0, int64_t(rank) + 2);
  setRank(c, c.dtype(0), int64_t(rank) + 2);
  return false;
}

struct PoolNames {
  WindowNames window;
  std::string_view sizes = "ksize";
};

/// `ceilMode`: nullopt: the attribute says it.
void poolOf(InferContext &c, std::string_view format, size_t rank, const PoolNames &names,
            std::optional<bool> ceilMode = std::nullopt) {
  if (!hasImage(c, rank))
    return;
  SpaceLayout layout = SpaceLayout::of(c, format);
  if (c.intAttr("global_pooling", 0) != 0) {
    Dims dims(c.shape(0).begin(), c.shape(0).end());
    std::fill_n(dims.begin() + int64_t(layout.space), rank, staticDim(1));
    return c.setTensor(0, c.dtype(0), dims);
  }
  Window window;
  std::vector<int64_t> sizes;
  if (!readWindow(c, layout, rank, names.window, window) ||
      !spatialAttr(c, names.sizes, layout, rank, sizes))
    return;
  Dims kernel;
  for (int64_t size : sizes)
    kernel.push_back(staticDim(size));
  poolWith(c, layout, window, kernel, ceilMode.value_or(c.intAttr("ceil_mode", 0) != 0));
}

constexpr PoolNames kByPadding{{.padding = "padding", .dilations = "dilation"}};
constexpr PoolNames kByMode{{.padding = "padding_mode", .dilations = "dilation"}};

void pool(InferContext &c) { poolOf(c, "NHWC", 2, kByPadding); }
void poolByMode(InferContext &c) { poolOf(c, "NCHW", 2, kByMode); }
void pool3D(InferContext &c) { poolOf(c, "NDHWC", 3, kByPadding); }

/// Caffe's: 0 rounds up.
void pooling(InferContext &c) {
  constexpr PoolNames kNames{
      {.padding = "", .strides = "stride", .dilations = "dilation", .pads = "pad"}, "window"};
  poolOf(c, "NCHW", 2, kNames, c.intAttr("ceil_mode", 0) == 0);
}

/// The last dimension is pooled.
void pool1D(InferContext &c) {
  if (!c.isRanked(0) || c.rank(0) < 1)
    return c.setUnranked(0, c.dtype(0));
  SpaceLayout layout;
  layout.space = size_t(c.rank(0)) - 1;
  Window window;
  std::vector<int64_t> sizes;
  if (!readWindow(c, layout, 1, {.padding = ""}, window) ||
      !spatialAttr(c, "ksize", layout, 1, sizes))
    return;
  Dim kernel = staticDim(sizes[0]);
  poolWith(c, layout, window, {&kernel, 1}, c.intAttr("ceil_mode", 0) != 0);
}

/// Window and steps are operands; when they are not known, space is not.
void poolByOperands(InferContext &c) {
  if (!hasImage(c, 2))
    return;
  SpaceLayout layout = SpaceLayout::of(c, "NHWC");
  std::optional<std::vector<int64_t>> sizes = listOf(c, 1), strides = listOf(c, 2);
  Window window;
  window.dilations.assign(2, 1);
  window.pads.assign(4, 0);
  setMode(window, c.stringAttr("padding", ""));
  std::vector<int64_t> kernel;
  if (!sizes || !strides) {
    Dims dims(c.shape(0).begin(), c.shape(0).end());
    std::fill_n(dims.begin() + int64_t(layout.space), 2, Dim{});
    return c.setTensor(0, c.dtype(0), dims);
  }
  if (!spatialList(c, "ksize", *sizes, layout, 2, kernel) ||
      !spatialList(c, "strides", *strides, layout, 2, window.strides))
    return;
  Dims dims{staticDim(kernel[0]), staticDim(kernel[1])};
  poolWith(c, layout, window, dims, false);
}

/// The indices of the maxima have the shape of the maxima.
void indicesLikeResult(InferContext &c, DType dtype) {
  const Type *values = c.result(0);
  if (c.failed() || !values)
    return;
  if (values->isRanked())
    c.setTensor(1, dtype, values->shape());
  else
    c.setUnranked(1, dtype);
}

void poolWithArgmax(InferContext &c) {
  pool(c);
  indicesLikeResult(c, cannDType(c, "Targmax", DType::I64));
}
void poolWithArgmaxV2(InferContext &c) {
  poolOf(c, "NCHW", 2, kByPadding);
  indicesLikeResult(c, cannDType(c, "dtype", DType::I32));
}
/// The packing of bits is defined by the kernel.
void pool3DWithArgmax(InferContext &c) {
  poolOf(c, "NCDHW", 3, kByPadding);
  std::string_view type = c.stringAttr("argmax_type", "bitmask");
  if (type == "index_int32" || type == "index_int64")
    indicesLikeResult(c, type == "index_int32" ? DType::I32 : DType::I64);
  else if (!c.failed())
    c.setUnranked(1, DType::U16);
}

/// orig_input_shape, input_grad.
void avgPoolGradient(InferContext &c) {
  shapedBy(c, 0, c.dtype(1));
  if (!c.contents(0) && c.isRanked(1))
    setRank(c, c.dtype(1), c.rank(1));
}

/// Filters of each channel: {H, W, C}, or {C, H, W}.
void dilation2D(InferContext &c) {
  if (!hasImage(c, 2) || !expectRank(c, 1, 3))
    return;
  SpaceLayout layout = SpaceLayout::of(c, "NHWC");
  Window window;
  if (!readWindow(c, layout, 2, {.padding = "padding_mode", .dilations = "rates"}, window))
    return;
  Dims kernel(2);
  if (c.isRanked(1))
    std::ranges::copy(c.shape(1).subspan(layout.space == 1 ? 0 : 1, 2), kernel.begin());
  poolWith(c, layout, window, kernel, c.intAttr("ceil_mode", 0) != 0);
}

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

constexpr InferRow kWindowRows[] = {
    {"Conv2D", conv2D},
    {"Conv2DV2", conv2DV2},
    {"Conv3D", conv3D},
    {"DepthwiseConv2D", depthwise},
    {"DeformableConv2D", conv2D},
    {"Deconvolution", deconvolution},
    {"Conv2DTranspose", conv2DTranspose},
    {"Conv3DTranspose", conv3DTranspose},
    {"Conv2DBackpropInput", inputGradient2D},
    {"Conv3DBackpropInput", inputGradient3D},
    {"Conv2DBackpropFilter", filterGradient},
    {"AvgPool", pool},
    {"MaxPool", pool},
    {"AvgPoolV2", poolByMode},
    {"MaxPoolV3", poolByMode},
    {"AvgPool3D", pool3D},
    {"MaxPool3D", pool3D},
    {"AvgPool1D", pool1D},
    {"Pooling", pooling},
    {"MaxPoolV2", poolByOperands},
    {"MaxPoolWithArgmax", poolWithArgmax},
    {"MaxPoolWithArgmaxV2", poolWithArgmaxV2},
    {"MaxPool3DWithArgmax", pool3DWithArgmax},
    {"AvgPoolGrad", avgPoolGradient},
    {"MaxPoolGrad", inferSame},
    {"MaxPoolV3Grad", inferSame},
    {"Dilation2D", dilation2D},
    {"GlobalAveragePool", globalPool},
    {"AdaptiveAvgPool2d", adaptivePool},
    {"AdaptiveMaxPool2d", adaptivePool},
};

} // namespace

std::span<const InferRow> geWindowRows() { return kWindowRows; }

} // namespace ge
