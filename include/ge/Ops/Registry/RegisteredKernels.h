//===- RegisteredKernels.h - whether a kernel computes an operator ------------------------------===//
//
// For inference and folding, which do not call kernels: those are of a higher folder.
//
#ifndef GE_OPS_REGISTRY_REGISTEREDKERNELS_H
#define GE_OPS_REGISTRY_REGISTEREDKERNELS_H

namespace ge {

class OperatorName;

/// Whether a kernel for the CPU or for any backend, or a decomposition, is registered for the
/// operator of a node. It takes the place of what GE computes itself.
bool hasHostKernel(const OperatorName &op);

} // namespace ge

#endif // GE_OPS_REGISTRY_REGISTEREDKERNELS_H
