//===- NodeCall.h - the call that a node is, for inference ------------------------------------===//
#ifndef GE_OPS_INFER_NODECALL_H
#define GE_OPS_INFER_NODECALL_H

#include "ge/Ops/Infer/Infer.h"

#include <vector>

namespace ge {

/// InferArgs with what they borrow. Change further fields before infer().
class NodeCall {
public:
  /// Of a node as it stands. `def` may be null; `opset` as in InferArgs.
  NodeCall(const Node *node, const OpDef *def, uint32_t opset);
  /// Of a node that is to be made; the spans stay the caller's.
  NodeCall(Context &context, const OperatorName *op, const OpDef *def, uint32_t opset,
           std::span<Value *const> operands, std::span<const NamedAttribute> attributes);
  NodeCall(const NodeCall &) = delete;
  NodeCall &operator=(const NodeCall &) = delete;

  InferArgs args;
  std::vector<const Type *> types; ///< of the operands; null: absent

private:
  void setOperands(std::span<Value *const> operands);
  std::vector<Value *> values_;
};

} // namespace ge

#endif // GE_OPS_INFER_NODECALL_H
