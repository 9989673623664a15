//===- ShapeOperand.cpp - the shape operand of Reshape ------------------------------------------------===//
//
// Computes an operand for other passes and rewrites nothing, so it needs no matcher.
//
#include "ShapeOperand.h"

namespace ge::builtin {

std::optional<Ints> shapeOperand(const Value *x, const Type *to) {
  if (!to->isTensor() || !to->isRanked())
    return std::nullopt;
  Ints shape;
  bool hasOpen = false;
  for (size_t i = 0; i != to->shape().size(); ++i) {
    const Dim &dim = to->shape()[i];
    if (dim.size == 0) // 0 would copy the operand's size, and makes the -1 ambiguous
      return std::nullopt;
    if (dim.isStatic()) {
      shape.push_back(dim.size);
    } else if (int64_t(i) < rankOf(x) && sameDim(shapeOf(x)[i], dim)) {
      shape.push_back(0);
    } else if (!hasOpen) {
      hasOpen = true;
      shape.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return shape;
}

} // namespace ge::builtin
