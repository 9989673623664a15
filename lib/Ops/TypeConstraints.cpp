//===- TypeConstraints.cpp --------------------------------------------------------------------===//
#include "TypeConstraints.h"

#include "InferRows.h"
#include "SlotPositions.h"

#include "ge/Support/Few.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <utility>

namespace ge {
namespace {

constexpr std::pair<DType, std::string_view> kOnnxNames[] = {
    {DType::F32, "float"},
    {DType::F16, "float16"},
    {DType::BF16, "bfloat16"},
    {DType::F64, "double"},
    {DType::I8, "int8"},
    {DType::I16, "int16"},
    {DType::I32, "int32"},
    {DType::I64, "int64"},
    {DType::U8, "uint8"},
    {DType::U16, "uint16"},
    {DType::U32, "uint32"},
    {DType::U64, "uint64"},
    {DType::C64, "complex64"},
    {DType::C128, "complex128"},
    {DType::I4, "int4"},
    {DType::U4, "uint4"},
    {DType::I2, "int2"},
    {DType::U2, "uint2"},
    {DType::F8E4M3FN, "float8e4m3fn"},
    {DType::F8E4M3FNUZ, "float8e4m3fnuz"},
    {DType::F8E5M2, "float8e5m2"},
    {DType::F8E5M2FNUZ, "float8e5m2fnuz"},
    {DType::F8E8M0FNU, "float8e8m0"},
    {DType::F4E2M1FN, "float4e2m1"},
    {DType::F6E2M3, "float6e2m3"},
    {DType::F6E3M2, "float6e3m2"},
};
static_assert(size_t(DType::Count_) <= 64);

struct Names {
  std::array<std::string_view, size_t(DType::Count_)> of;
  std::unordered_map<std::string_view, DType> dtypes;
  Names() {
    for (size_t i = 0; i < of.size(); ++i)
      of[i] = info(DType(i)).name;
    for (auto [dtype, name] : kOnnxNames)
      of[size_t(dtype)] = name;
    for (size_t i = 1; i < of.size(); ++i)
      dtypes.emplace(of[i], DType(i));
  }
  static const Names &get() {
    static const Names names;
    return names;
  }
};

/// Without `prefix` and a closing bracket; as it is otherwise.
std::string_view unwrapped(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix) || !text.ends_with(')'))
    return text;
  text.remove_prefix(prefix.size());
  text.remove_suffix(1);
  return text;
}

/// "f32, f16 or bf16".
std::string listOf(uint64_t dtypes) {
  std::string text;
  for (; dtypes; dtypes &= dtypes - 1) {
    bool isLast = (dtypes & (dtypes - 1)) == 0;
    text += cat(text.empty() ? ""
                : isLast     ? " or "
                             : ", ",
                info(DType(std::countr_zero(dtypes))).name);
  }
  return text;
}

} // namespace

std::string_view constraintName(DType dtype) { return Names::get().of[size_t(dtype)]; }

uint64_t allowedDTypes(const TypeVar &variable) {
  if (variable.allowed.empty())
    return ~uint64_t(0);
  uint64_t dtypes = 0;
  for (std::string_view allowed : variable.allowed) {
    // ONNX takes a value where an optional one is allowed.
    std::string_view tensor = unwrapped(allowed, "optional(");
    auto found = Names::get().dtypes.find(unwrapped(tensor, "tensor("));
    if (tensor.starts_with("tensor(") && found != Names::get().dtypes.end())
      dtypes |= uint64_t(1) << size_t(found->second);
  }
  return dtypes;
}

bool isType(const TypeVar &variable) { return variable.name.find('(') != std::string::npos; }

bool checkElementTypes(InferContext &c) {
  const OpDef *def = c.def();
  if (!def || def->typeVars.empty())
    return true;
  std::span<const uint32_t> params = def->operands();
  SlotPositions positions(params.size(), c.numOperands(),
                          [&](size_t i) -> const Param & { return def->params[params[i]]; });
  constexpr uint32_t kNone = UINT32_MAX;
  Few<uint32_t> first(def->typeVars.size(), kNone); // operand of each variable
  for (uint32_t i = 0; i != c.numOperands(); ++i) {
    DType dtype = c.dtype(i);
    size_t slot = dtype == DType::Undefined ? SlotPositions::kUnknown : positions.slotOf(i);
    if (slot == SlotPositions::kUnknown)
      continue;
    const Param &param = def->params[params[slot]];
    if (param.typeVar < 0)
      continue;
    auto variable = size_t(param.typeVar);
    if (uint64_t allowed = def->allowedDTypes(variable); !(allowed >> size_t(dtype) & 1)) {
      c.failAt(i, "must be ", allowed ? listOf(allowed) : def->typeVars[variable].allowed[0]);
      return false;
    }
    if (!param.homogeneous || isType(def->typeVars[variable]))
      continue;
    uint32_t before = std::exchange(first.get()[variable], i);
    if (before != kNone && c.dtype(before) != dtype) {
      c.failAt(i, "has another element type than ", c.operandName(before), " (",
               shortType(c.operand(before)), "); cast one of them");
      return false;
    }
  }
  return true;
}

void checkResultTypes(InferContext &c) {
  const OpDef *def = c.def();
  bool isPlain = def && !std::ranges::any_of(def->results, &Slot::isVariadic);
  if (!isPlain || def->typeVars.empty())
    return;
  for (uint32_t i = 0; i != c.numResults() && i < def->results.size(); ++i) {
    const Result &slot = def->results[i];
    const Type *type = c.result(i);
    if (slot.typeVar < 0 || !type || !type->isTensor() || type->dtype() == DType::Undefined)
      continue;
    uint64_t allowed = def->allowedDTypes(size_t(slot.typeVar));
    if (allowed && !(allowed >> size_t(type->dtype()) & 1))
      return c.fail("result ", i, " '", slot.name, "' would be ", info(type->dtype()).name,
                    "; it must be ", listOf(allowed));
  }
}

} // namespace ge
