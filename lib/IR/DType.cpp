//===- DType.cpp - the table of element types -------------------------------------------------===//
#include "ge/IR/DType.h"

#include "ge/Support/StringUtil.h"

#include <array>

namespace ge {

static constexpr size_t kCount = size_t(DType::Count_);

// In the order of the enumeration. What MLIR has no name for is `!ge.dtype<"public name">`.
static constexpr std::array<DTypeInfo, kCount> kTable = {{
    // clang-format off
    //                   name           element type in MLIR       dense   NumPy or ml_dtypes bits onnx cann  CANN's name
    {DType::Undefined,  "undefined",   "!ge.undefined",             false, nullptr,            0,   0, 28, "DT_UNDEFINED"},
    {DType::F32,        "f32",         "f32",                       true,  "float32",         32,   1,  0, "DT_FLOAT"},
    {DType::F16,        "f16",         "f16",                       true,  "float16",         16,  10,  1, "DT_FLOAT16"},
    {DType::BF16,       "bf16",        "bf16",                      true,  "bfloat16",        16,  16, 27, "DT_BF16"},
    {DType::F64,        "f64",         "f64",                       true,  "float64",         64,  11, 11, "DT_DOUBLE"},
    {DType::I8,         "i8",          "i8",                        true,  "int8",             8,   3,  2, "DT_INT8"},
    {DType::I16,        "i16",         "i16",                       true,  "int16",           16,   5,  6, "DT_INT16"},
    {DType::I32,        "i32",         "i32",                       true,  "int32",           32,   6,  3, "DT_INT32"},
    {DType::I64,        "i64",         "i64",                       true,  "int64",           64,   7,  9, "DT_INT64"},
    {DType::U8,         "u8",          "ui8",                       true,  "uint8",            8,   2,  4, "DT_UINT8"},
    {DType::U16,        "u16",         "ui16",                      true,  "uint16",          16,   4,  7, "DT_UINT16"},
    {DType::U32,        "u32",         "ui32",                      true,  "uint32",          32,  12,  8, "DT_UINT32"},
    {DType::U64,        "u64",         "ui64",                      true,  "uint64",          64,  13, 10, "DT_UINT64"},
    {DType::Bool,       "bool",        "i1",                        true,  "bool",             8,   9, 12, "DT_BOOL"},
    {DType::String,     "string",      "!ge.string",                false, "object",           0,   8, 13, "DT_STRING"},
    {DType::C64,        "c64",         "complex<f32>",              true,  "complex64",       64,  14, 16, "DT_COMPLEX64"},
    {DType::C128,       "c128",        "complex<f64>",              true,  "complex128",     128,  15, 17, "DT_COMPLEX128"},
    {DType::C32,        "c32",         "complex<f16>",              true,  nullptr,           32,  -1, 33, "DT_COMPLEX32"},
    {DType::F8E4M3FN,   "f8e4m3fn",    "f8E4M3FN",                  true,  "float8_e4m3fn",    8,  17, 36, "DT_FLOAT8_E4M3FN"},
    {DType::F8E4M3FNUZ, "f8e4m3fnuz",  "f8E4M3FNUZ",                true,  "float8_e4m3fnuz",  8,  18, -1, nullptr},
    {DType::F8E5M2,     "f8e5m2",      "f8E5M2",                    true,  "float8_e5m2",      8,  19, 35, "DT_FLOAT8_E5M2"},
    {DType::F8E5M2FNUZ, "f8e5m2fnuz",  "f8E5M2FNUZ",                true,  "float8_e5m2fnuz",  8,  20, -1, nullptr},
    {DType::F8E8M0FNU,  "f8e8m0fnu",   "f8E8M0FNU",                 true,  "float8_e8m0fnu",   8,  24, 37, "DT_FLOAT8_E8M0"},
    {DType::F4E2M1FN,   "f4e2m1fn",    "f4E2M1FN",                  true,  "float4_e2m1fn",    4,  23, 40, "DT_FLOAT4_E2M1"},
    {DType::F4E1M2,     "f4e1m2",      "!ge.dtype<\"f4e1m2\">",     false, nullptr,            4,  -1, 41, "DT_FLOAT4_E1M2"},
    {DType::F6E3M2,     "f6e3m2",      "f6E3M2FN",                  true,  "float6_e3m2fn",    6,  28, 38, "DT_FLOAT6_E3M2"},
    {DType::F6E2M3,     "f6e2m3",      "f6E2M3FN",                  true,  "float6_e2m3fn",    6,  27, 39, "DT_FLOAT6_E2M3"},
    {DType::I4,         "i4",          "i4",                        true,  "int4",             4,  22, 29, "DT_INT4"},
    {DType::U4,         "u4",          "ui4",                       true,  "uint4",            4,  21, -1, nullptr},
    {DType::I2,         "i2",          "i2",                        true,  "int2",             2,  26, 31, "DT_INT2"},
    {DType::U2,         "u2",          "ui2",                       true,  "uint2",            2,  25, 32, "DT_UINT2"},
    {DType::U1,         "u1",          "ui1",                       true,  "uint1",            1,  -1, 30, "DT_UINT1"},
    {DType::HiFloat8,   "hifloat8",    "!ge.dtype<\"hifloat8\">",   false, nullptr,            8,  -1, 34, "DT_HIFLOAT8"},
    {DType::HiFloat4,   "hifloat4",    "!ge.dtype<\"hifloat4\">",   false, nullptr,            4,  -1, 42, "DT_HIFLOAT4"},
    {DType::QI8,        "qi8",         "!ge.dtype<\"qi8\">",        false, nullptr,            8,  -1, 18, "DT_QINT8"},
    {DType::QI16,       "qi16",        "!ge.dtype<\"qi16\">",       false, nullptr,           16,  -1, 19, "DT_QINT16"},
    {DType::QI32,       "qi32",        "!ge.dtype<\"qi32\">",       false, nullptr,           32,  -1, 20, "DT_QINT32"},
    {DType::QU8,        "qu8",         "!ge.dtype<\"qu8\">",        false, nullptr,            8,  -1, 21, "DT_QUINT8"},
    {DType::QU16,       "qu16",        "!ge.dtype<\"qu16\">",       false, nullptr,           16,  -1, 22, "DT_QUINT16"},
    {DType::DualSubI8,  "dual_sub_i8", "!ge.dtype<\"dual_sub_i8\">", false, nullptr,           8,  -1, 14, "DT_DUAL_SUB_INT8"},
    {DType::DualSubU8,  "dual_sub_u8", "!ge.dtype<\"dual_sub_u8\">", false, nullptr,           8,  -1, 15, "DT_DUAL_SUB_UINT8"},
    {DType::Dual,       "dual",        "!ge.dtype<\"dual\">",       false, nullptr,           40,  -1, 25, "DT_DUAL"},
    {DType::Resource,   "resource",    "!ge.dtype<\"resource\">",   false, nullptr,            0,  -1, 23, "DT_RESOURCE"},
    {DType::StringRef,  "string_ref",  "!ge.dtype<\"string_ref\">", false, nullptr,            0,  -1, 24, "DT_STRING_REF"},
    {DType::Variant,    "variant",     "!ge.dtype<\"variant\">",    false, nullptr,            0,  -1, 26, "DT_VARIANT"},
    // clang-format on
}};

static constexpr bool tableIsInOrder() {
  for (size_t i = 0; i < kCount; ++i)
    if (size_t(kTable[i].dtype) != i)
      return false;
  return true;
}
static_assert(tableIsInOrder());

const DTypeInfo &info(DType dtype) {
  size_t index = size_t(dtype);
  return kTable[index < kCount ? index : size_t(DType::Undefined)];
}

namespace {
/// Text -> row by open addressing, filled once: the parser asks once for each type it reads.
class NameTable {
public:
  void add(const char *text, DType dtype) {
    if (!text)
      return;
    size_t i = hashBytes(text) & kMask;
    while (slots_[i].text)
      i = (i + 1) & kMask;
    slots_[i] = {text, dtype};
  }
  std::optional<DType> find(std::string_view text) const {
    for (size_t i = hashBytes(text) & kMask; slots_[i].text; i = (i + 1) & kMask)
      if (text == slots_[i].text)
        return slots_[i].dtype;
    return std::nullopt;
  }

private:
  struct Slot {
    const char *text;
    DType dtype;
  };
  static constexpr size_t kMask = 511; // some 180 entries at most
  Slot slots_[kMask + 1] = {};
};
} // namespace

std::optional<DType> dtypeFromName(std::string_view name) {
  static const NameTable kNames = [] {
    NameTable table;
    for (const DTypeInfo &row : kTable) {
      table.add(row.name, row.dtype);
      table.add(row.numpy, row.dtype);
      table.add(row.cannName, row.dtype);
    }
    table.add("i1", DType::Bool); // as in MLIR's text, and ir.i1
    return table;
  }();
  return kNames.find(name);
}

std::optional<DType> dtypeFromMLIR(std::string_view elementType) {
  static const NameTable kNames = [] {
    NameTable table;
    for (const DTypeInfo &row : kTable)
      table.add(row.mlir, row.dtype);
    // Signed integers are signless in our text.
    table.add("si2", DType::I2);
    table.add("si4", DType::I4);
    table.add("si8", DType::I8);
    table.add("si16", DType::I16);
    table.add("si32", DType::I32);
    table.add("si64", DType::I64);
    return table;
  }();
  return kNames.find(elementType);
}

namespace {
/// Foreign number -> row.
template <int16_t DTypeInfo::*Column> struct NumberTable {
  static constexpr size_t kSize = 64;
  std::array<DType, kSize> rows{};
  std::array<bool, kSize> known{};
  constexpr NumberTable() {
    for (const DTypeInfo &row : kTable)
      if (row.*Column >= 0) {
        rows[size_t(row.*Column)] = row.dtype;
        known[size_t(row.*Column)] = true;
      }
  }
  constexpr std::optional<DType> find(int32_t value) const {
    if (value < 0 || size_t(value) >= kSize || !known[size_t(value)])
      return std::nullopt;
    return rows[size_t(value)];
  }
};
constexpr NumberTable<&DTypeInfo::onnx> kOnnx;
constexpr NumberTable<&DTypeInfo::cann> kCann;
} // namespace

std::optional<DType> dtypeFromOnnx(int32_t value) { return kOnnx.find(value); }
std::optional<DType> dtypeFromCann(int32_t value) { return kCann.find(value); }

} // namespace ge
