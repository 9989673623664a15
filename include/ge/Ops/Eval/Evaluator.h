//===- Evaluator.h - computing results of operators on constants ------------------------------===//
//
// The core evaluates shape arithmetic itself (Contents.h). Everything else comes from outside:
// python/ge installs onnxruntime, through the function table of ge-c/Ops.h.
//
#ifndef GE_OPS_EVAL_EVALUATOR_H
#define GE_OPS_EVAL_EVALUATOR_H

#include "ge/IR/Mutation.h"
#include "ge/Ops/Schema/OpDef.h"

#include <memory>
#include <span>
#include <string_view>

namespace ge {

/// An operator applied to constants. What it points to lives for the call.
struct EvalCall {
  Context *context = nullptr;
  const OperatorName *op = nullptr;
  const OpDef *def = nullptr;              ///< null: not registered
  uint32_t opset = 0;                      ///< of the operator's domain; 0: unknown
  std::span<const Tensor *const> operands; ///< null: absent
  std::span<const NamedAttribute> attributes;
  std::span<Graph *const> subgraphs;
  std::span<const std::string_view> slots; ///< the attribute that each subgraph is
  std::string_view nodeName;               ///< for messages; empty: not known
  /// What is known of the results; an answer that does not fit is refused. Null: nothing. May be
  /// empty.
  std::span<const Type *const> resultTypes;
  /// The lengths of operand and result lists that the node stores (ge/IR/Segments.h).
  std::span<const int32_t> operandSegments, resultSegments;
};

class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// Fills `results`, as many as the operator has, of types that meet `resultTypes`. False: it
  /// cannot evaluate this operator. Called from any thread, several at once. May throw; an Error of
  /// kind Verify says why the operator stays as it is, and is not a failure of who asked.
  virtual bool evaluate(const EvalCall &call, std::span<TensorPtr> results) = 0;
  /// Returns whether its own implementation of this operator takes precedence over a kernel in C.
  virtual bool prefers(const OperatorName &) { return false; }
};

/// The installed one; null: none. Thread-safe. A call that runs may still use the one before.
std::shared_ptr<Evaluator> evaluator();
void setEvaluator(std::shared_ptr<Evaluator> evaluator);

} // namespace ge

#endif // GE_OPS_EVAL_EVALUATOR_H
