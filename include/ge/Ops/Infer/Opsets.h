//===- Opsets.h - the operator sets of a graph -------------------------------------------------===//
#ifndef GE_OPS_INFER_OPSETS_H
#define GE_OPS_INFER_OPSETS_H

#include "ge/IR/Graph.h"
#include "ge/IR/Module.h"

#include <cstdint>
#include <map>
#include <string>

namespace ge {

/// The operator sets of the domains that the graph's root records, else its module, by the IR's
/// names of domains. Each says it in its attribute `opset`, a number (of ONNX's own domain) or
/// {onnx = 17}, or as the imports of the model or function that it was read from,
/// `onnx.opset_imports`. opsetOf() of InferGraph.h is the same for one domain.
std::map<std::string, uint32_t, std::less<>> opsetsOf(const Graph *graph);
/// The same as a dictionary.
AttrRef opsetsAttr(const Graph &graph);

/// Whether an operator set that the module imports has the operator. onnxruntime and ONNX's
/// reference compute it by its definition then, and ignore a function of the model with that name.
bool isStandardOperator(const Module &module, const OperatorName &op);

} // namespace ge

#endif // GE_OPS_INFER_OPSETS_H
