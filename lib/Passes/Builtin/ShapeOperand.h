//===- ShapeOperand.h - the shape operand of Reshape --------------------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H
#define GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H

#include "PassEditor.h"

namespace ge::builtin {

/// The constant shape with which Reshape (allowzero = 0) gives `to` for `x`: sizes, 0 for those
/// that `x` has at the same position, and one -1. nullopt if more than one size is unknown.
std::optional<Ints> shapeOperand(const Value *x, const Type *to);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H
