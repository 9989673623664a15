//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
#include "Builtin.h"

namespace ge {

void registerBuiltinPasses(PassRegistry &registry) {
  using namespace builtin;
  registerDeadNodes(registry);
  registerCommonSubexpressions(registry);
  registerShareWeights(registry);
  registerNoOps(registry);
  registerChains(registry);
  registerConstantFold(registry);
  registerSimplifyShapes(registry);
  registerMatMulAdd(registry);
  registerFoldPad(registry);
  registerFoldBatchNorm(registry);
  registerCompose(registry);
}

} // namespace ge
