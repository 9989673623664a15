//===- Optimize.cpp - optimize: all of it, until nothing changes ------------------------------===//
//
// It names other passes, so there is nothing for the matcher.
//
#include "Builtin.h"
#include "PassEditor.h"

namespace ge::builtin {

void registerOptimize(PassRegistry &registry) {
  PassInfo info;
  info.name = "optimize";
  info.doc = "All passes that make a model smaller and preserve its results: the pipeline of -O.";
  // Weights first, so that equal nodes have equal operands. Norms before cse, which makes one of
  // two equal convolutions with norms of their own; compose before scales are moved out of what it
  // knows. Products last, when all scales are in their weights.
  info.pipeline = "infer-types,fixpoint{max=32}(share-weights,constant-fold,infer-types,"
                  "eliminate-identity,merge-chains,simplify-sequences,simplify-shapes,fold-pad,"
                  "fold-batch-norm,cse,compose,unflatten-gemm,fold-scale,fuse-matmul-add,dce),"
                  "merge-matmuls,share-weights";
  info.exactness = Exactness::Reassociating;
  info.options = {exactnessOption()};
  registry.add(std::move(info));
}

} // namespace ge::builtin
