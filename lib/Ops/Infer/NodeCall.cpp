//===- NodeCall.cpp ---------------------------------------------------------------------------===//
#include "ge/Ops/Infer/NodeCall.h"

namespace ge {

NodeCall::NodeCall(const Node *node, const OpDef *def, uint32_t opset) {
  values_.reserve(node->numOperands());
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    values_.push_back(node->operand(i));
  args.context = &node->context();
  args.op = node->op();
  args.def = def;
  args.opset = opset;
  args.root = &node->root();
  args.attributeList = &node->attributes();
  args.subgraphs = node->subgraphs();
  args.operandSegments = node->operandSegments();
  args.resultSegments = node->resultSegments();
  setOperands(values_);
}

NodeCall::NodeCall(Context &context, const OperatorName *op, const OpDef *def, uint32_t opset,
                   std::span<Value *const> operands, std::span<const NamedAttribute> attributes) {
  args.context = &context;
  args.op = op;
  args.def = def;
  args.opset = opset;
  args.attributes = attributes;
  setOperands(operands);
}

void NodeCall::setOperands(std::span<Value *const> operands) {
  types.reserve(operands.size());
  for (const Value *value : operands)
    types.push_back(value ? value->type() : nullptr);
  args.values = operands;
  args.operands = types;
}

} // namespace ge
