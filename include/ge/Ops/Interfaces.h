//===- Interfaces.h - what others may do better than the core ---------------------------------===//
//
// Inference of operators that lib/Ops has no own inference for, and evaluation, come from outside:
// Python packages install onnx's and onnxruntime's, through the function tables of ge-c/Ops.h.
//
#ifndef GE_OPS_INTERFACES_H
#define GE_OPS_INTERFACES_H

#include "ge/IR/Context.h"
#include "ge/IR/Node.h"
#include "ge/Ops/OpDef.h"

#include <memory>
#include <span>

namespace ge {

/// An operator applied to types. What it points to lives for the call.
struct InferRequest {
  Context *context = nullptr;
  const OperatorName *name = nullptr;
  const OpDef *op = nullptr;                 ///< null: not registered
  uint32_t opset = 0;                        ///< of the operator's domain; 0: unknown
  const Node *node = nullptr;                ///< null at a builder's call, where there is none yet
  std::span<const Type *const> operandTypes; ///< null where the operand is absent
  std::span<const Tensor *const> operandConstants; ///< null where not constant; may be empty
  std::span<const Identifier *const> attributeNames;
  std::span<const Attribute> attributeValues;
  size_t numResults = 0;
};

/// Infers result types. Called from any thread, one call at a time for each object if it says so
/// itself; may throw, which is reported and taken as "unknown".
class Inferrer {
public:
  virtual ~Inferrer() = default;
  /// `results` has numResults entries, preset to the unknown type. False: it does not know this
  /// operator.
  virtual bool infer(const InferRequest &request, std::span<const Type *> results) = 0;
};

/// Computes results from constant operands.
class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// `request.operandConstants` are all there, but for absent operands. `results` has numResults
  /// entries. False: it cannot evaluate this operator.
  virtual bool evaluate(const InferRequest &request, std::span<TensorPtr> results) = 0;
};

/// The one that is asked after the native ones; null: none. Thread-safe. Setting gives back the one
/// before.
std::shared_ptr<Inferrer> foreignInferrer();
std::shared_ptr<Inferrer> setForeignInferrer(std::shared_ptr<Inferrer> inferrer);
std::shared_ptr<Evaluator> foreignEvaluator();
std::shared_ptr<Evaluator> setForeignEvaluator(std::shared_ptr<Evaluator> evaluator);

} // namespace ge

#endif // GE_OPS_INTERFACES_H
