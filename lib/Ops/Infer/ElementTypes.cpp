//===- ElementTypes.cpp - element types of operands and results against their variables --------===//
#include "ElementTypes.h"

#include "../Schema/SlotPositions.h"
#include "../Schema/TypeConstraints.h"
#include "InferRows.h"

#include "ge/Support/Few.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ge {

/// "f32, f16 or bf16".
static std::string listOf(uint64_t dtypes) {
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

bool checkElementTypes(InferContext &c) {
  const OpDef *def = c.def();
  if (!def || def->typeVars.empty())
    return true;
  std::span<const uint32_t> params = def->operands();
  SlotPositions positions(
      params.size(), c.numOperands(),
      [&](size_t i) -> const Param & { return def->params[params[i]]; }, def->hasOperandChoice(),
      c.args().operandSegments);
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
