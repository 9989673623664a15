//===- ShapeOperand.cpp - the shape operand of Reshape ------------------------------------------------===//
//
// Computes an operand for other passes and rewrites nothing, so it needs no matcher.
//
#include "ShapeOperand.h"

#include <algorithm>

namespace ge::builtin {

void addNonZero(const Node *reshape, const Contents &shape, Symbols &symbols) {
  auto isOpen = [](const Element &size) { return size.isInt() && size.number == -1; };
  const Value *x = operandOf(reshape, 0);
  if (!x || std::ranges::none_of(shape.elements, isOpen))
    return;
  for (size_t i = 0; i != shape.size(); ++i) {
    const Element &size = shape.elements[i];
    bool copies = intAttr(reshape, "allowzero", 0) == 0;
    if (!copies || !isRanked(x) || int64_t(i) >= rankOf(x)) { // there is nothing to copy
      if (size.isSymbol() && (!copies || isRanked(x)))
        symbols.push_back(size.symbol);
      continue;
    }
    // What a symbol of 0 copies is 0, too, if it is the same symbol.
    const Identifier *symbol = shapeOf(x)[i].symbol;
    bool isCopied = size.isInt() ? size.number == 0 : size.isSymbol() && size.symbol == symbol;
    if (symbol && isCopied)
      symbols.push_back(symbol);
  }
}

std::optional<Ints> shapeOperand(const Value *x, const Type *to, const Symbols &nonZero) {
  if (!to->isTensor() || !to->isRanked())
    return std::nullopt;
  Ints shape;
  bool hasOpen = false, mayBeZero = false;
  for (size_t i = 0; i != to->shape().size(); ++i) {
    const Dim &dim = to->shape()[i];
    if (dim.size == 0) // 0 would copy the operand's size, and makes the -1 ambiguous
      return std::nullopt;
    if (dim.isStatic()) {
      shape.push_back(dim.size);
    } else if (int64_t(i) < rankOf(x) && sameDim(shapeOf(x)[i], dim)) {
      mayBeZero = mayBeZero || std::ranges::find(nonZero, dim.symbol) == nonZero.end();
      shape.push_back(0);
    } else if (!hasOpen) {
      hasOpen = true;
      shape.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  if (hasOpen && mayBeZero)
    return std::nullopt;
  return shape;
}

bool isAmbiguousWhereEmpty(PassEditor &r, const Node *reshape) {
  const Value *x = operandOf(reshape, 0), *shape = operandOf(reshape, 1);
  if (!x || !shape || r.isConstant(shape) || intAttr(reshape, "allowzero", 0) != 0)
    return false;
  const Value *result = reshape->result(0);
  if (!isRanked(result) || !isRanked(x))
    return true;
  std::span<const Dim> to = shapeOf(result);
  bool copiesOther = false;
  for (size_t i = 0; i != to.size() && int64_t(i) < rankOf(x); ++i)
    copiesOther = copiesOther || (!to[i].isStatic() && !sameDim(to[i], shapeOf(x)[i]));
  return copiesOther &&
         std::ranges::count_if(to, [](const Dim &dim) { return !dim.isStatic(); }) > 1;
}

} // namespace ge::builtin
