//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
#include "Builtin.h"

namespace ge {

void registerBuiltinPasses(PassRegistry &registry) {
  registerBasicPasses(registry);
  builtin::registerChains(registry);
  builtin::registerCommonSubexpressions(registry);
  builtin::registerCompose(registry);
  builtin::registerConstantFold(registry);
  builtin::registerDeadNodes(registry);
  builtin::registerFoldBatchNorm(registry);
  builtin::registerFoldPad(registry);
  builtin::registerFoldScale(registry);
  builtin::registerInline(registry);
  builtin::registerMatMulAdd(registry);
  builtin::registerNoOps(registry);
  builtin::registerOptimize(registry);
  builtin::registerSequences(registry);
  builtin::registerShareWeights(registry);
  builtin::registerSimplifyShapes(registry);
  builtin::registerUnflattenGemm(registry);
}

} // namespace ge
