//===- Builtin.h - one function for each file of built-in passes ------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_BUILTIN_H
#define GE_LIB_PASSES_BUILTIN_BUILTIN_H

#include "ge/Passes/PassRegistry.h"

namespace ge::builtin {

void registerDeadNodes(PassRegistry &registry);
void registerCommonSubexpressions(PassRegistry &registry);
void registerShareWeights(PassRegistry &registry);
void registerNoOps(PassRegistry &registry);
void registerChains(PassRegistry &registry);
void registerConstantFold(PassRegistry &registry);
void registerSimplifyShapes(PassRegistry &registry);
void registerMatMulAdd(PassRegistry &registry);
void registerFoldPad(PassRegistry &registry);
void registerFoldBatchNorm(PassRegistry &registry);
void registerCompose(PassRegistry &registry);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_BUILTIN_H
