//===- Optimize.cpp - optimize: all of it, until nothing changes ------------------------------===//
//
// Names other passes and rewrites nothing itself, so it needs no matcher.
//
#include "Builtin.h"
#include "PassEditor.h"

namespace ge::builtin {

void registerOptimize(PassRegistry &registry) {
  PassInfo info;
  info.name = "optimize";
  info.doc = "All passes that make a model smaller and preserve its results: the pipeline of -O.";
  // share-weights is first, so that equal nodes have equal operands. fold-batch-norm precedes cse,
  // which would merge two equal convolutions that have different norms; compose precedes
  // fold-scale, which would move scales out of the patterns that compose recognises. merge-matmuls
  // is last, when all scales are in the weights.
  info.pipeline = "infer-types,fixpoint{max=32}(share-weights,constant-fold,infer-types,"
                  "eliminate-identity,merge-chains,simplify-sequences,simplify-shapes,fold-pad,"
                  "fold-batch-norm,cse,compose,unflatten-gemm,fold-scale,fuse-matmul-add,dce),"
                  "merge-matmuls,share-weights";
  info.exactness = Exactness::Reassociating;
  info.options = {exactnessOption()};
  registry.add(std::move(info));
}

} // namespace ge::builtin
