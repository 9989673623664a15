/*===- ge-c/Regions.h - regions of graphs that a runtime computes ----------------------------===*\
|*
|* What geGraphRun (ge-c/Kernels.h) gives to a runtime that computes several operators together.
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_REGIONS_H
#define GE_C_REGIONS_H

#include "ge-c/Ops.h"

GE_C_BEGIN

/** Computes regions of the graphs that geGraphRun runs: operators that a runtime computes together,
 * such as those of ONNX. A region is as large as possible within one graph, and convex: no path
 * leaves it and enters it again. Nodes with a kernel, and calls of functions, are in no region.
 * Called on any thread, concurrently. */
typedef struct GeRegionRunner {
  size_t size GE_SIZE_OF(GeRegionRunner);
  void *userData;
  /** Whether nodes of this operator may be in regions. NULL: operators of ONNX's domains. */
  bool (*supports)(void *userData, GeOperatorName op);
  /** Compiles a region: the only graph of `module`, which is borrowed and may be changed. Element
   * types and ranks of its inputs are known; constants are `ge.Const`; the operator sets are the
   * attribute "onnx.opset_imports". `*region` is passed to the functions below.
   * GE_ERROR_NOT_IMPLEMENTED with a message (geErrorSet): it does not run this region, which is
   * then split; a single node is computed by the evaluator. Other errors end the run. */
  GeStatus (*compile)(void *userData, GeModule *module, void **region);
  /** Computes the outputs of the graph, preset to NULL, to be filled with new references to tensors
   * of `context`; `inputs` are in its order. The context may be another one than at compilation.
   * Errors as for `compile`. */
  GeStatus (*run)(void *userData, void *region, GeContext *context, GeTensor *const *inputs,
                  size_t numInputs, GeTensor **outputs, size_t numOutputs);
  void (*releaseRegion)(void *userData, void *region); /**< after its last run; may be NULL */
  void (*release)(void *userData);                     /**< after the last call; may be NULL */
} GeRegionRunner;

/** Replaces the region runner by a copy of the table. NULL removes it. Compiled regions are kept
 * for further runs of equal regions: up to 64, with up to 1 GiB of constants; those of the previous
 * runner are released when no run uses them. Equal ones are found by a copy of the nodes, which
 * shares the bytes of their constants and does not hold their context. */
GE_C_API GeStatus geOpsSetRegionRunner(const GeRegionRunner *runner);
GE_C_API bool geOpsHasRegionRunner(void);

GE_C_END

#endif /* GE_C_REGIONS_H */
