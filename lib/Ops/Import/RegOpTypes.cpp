//===- RegOpTypes.cpp -------------------------------------------------------------------------===//
#include "RegOpTypes.h"

#include "../Schema/TypeConstraints.h"

#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge::regop {
namespace {

using enum DType;

constexpr DType kQuantified[] = {QI16, QI32, QI8, QU16, QU8};
constexpr DType kOrdinary[] = {Bool, C128, C64, F64, F32, F16, I16,  I32,
                               I64,  I8,   U16, U32, U64, U8,  BF16, C32};
constexpr DType kBasic[] = {C128, C64, F64,  F32, F16, I16, I32, I64, I8,   QI16,
                            QI32, QI8, QU16, QU8, U16, U32, U64, U8,  BF16, C32};
constexpr DType kNumber[] = {C128, C64, F64, F32, F16, I16, I32, I64,  I8,
                             QI32, QI8, QU8, U16, U32, U64, U8,  BF16, C32};
constexpr DType kReal[] = {F64, F32, F16, I16, I32, I64, I8, U16, U32, U64, U8, BF16};
constexpr DType kComplex[] = {C128, C64, C32};
constexpr DType kIntegers[] = {I16, I32, I64, I8, U16, U32, U64, U8};
constexpr DType kSigned[] = {I16, I32, I64, I8};
constexpr DType kUnsigned[] = {U16, U32, U64, U8};
constexpr DType kFloating[] = {F64, F32, F16};
constexpr DType kIndex[] = {I32, I64};
constexpr DType kUnary[] = {C128, C64, F64, F32, F16, BF16, C32};
constexpr DType kFloat[] = {F32, F16, BF16};

struct Family {
  std::string_view word;
  std::span<const DType> types;
};
// The static functions of CANN's TensorType.
constexpr Family kFamilies[] = {
    {"ALL", {}},
    {"QuantifiedType", kQuantified},
    {"OrdinaryType", kOrdinary},
    {"BasicType", kBasic},
    {"NumberType", kNumber},
    {"RealNumberType", kReal},
    {"ComplexDataType", kComplex},
    {"IntegerDataType", kIntegers},
    {"SignedDataType", kSigned},
    {"UnsignedDataType", kUnsigned},
    {"FloatingDataType", kFloating},
    {"IndexNumberType", kIndex},
    {"UnaryDataType", kUnary},
    {"FLOAT", kFloat},
};

struct AttributeWord {
  std::string_view word;
  SchemaAtom atom;
  uint8_t lists; ///< how many lists around it
};
constexpr AttributeWord kAttributes[] = {
    {"Int", SchemaAtom::Int, 0},
    {"Float", SchemaAtom::Float, 0},
    {"Bool", SchemaAtom::Bool, 0},
    {"String", SchemaAtom::Str, 0},
    {"AscendString", SchemaAtom::Str, 0},
    {"Type", SchemaAtom::ScalarType, 0},
    {"DataType", SchemaAtom::ScalarType, 0},
    {"Tensor", SchemaAtom::TensorLiteral, 0},
    {"Bytes", SchemaAtom::Bytes, 0},
    {"ListInt", SchemaAtom::Int, 1},
    {"ListFloat", SchemaAtom::Float, 1},
    {"ListBool", SchemaAtom::Bool, 1},
    {"ListString", SchemaAtom::Str, 1},
    {"ListAscendString", SchemaAtom::Str, 1},
    {"ListType", SchemaAtom::ScalarType, 1},
    {"ListDataType", SchemaAtom::ScalarType, 1},
    {"ListTensor", SchemaAtom::TensorLiteral, 1},
    {"ListBytes", SchemaAtom::Bytes, 1},
    {"ListListInt", SchemaAtom::Int, 2},
    {"ListListFloat", SchemaAtom::Float, 2},
};

} // namespace

std::optional<DType> elementType(std::string_view word) {
  if (word == "DT_FLOAT32")
    return F32;
  if (word == "DT_BFLOAT16")
    return BF16;
  if (!word.starts_with("DT_"))
    return std::nullopt;
  return dtypeFromName(word);
}

std::span<const DType> typeFamily(std::string_view word, bool &known) {
  for (const Family &family : kFamilies)
    if (family.word == word) {
      known = true;
      return family.types;
    }
  known = false;
  return {};
}

const SchemaType *attributeType(std::string_view word) {
  for (const AttributeWord &row : kAttributes) {
    if (row.word != word)
      continue;
    const SchemaType *type = SchemaType::get(row.atom);
    for (int i = 0; i < row.lists; ++i)
      type = SchemaType::list(type);
    return type;
  }
  if (word == "NamedAttrs" || word == "ListNamedAttrs") {
    const SchemaType *dict =
        SchemaType::dict(SchemaType::get(SchemaAtom::Str), SchemaType::get(SchemaAtom::Any));
    return word == "NamedAttrs" ? dict : SchemaType::list(dict);
  }
  return nullptr;
}

std::optional<std::string_view> nearestAttributeType(std::string_view word) {
  std::string_view words[std::size(kAttributes)];
  std::ranges::transform(kAttributes, words, &AttributeWord::word);
  constexpr size_t kLongest = 40; // comparing is quadratic
  return nearestWord(word.substr(0, kLongest), words, std::size(words));
}

} // namespace ge::regop
