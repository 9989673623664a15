//===- ShapeOperand.h - the shape operand of Reshape --------------------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H
#define GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H

#include "PassEditor.h"

namespace ge::builtin {

/// The constant with which Reshape (allowzero = 0) makes `to` of `x`: sizes, 0 for those that `x`
/// has at the same place, one -1 for what is left. nullopt: more than one is not known.
std::optional<Ints> shapeOperand(const Value *x, const Type *to);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H
