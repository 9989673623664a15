//===- Quantize.cpp - CANN's quantisation, and its operators on images --------------------------===//
#include "CannInference.h"

namespace ge {
namespace {

void toDstType(InferContext &c) { setShaped(c, 0, cannDType(c, "dst_type", DType::I8), 0); }
void toDType(InferContext &c) { setShaped(c, 0, cannDType(c, "dtype", DType::F32), 0); }
void toI16(InferContext &c) { setShaped(c, 0, DType::I16, 0); }
void toF32(InferContext &c) { setShaped(c, 0, DType::F32, 0); }
void toI8(InferContext &c) { setShaped(c, 0, DType::I8, 0); }

/// The second result is the operand with all of its bits.
void toI8AndI16(InferContext &c) {
  setShaped(c, 0, DType::I8, 0);
  setShaped(c, 1, DType::I16, 0);
}

/// PyTorch's names.
void quantize(InferContext &c) {
  std::string_view name = c.stringAttr("dtype", "");
  if (name.starts_with("torch."))
    name.remove_prefix(6);
  DType dtype = name == "qint8"    ? DType::I8
                : name == "quint8" ? DType::U8
                : name == "qint32" ? DType::I32
                                   : DType::Undefined;
  if (dtype == DType::Undefined)
    return c.fail("attribute 'dtype' is '", name,
                  "'; it must be torch.qint8, torch.quint8 or torch.qint32");
  setShaped(c, 0, dtype, 0);
}

/// A scale for each row.
void dynamicQuant(InferContext &c) {
  toDstType(c);
  if (!c.isRanked(0))
    return c.setUnranked(1, DType::F32);
  if (c.rank(0) < 1)
    return c.failAt(0, "must have at least one dimension");
  c.setTensor(1, DType::F32, c.shape(0).first(c.shape(0).size() - 1));
}

void quantizedProduct(InferContext &c) {
  inferProduct(c, cannDType(c, "dtype", DType::F16), 0, 1, c.intAttr("transpose_x1", 0) != 0,
               c.intAttr("transpose_x2", 0) != 0);
}

/// A scale and an offset in one word.
void transQuantParam(InferContext &c) {
  if (c.has(1))
    broadcastOperands(c, DType::U64, {0, 1});
  else
    setShaped(c, 0, DType::U64, 0);
}

void resize(InferContext &c) { resizeBy(c, 2, 3); }

/// An image with the height and width in operand 1: NHWC, unless its type has the layout NCHW.
void resizeTo(InferContext &c, DType dtype) {
  if (!c.isRanked(0))
    return setRank(c, dtype, 4);
  if (!expectRank(c, 0, 4))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  const Contents *size = c.contents(1);
  if (size && size->size() != 2)
    return c.failAt(1, "must have two numbers: height and width");
  const Identifier *format = c.operand(0)->format();
  size_t space = format && format->str() == "NCHW" ? 2 : 1;
  for (size_t i = 0; i != 2; ++i)
    dims[space + i] = size ? size->elements[i].dim() : Dim{};
  c.setTensor(0, dtype, dims);
}
void resizeNearest(InferContext &c) { resizeTo(c, c.dtype(0)); }
void resizeLinear(InferContext &c) {
  DType dtype = c.dtype(0);
  resizeTo(c, isInteger(dtype) ? DType::F32 : dtype);
}

void chosenBoxes(InferContext &c) { c.setTensor(0, DType::I32, {Dim{}}); }
/// Rows of batch, class and box.
void chosenBoxesOfClasses(InferContext &c) { c.setTensor(0, DType::I32, {Dim{}, staticDim(3)}); }

constexpr InferRow kQuantizeRows[] = {
    {"AscendQuant", toDstType},
    {"AscendQuantV2", toDstType},
    {"AscendDequant", toDType},
    {"AscendDequantS16", toI16},
    {"AscendAntiQuant", toDType},
    {"AscendRequant", toI8},
    {"AscendRequantS16", toI8AndI16},
    {"Quantize", quantize},
    {"Dequantize", toF32},
    {"DynamicQuant", dynamicQuant},
    {"QuantBatchMatmulV3", quantizedProduct},
    {"TransQuantParamV2", transQuantParam},
    {"FakeQuantWithMinMaxVars", inferSame},
    {"Resize", resize},
    {"ResizeBilinearV2", resizeLinear},
    {"ResizeNearestNeighborV2", resizeNearest},
    {"NonMaxSuppressionV3", chosenBoxes},
    {"NonMaxSuppressionV6", chosenBoxesOfClasses},
};

} // namespace

std::span<const InferRow> geQuantizeRows() { return kQuantizeRows; }

} // namespace ge
