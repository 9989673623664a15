//===- Weights.h - operators that sum products with weights -----------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_WEIGHTS_H
#define GE_LIB_PASSES_BUILTIN_WEIGHTS_H

#include "PassEditor.h"

namespace ge::builtin {

/// Its results depend on whether its weights are constants when a runtime loads the model, which
/// packs them then and sums in another order.
bool sumsByWeights(const Node *node);
/// A result is floats that a node with sumsByWeights() has as weights. O(uses)
bool makesWeights(const Node *node);

void registerMergeMatMuls(PassRegistry &registry); ///< merge-matmuls

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_WEIGHTS_H
