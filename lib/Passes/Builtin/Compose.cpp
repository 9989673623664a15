//===- Compose.cpp - compose: what exporters took apart is one operator again -----------------===//
//
// Recognises decompositions as PyTorch's and TensorFlow's exporters write them, if the model's
// operator set has the composed operator.
//
// The rules are in the other files of this name, which say why they do not use the matcher.
//
#include "Compose.h"

#include "Builtin.h"

#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>
#include <cmath>

namespace ge::builtin {

bool isNear(PassEditor &r, const Value *value, double number) {
  std::optional<double> constant = value ? r.scalar(value) : std::nullopt;
  DType dtype = value ? dtypeOf(value) : DType::Undefined;
  double error = dtype == DType::BF16 ? 4e-3 : dtype == DType::F16 ? 5e-4 : 1e-6;
  return constant && std::fabs(*constant - number) <= error * std::fabs(number);
}

bool isNormalizable(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
}

bool isDefinedFor(PassEditor &r, std::string_view type, Value *x) {
  const OperatorName *op = r.context().operatorName("onnx", type);
  OpDefRef def = Registry::global().find("onnx", type, {}, r.opset());
  if (!def)
    return false;
  NodeCall call(r.context(), op, def.get(), r.opset(), {&x, 1}, {});
  call.args.checksElementTypes = true;
  const Type *result = nullptr;
  return infer(call.args, {&result, 1}).status != InferStatus::Failed;
}

Value *besides(PassEditor &r, const Node *node, double number) {
  if (!node || node->numOperands() != 2)
    return nullptr;
  for (uint32_t i : {0u, 1u})
    if (isNear(r, node->operand(i), number))
      return node->operand(1 - i);
  return nullptr;
}

Value *rootOfSquare(PassEditor &r, const Value *value) {
  if (Node *power = PassEditor::producer(value, "Pow"))
    return operandOf(power, 1) && isNear(r, power->operand(1), 2) ? operandOf(power, 0) : nullptr;
  Node *product = PassEditor::producer(value, "Mul");
  bool isSquare =
      product && product->numOperands() == 2 && product->operand(0) == product->operand(1);
  return isSquare ? product->operand(0) : nullptr;
}

static std::span<const RuleRow> composeRules() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &kRules = *new std::vector<RuleRow>([] {
    std::vector<RuleRow> rules;
    for (std::span<const RuleRow> some : {normRules(), groupNormRules(), activationRules()})
      rules.insert(rules.end(), some.begin(), some.end());
    return rules;
  }());
  return kRules;
}

void registerCompose(PassRegistry &registry) {
  registry.add(chargedRulePass(
      "compose",
      "Recognises operators that exporters decompose, if the model's opset has them: "
      "LayerNormalization (17), GroupNormalization (21), RMSNormalization (23), Gelu by erf and by "
      "tanh (20), HardSigmoid (11), HardSwish (14), Mish (18). Not: a scale or bias without the "
      "shape of the normalized dimensions, doubles, activations of integers, Swish, which runtimes "
      "fuse themselves.",
      composeRules()));
}

} // namespace ge::builtin
