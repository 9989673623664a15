//===- ResultTypes.cpp - types that inference gives single nodes ------------------------------===//
#include "ResultTypes.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Infer/TypeEdits.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>

namespace ge {

InferStatus inferResults(const Node *node, std::vector<const Type *> &results) {
  const OperatorName *op = node->op();
  uint32_t opset = opsetOf(node->graph(), op->domain());
  OpDefRef def = Registry::global().find(op->domain(), op->type(), op->overload(),
                                         opset ? opset : Registry::kNewest);
  results.assign(node->numResults(), nullptr);
  return infer(NodeCall(node, def.get(), opset).args, results).status;
}

const Type *inferredType(const Value *value) {
  const Node *node = value->node();
  if (!node->graph() || !nativeInference(*node->op()))
    return nullptr;
  std::vector<const Type *> results;
  if (inferResults(node, results) != InferStatus::Inferred)
    return nullptr;
  const Type *type = results[value->index()];
  return type && type->kind() != TypeKind::Unknown ? type : nullptr;
}

const Type *preferInferred(const Type *inferred, const Type *declared) {
  const Type *met = meetTypes(declared, inferred);
  // In a layout that inference does not know, the declared sizes are in another order.
  if (!met || !met->isTensor() || !inferred->isRanked() || declared->format())
    return met ? met : inferred;
  std::vector<Dim> dims(met->shape().begin(), met->shape().end());
  for (size_t i = 0; i != dims.size(); ++i)
    if (Dim dim = inferred->shape()[i]; dim.isStatic() || dim.symbol)
      dims[i] = dim;
  if (std::ranges::equal(dims, met->shape()))
    return met;
  TensorTypeSpec spec;
  spec.dtype = met->dtype();
  spec.shape = dims;
  return met->context().tensorType(spec);
}

bool isGuess(const Value *value) { return isGuessedType(value->node(), value->type()); }

} // namespace ge
