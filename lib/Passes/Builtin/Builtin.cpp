//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
//
// Each file here says why its rules do not use the matcher (ge/Passes/Match). Rules begin at one
// node and look at producers: the first test of a type ends most attempts, where a matcher sets up
// its search.
//
#include "Builtin.h"

#include "Weights.h"

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
  builtin::registerMergeMatMuls(registry);
  builtin::registerNoOps(registry);
  builtin::registerOptimize(registry);
  builtin::registerSequences(registry);
  builtin::registerShareWeights(registry);
  builtin::registerSimplifyShapes(registry);
  builtin::registerUnflattenGemm(registry);
}

} // namespace ge
