//===- Builtin.h - one call for each file of built-in passes ----------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_BUILTIN_H
#define GE_LIB_PASSES_BUILTIN_BUILTIN_H

#include "ge/Passes/Manager/PassRegistry.h"

namespace ge {

void registerBasicPasses(PassRegistry &registry); ///< verify, sort, infer-types

namespace builtin {

void registerChains(PassRegistry &registry);               ///< merge-chains
void registerCommonSubexpressions(PassRegistry &registry); ///< cse
void registerCompose(PassRegistry &registry);              ///< compose
void registerConstantFold(PassRegistry &registry);         ///< constant-fold
void registerDeadNodes(PassRegistry &registry);            ///< dce
void registerFoldBatchNorm(PassRegistry &registry);        ///< fold-batch-norm
void registerFoldPad(PassRegistry &registry);              ///< fold-pad
void registerFoldScale(PassRegistry &registry);            ///< fold-scale
void registerInline(PassRegistry &registry);               ///< inline
void registerMatMulAdd(PassRegistry &registry);            ///< fuse-matmul-add
void registerNoOps(PassRegistry &registry);                ///< eliminate-identity
void registerOptimize(PassRegistry &registry);             ///< optimize
void registerSequences(PassRegistry &registry);            ///< simplify-sequences
void registerShareWeights(PassRegistry &registry);         ///< share-weights
void registerSimplifyShapes(PassRegistry &registry);       ///< simplify-shapes
void registerUnflattenGemm(PassRegistry &registry);        ///< unflatten-gemm

} // namespace builtin

} // namespace ge

#endif // GE_LIB_PASSES_BUILTIN_BUILTIN_H
