//===- DType.h - element types ----------------------------------------------------------------===//
#ifndef GE_IR_DTYPE_H
#define GE_IR_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace ge {

/// Every element type of ONNX and of CANN. The values are GE's; `onnx` and `cann` are theirs.
enum class DType : uint8_t {
  // clang-format off
  Undefined = 0,
  F32, F16, BF16, F64,
  I8, I16, I32, I64,
  U8, U16, U32, U64,
  Bool, String,
  C64, C128, C32,
  F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU,
  F4E2M1FN, F4E1M2, F6E3M2, F6E2M3,
  I4, U4, I2, U2, U1,
  HiFloat8, HiFloat4,
  QI8, QI16, QI32, QU8, QU16,
  DualSubI8, DualSubU8, Dual, Resource, StringRef, Variant,
  // clang-format on
  Count_
};

/// One row of the table in DType.cpp, which every conversion reads.
struct DTypeInfo {
  DType dtype;
  const char *name;  ///< the public name: "f32", "i64", "f8e4m3fn", "string"
  const char *mlir;  ///< element type in the text: "f32", "i64", "ui8", "i1", "!ge.string",
                     ///< "!ge.dtype<\"hifloat8\">"
  bool mlirBuiltin;  ///< MLIR itself knows it as a tensor element that `dense` may hold
  const char *numpy; ///< NumPy or ml_dtypes name ("float32", "bfloat16"), null when there is none
  uint8_t bits;      ///< bits of one element; 0 for strings and handles
  int16_t onnx;      ///< TensorProto.DataType, -1 when ONNX lacks it
  int16_t cann;      ///< CANN's DT_*, -1 when CANN lacks it
  const char *cannName; ///< "DT_FLOAT", null when CANN lacks it
};

const DTypeInfo &info(DType dtype);
/// The public name, NumPy's name or CANN's "DT_FLOAT".
std::optional<DType> dtypeFromName(std::string_view name);
std::optional<DType> dtypeFromMLIR(std::string_view elementType); ///< "f32", "si32" is read as i32
std::optional<DType> dtypeFromOnnx(int32_t value);
std::optional<DType> dtypeFromCann(int32_t value);

inline bool isFloat(DType t) {
  return (t >= DType::F32 && t <= DType::F64) || (t >= DType::F8E4M3FN && t <= DType::F6E2M3);
}
inline bool isInteger(DType t) {
  return (t >= DType::I8 && t <= DType::U64) || (t >= DType::I4 && t <= DType::U1);
}

} // namespace ge

#endif // GE_IR_DTYPE_H
