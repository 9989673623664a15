//===- OperatorForms.cpp - attributes that are absent or operands in an opset -----------------===//
#include "Conditions.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>

namespace ge {

namespace {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

const Type *tensorType(const Node *node, uint32_t operand) {
  const Value *value = operand < node->numOperands() ? node->operand(operand) : nullptr;
  return value && value->type()->isTensor() && value->type()->isRanked() ? value->type() : nullptr;
}

AttrRef listOf(const Node *node, size_t size, int64_t number) {
  return node->context().intArray(std::vector<int64_t>(size, number));
}

AttrRef reversed(const Node *node) {
  const Type *type = tensorType(node, 0);
  if (!type)
    return {};
  std::vector<int64_t> perm;
  for (size_t i = type->shape().size(); i-- > 0;)
    perm.push_back(int64_t(i));
  return node->context().intArray(perm);
}

AttrRef kernelShape(const Node *node, uint32_t weights) {
  const Type *type = tensorType(node, weights);
  if (!type || type->shape().size() < 3)
    return {};
  std::vector<int64_t> sizes;
  for (const Dim &dim : type->shape().subspan(2)) {
    if (!dim.isStatic())
      return {};
    sizes.push_back(dim.size);
  }
  return node->context().intArray(sizes);
}

OpDefRef definitionOf(const Node *node) {
  const OperatorName &op = *node->op();
  uint32_t opset = opsetOf(node->graph(), op.domain());
  return Registry::global().find(op.domain(), op.type(), op.overload(),
                                 opset ? opset : Registry::kNewest);
}

std::string opsetText(const Node *node, const OpDefRef &def) {
  uint32_t opset = opsetOf(node->graph(), node->op()->domain());
  return cat(opset ? opset : def->since);
}

} // namespace

AttrRef impliedValue(const Node *node, std::string_view name) {
  const OperatorName &op = *node->op();
  if (op.domain() != "onnx")
    return {};
  std::string_view type = op.type();
  if (type == "Transpose")
    return name == "perm" ? reversed(node) : AttrRef();
  bool isConv = isOneOf(type, {"Conv", "ConvTranspose", "ConvInteger", "QLinearConv"});
  if (!isConv && !isOneOf(type, {"MaxPool", "AveragePool", "LpPool"}))
    return {};
  if (name == "kernel_shape")
    return isConv ? kernelShape(node, type == "QLinearConv" ? 3 : 1) : AttrRef();
  const Type *input = tensorType(node, 0);
  if (!input || input->shape().size() < 3)
    return {};
  size_t spatial = input->shape().size() - 2;
  if (name == "strides" || name == "dilations")
    return listOf(node, spatial, 1);
  Attribute padding = node->attribute("auto_pad");
  bool isExplicit =
      !padding || (padding.kind() == AttrKind::String && padding.stringValue() == "NOTSET");
  return name == "pads" && isExplicit ? listOf(node, 2 * spatial, 0) : AttrRef();
}

std::string otherFormNote(const Node *node, std::string_view attribute) {
  OpDefRef def = definitionOf(node);
  if (!def)
    return {};
  std::optional<uint32_t> param = def->findParam(attribute);
  if (param && def->params[*param].isOperand())
    return cat(", an operand in opset ", opsetText(node, def));
  return param ? std::string()
               : cat(", no attribute of the operator in opset ", opsetText(node, def));
}

std::string otherFormNote(const Node *node, uint32_t operand) {
  OpDefRef def = definitionOf(node);
  if (!def)
    return {};
  const OperatorName &op = *node->op();
  for (const OpDefRef &other : Registry::global().versions(op.domain(), op.type(), op.overload())) {
    if (operand >= other->operands().size())
      continue;
    const std::string &name = other->params[other->operands()[operand]].name;
    if (std::optional<uint32_t> param = def->findParam(name);
        param && !def->params[*param].isOperand())
      return cat("; '", name, "' is an attribute in opset ", opsetText(node, def));
  }
  return {};
}

} // namespace ge
