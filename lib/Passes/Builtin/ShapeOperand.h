//===- ShapeOperand.h - the shape operand of Reshape --------------------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H
#define GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H

#include "PassEditor.h"

namespace ge::builtin {

using Symbols = std::vector<const Identifier *>;

/// Adds the symbols that are not 0 when a Reshape runs, whose shape operand has these elements:
/// beside a size of 0 it cannot compute its -1.
void addNonZero(const Node *reshape, const Contents &shape, Symbols &symbols);

/// The constant shape with which Reshape (allowzero = 0) gives `to` for `x`, also where a size is
/// 0: sizes, 0 for those that `x` has at the same position, and one -1. nullopt if more than one
/// size is unknown, or if there is a -1 beside a symbol that is not in `nonZero`.
std::optional<Ints> shapeOperand(const Value *x, const Type *to, const Symbols &nonZero);

/// Whether a Reshape may have another result than its type says, where two sizes are 0: a 0 in the
/// shape operand copies a size of the operand, and the number of elements shows a difference unless
/// another size is 0, too.
bool isAmbiguousWhereEmpty(PassEditor &r, const Node *reshape);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_SHAPEOPERAND_H
