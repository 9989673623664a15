//===- Weights.h - operators that sum products with weights -----------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_WEIGHTS_H
#define GE_LIB_PASSES_BUILTIN_WEIGHTS_H

#include "PassEditor.h"

namespace ge::builtin {

/// Returns whether the results of a node depend on whether its weights are constants when a runtime
/// loads the model: the runtime then packs the weights and sums in another order.
bool sumsByWeights(const Node *node);
/// Returns whether a floating-point result is a weight of a node with sumsByWeights(). O(uses)
bool makesWeights(const Node *node);

/// Evaluating the node changes the rounding of its results, or of the products whose weights they
/// become.
bool roundsByWeights(const Node *node);

void registerMergeMatMuls(PassRegistry &registry); ///< merge-matmuls

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_WEIGHTS_H
