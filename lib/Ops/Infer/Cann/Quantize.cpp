//===- Quantize.cpp - CANN's quantisation, and its Resize -------------------------------------===//
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
};

} // namespace

std::span<const InferRow> geQuantizeRows() { return kQuantizeRows; }

} // namespace ge
