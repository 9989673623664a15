//===- RegOpSlotTypes.cpp - types of operands and results of REG_OP ----------------------------===//
#include "RegOpSlotTypes.h"

#include "../Schema/SchemaScanner.h"
#include "RegOpTypes.h"

#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <bitset>

namespace ge::regop {
namespace {

/// The content of a string, which must be a word.
std::string_view quotedSymbol(const RegOpCursor &cursor) {
  std::string_view text = cursor.token().text;
  std::string_view word = text.substr(1, std::max<size_t>(text.size(), 2) - 2);
  if (word.empty() || !std::all_of(word.begin(), word.end(), schema::isWordPart))
    cursor.failExpected("types");
  return word;
}

template <typename Add>
void readTypeWord(RegOpCursor &cursor, RegOpReport &report, SlotTypes &types, const Add &add) {
  std::string_view word = cursor.token().text;
  if (word == "TensorType" || word == "ge" || word == "Promote")
    return;
  if (word == "ListTensorType") {
    types.isPerElement = true;
    return;
  }
  if (std::optional<DType> dtype = elementType(word))
    return add(*dtype);
  bool known;
  std::span<const DType> family = typeFamily(word, known);
  if (known) {
    types.isAny |= family.empty();
    for (DType dtype : family)
      add(dtype);
    return;
  }
  // Some headers write `.INPUT(axes, ListInt)`.
  if (attributeType(word)) {
    types.isAny = true;
    return;
  }
  if (word.starts_with("DT_")) {
    report.warn(cursor.offset(),
                cat("'", word, "' is not an element type of CANN; any is allowed"));
    types.isAny = true;
    return;
  }
  types.symbols.push_back(word);
}

void fillAllowed(TypeVar &variable, const SlotTypes &types) {
  if (types.isAny)
    return;
  for (DType dtype : types.dtypes)
    variable.allowed.push_back(tensorConstraint(dtype));
}

} // namespace

SlotTypes readSlotTypes(RegOpCursor &cursor, RegOpReport &report) {
  cursor.expect(',', "before the types");
  SlotTypes types;
  types.offset = cursor.offset();
  std::bitset<size_t(DType::Count_)> seen;
  auto add = [&](DType dtype) {
    if (!seen[size_t(dtype)])
      types.dtypes.push_back(dtype);
    seen.set(size_t(dtype));
  };
  // Like the preprocessor: only brackets must be balanced.
  for (size_t depth = 0;; cursor.advance()) {
    if (cursor.isMark('('))
      ++depth;
    else if (cursor.isMark(')')) {
      if (depth == 0)
        break;
      --depth;
    } else if (cursor.isMark(',')) {
      if (depth == 0)
        break;
    } else if (cursor.isMark('{') || cursor.isMark('}'))
      continue;
    else if (cursor.isKind(TokenKind::Word))
      readTypeWord(cursor, report, types, add);
    else if (cursor.isKind(TokenKind::String))
      types.symbols.push_back(quotedSymbol(cursor));
    else if (!cursor.isMark(':'))
      cursor.failExpected("types");
  }
  if (!types.isAny && types.dtypes.empty() && types.symbols.empty())
    cursor.failExpected("types");
  return types;
}

bool TypeSymbols::declare(std::string_view symbol, const SlotTypes &types, OpSpec &spec) {
  if (!variables_.emplace(symbol, Variable{spec.typeVars.size(), types.isPerElement}).second)
    return false;
  TypeVar variable;
  variable.name = symbol;
  fillAllowed(variable, types);
  for (std::string_view promoted : types.symbols)
    variable.doc +=
        cat(variable.doc.empty() ? "The type that these are promoted to: " : ", ", promoted);
  spec.typeVars.push_back(std::move(variable));
  return true;
}

void TypeSymbols::resolve(Slot &slot, const SlotTypes &types, OpSpec &spec,
                          RegOpReport &report) const {
  if (!types.symbols.empty()) {
    auto found = variables_.find(types.symbols.front());
    if (types.symbols.size() == 1 && found != variables_.end()) {
      slot.typeVar = int32_t(found->second.index);
      slot.homogeneous = !found->second.isPerElement;
      return;
    }
    report.warn(types.offset, cat("'", slot.name, "' has the type '", types.symbols.back(),
                                  "', for which there is no DATATYPE; any is allowed"));
  }
  // A list of types does not require that all elements of a list operand have one type.
  slot.homogeneous = !slot.isVariadic();
  if (types.isAny || !types.symbols.empty())
    return;
  TypeVar variable;
  variable.name = slot.name;
  fillAllowed(variable, types);
  slot.typeVar = int32_t(spec.typeVars.size());
  spec.typeVars.push_back(std::move(variable));
}

} // namespace ge::regop
