//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
//
// Why each of them is code, and no table of patterns for the matcher (ge/Passes/Match):
//
// Chains: the merged node's attributes are computed from those of both, and the first one may stay.
// ChainsArithmetic: whether two constants merge without overflow is computed, as their product is.
// ChainsReductions: axes are carried through what stands between, of any rank.
// CommonSubexpressions: any two nodes are compared, by a hash of what they compute.
// ComposeActivations: factors come in any order and grouping; a pattern for each would be many.
// ComposeGroupNorm, ComposeNorms: axes, reshapes and constants must agree with one another and with
// ranks, which is most of the rule.
// ConstantFold, DeadNodes, Inline, ShareWeights: no part of a graph has a shape there.
// FoldBatchNorm, FoldPad, FoldScale: new weights are computed from old ones, under a budget;
// FoldScale walks any number of nodes to reach them.
// MatMulAdd, UnflattenGemm: two or three nodes, whose condition on sizes is nearly all there is.
// MergeMatMuls: any number of products of one value.
// NoOps: one node each; what it has to be is a computation on types and constants.
// Sequences, SimplifyShapes: what is known of contents all over the graph decides.
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
