//===- NarrowFloats.h - arithmetic of f16 and bf16, which runtimes do in f32 ------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_NARROWFLOATS_H
#define GE_LIB_PASSES_BUILTIN_NARROWFLOATS_H

#include "ge/IR/Node.h"

namespace ge::builtin {

/// Whether evaluating a node by itself would give other numbers than runtimes compute. Runtimes
/// without arithmetic of 16-bit floats compute a chain of such nodes in f32 and round its end only,
/// so a result that is rounded in between may be another one. In class exact that matters if a user
/// computes with the result; in the other classes if it decides an integer or a comparison, over
/// at most 64 nodes.
bool roundsOtherwise(const Node *node, bool isExact);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_NARROWFLOATS_H
