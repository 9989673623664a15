//===- SchemaWords.cpp ------------------------------------------------------------------------===//
#include "SchemaWords.h"

#include "ge/Ops/Schema/Schema.h"

namespace ge::schema {

namespace {

struct WordRow {
  std::string_view word;
  SchemaAtom type;
  int64_t number;
};
constexpr WordRow kWords[] = {
    {"Mean", SchemaAtom::Int, 1},
    {"Sum", SchemaAtom::Int, 2},
    {"strided", SchemaAtom::Layout, 0},
    {"sparse_coo", SchemaAtom::Layout, 1},
    {"sparse_csr", SchemaAtom::Layout, 2},
    {"_mkldnn", SchemaAtom::Layout, 3},
    {"sparse_csc", SchemaAtom::Layout, 4},
    {"sparse_bsr", SchemaAtom::Layout, 5},
    {"sparse_bsc", SchemaAtom::Layout, 6},
    {"jagged", SchemaAtom::Layout, 7},
    {"contiguous_format", SchemaAtom::MemoryFormat, 0},
    {"preserve_format", SchemaAtom::MemoryFormat, 1},
    {"channels_last", SchemaAtom::MemoryFormat, 2},
    {"channels_last_3d", SchemaAtom::MemoryFormat, 3},
    {"per_tensor_affine", SchemaAtom::QScheme, 0},
    {"per_channel_affine", SchemaAtom::QScheme, 1},
    {"per_tensor_symmetric", SchemaAtom::QScheme, 2},
    {"per_channel_symmetric", SchemaAtom::QScheme, 3},
    {"per_channel_affine_float_qparams", SchemaAtom::QScheme, 4},
};

struct DTypeRow {
  std::string_view word; ///< PyTorch's, where it is not NumPy's
  DType dtype;
  int64_t number; ///< PyTorch's ScalarType
};
constexpr DTypeRow kDTypes[] = {
    {"byte", DType::U8, 0},
    {"char", DType::I8, 1},
    {"short", DType::I16, 2},
    {"int", DType::I32, 3},
    {"long", DType::I64, 4},
    {"half", DType::F16, 5},
    {"float", DType::F32, 6},
    {"double", DType::F64, 7},
    {"complex32", DType::C32, 8},
    {"complex", DType::C64, 9},
    {"complex128", DType::C128, 10},
    {"bool", DType::Bool, 11},
    {"qint8", DType::QI8, 12},
    {"quint8", DType::QU8, 13},
    {"qint32", DType::QI32, 14},
    {"bfloat16", DType::BF16, 15},
    {"float8_e5m2", DType::F8E5M2, 23},
    {"float8_e4m3fn", DType::F8E4M3FN, 24},
    {"float8_e5m2fnuz", DType::F8E5M2FNUZ, 25},
    {"float8_e4m3fnuz", DType::F8E4M3FNUZ, 26},
    {"uint16", DType::U16, 27},
    {"uint32", DType::U32, 28},
    {"uint64", DType::U64, 29},
};

} // namespace

std::optional<DType> dtypeOfWord(std::string_view word) {
  for (const DTypeRow &row : kDTypes)
    if (row.word == word)
      return row.dtype;
  return dtypeFromName(word);
}

std::optional<DType> dtypeOfTorchNumber(int64_t number) {
  for (const DTypeRow &row : kDTypes)
    if (row.number == number)
      return row.dtype;
  return std::nullopt;
}

std::optional<int64_t> numberOfWord(std::string_view word, SchemaAtom type) {
  if (type == SchemaAtom::ScalarType) {
    std::optional<DType> dtype = dtypeOfWord(word);
    if (!dtype)
      return std::nullopt;
    for (const DTypeRow &row : kDTypes)
      if (row.dtype == *dtype)
        return row.number;
    return -1;
  }
  for (const WordRow &row : kWords)
    if (row.type == type && row.word == word)
      return row.number;
  return std::nullopt;
}

std::string wordsOf(SchemaAtom type) {
  std::string out;
  for (const WordRow &row : kWords)
    if (row.type == type)
      out.append(out.empty() ? "" : ", ").append(row.word);
  return out;
}

} // namespace ge::schema

namespace ge {

std::optional<DType> constantDType(const Constant &value) {
  if (value.kind == Constant::Kind::Ident)
    return schema::dtypeOfWord(value.text);
  if (value.kind == Constant::Kind::Int)
    return schema::dtypeOfTorchNumber(value.integer);
  return std::nullopt;
}

} // namespace ge
