//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
//
// Each file states why its rules do not use the matcher (ge/Passes/Match). Most rules start at one
// node and inspect its producers: the first comparison of an operator ends most attempts, where a
// matcher would first set up a search.
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
