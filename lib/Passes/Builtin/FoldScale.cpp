//===- FoldScale.cpp - fold-scale: one number into the weights of a product -------------------===//
//
// A scale commutes with whatever moves elements, and with products, so it is carried up or down to
// a product with constant weights, as exporters leave it in attention and in Gelu.
//
#include "Affine.h"
#include "Builtin.h"

#include <algorithm>
#include <cmath>

namespace ge::builtin {

namespace {

bool movesElements(const Node *node) {
  for (std::string_view type : {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze"})
    if (isOnnx(node, type))
      return isFree(node);
  return false;
}

/// x * number, of the shape of x.
struct Scale {
  Value *x = nullptr;
  double number = 1;
};

std::optional<Scale> scaleOf(Rewriter &r, const Node *node) {
  bool isQuotient = isOnnx(node, "Div");
  if ((!isQuotient && !isOnnx(node, "Mul")) || node->numOperands() != 2 || r.opset() < 7)
    return std::nullopt;
  for (uint32_t i : {1u, 0u}) {
    Value *x = node->operand(1 - i), *constant = node->operand(i);
    if (!x || !constant || !sameShape(x, node->result(0)) || (isQuotient && i == 0))
      continue;
    std::optional<double> number = r.scalar(constant);
    DType dtype = dtypeOf(x);
    if (!number || !std::isfinite(*number) || *number == 0 ||
        (dtype != DType::F32 && dtype != DType::F64))
      continue; // narrow types would lose what is small
    return Scale{x, isQuotient ? 1 / *number : *number};
  }
  return std::nullopt;
}

/// Weights that nobody else has, so that the file does not grow.
TensorPtr ownWeights(Rewriter &r, Value *value, const Node *user) {
  bool isOwn = value && Rewriter::onlyUser(value) == user && value->node()->isListed();
  TensorPtr tensor = isOwn ? r.constant(value) : TensorPtr();
  return tensor && (tensor->type()->dtype() == DType::F32 || tensor->type()->dtype() == DType::F64)
             ? tensor
             : TensorPtr();
}

/// Bytes that timesNumber() makes.
uint64_t costOf(const Tensor &tensor) {
  return tensor.isSplat() ? tensor.elementSize() : tensor.denseSize();
}

Value *timesNumber(Rewriter &r, Node *before, const Tensor &tensor, double number) {
  if (tensor.isSplat())
    return r.createConstant(before, realSplat(tensor.type(), elementAt(tensor, 0) * number));
  std::vector<double> values = realElements(tensor);
  for (double &value : values)
    value *= number;
  return r.createConstant(before, realTensor(tensor.type(), values));
}

/// Which operand of a MatMul or Gemm is constant weights; -1: none.
int weightOf(Rewriter &r, const Node *product) {
  for (int i : {1, 0})
    if (ownWeights(r, operandOf(product, uint32_t(i)), product))
      return i;
  return -1;
}

bool setScaled(Rewriter &r, Node *node, uint32_t index, double number) {
  Value *old = node->operand(index);
  TensorPtr tensor = r.constant(old);
  Mutation::setOperand(node, index, timesNumber(r, node, *tensor, number));
  r.eraseIfDead(old->node());
  return true;
}

/// What a scale can be part of: a product, and the sum with a constant that may stand behind it.
struct Target {
  Node *product = nullptr, *sum = nullptr;
  uint32_t weight = 0, bias = 0; ///< operands
};

/// From `value`, which `user` alone uses, up. A product of two that are no weights takes the scale
/// in either.
std::optional<Target> targetAbove(Rewriter &r, Value *value, const Node *user, int depth = 0) {
  constexpr int kMost = 8;
  if (depth == kMost || !value || Rewriter::onlyUser(value) != user || !value->node()->isListed())
    return std::nullopt;
  Node *node = value->node();
  if (movesElements(node))
    return targetAbove(r, operandOf(node, 0), node, depth + 1);
  Target target;
  if (isOnnx(node, "Add") && isFree(node) && node->numOperands() == 2) {
    for (uint32_t i : {0u, 1u})
      if (!target.sum && ownWeights(r, node->operand(i), node)) {
        target.sum = node;
        target.bias = i;
      }
    value = target.sum ? node->operand(1 - target.bias) : nullptr;
    if (!value || Rewriter::onlyUser(value) != node)
      return std::nullopt;
    node = value->node();
  }
  if (!isOnnx(node, "MatMul") || !isFree(node) || !node->isListed())
    return std::nullopt;
  if (int weight = weightOf(r, node); weight >= 0) {
    target.product = node;
    target.weight = uint32_t(weight);
    return target;
  }
  for (uint32_t i : {0u, 1u})
    if (!target.sum)
      if (std::optional<Target> above = targetAbove(r, operandOf(node, i), node, depth + 1))
        return above;
  return std::nullopt;
}

bool upwards(Rewriter &r, Node *node) {
  std::optional<Scale> scale = scaleOf(r, node);
  std::optional<Target> target = scale ? targetAbove(r, scale->x, node) : std::nullopt;
  if (!target || (isOutput(node->result(0)) && !mayBeOutput(scale->x, node->graph())))
    return false;
  uint64_t bytes = costOf(*r.constant(target->product->operand(target->weight)));
  if (target->sum)
    bytes += costOf(*r.constant(target->sum->operand(target->bias)));
  if (!r.afford(node, bytes))
    return false;
  setScaled(r, target->product, target->weight, scale->number);
  if (target->sum)
    setScaled(r, target->sum, target->bias, scale->number);
  return r.replace(node, scale->x);
}

bool downwards(Rewriter &r, Node *node) {
  std::optional<Scale> scale = scaleOf(r, node);
  if (!scale)
    return false;
  constexpr int kMost = 8;
  Value *value = node->result(0);
  Node *user = Rewriter::onlyUser(value);
  auto passes = [&] {
    return (movesElements(user) && user->operand(0) == value) ||
           (isOnnx(user, "Mul") && isFree(user) && user->numOperands() == 2);
  };
  for (int i = 0; user && i != kMost && passes(); ++i) {
    value = user->result(0);
    user = Rewriter::onlyUser(value);
  }
  if (!user || !isFree(user) || (!isOnnx(user, "MatMul") && !isOnnx(user, "Gemm")))
    return false;
  int weight = weightOf(r, user);
  if (weight < 0 || operandOf(user, uint32_t(1 - weight)) != value ||
      !r.afford(node, costOf(*r.constant(user->operand(uint32_t(weight))))))
    return false;
  setScaled(r, user, uint32_t(weight), scale->number);
  return r.replace(node, scale->x);
}

constexpr RuleRow kRules[] = {
    {"Mul", upwards}, {"Div", upwards}, {"Mul", downwards}, {"Div", downwards}};

} // namespace

void registerFoldScale(PassRegistry &registry) {
  registry.add(chargedRulePass(
      "fold-scale",
      "A product or quotient with one number, before or behind a MatMul or before a Gemm, into "
      "its weights and the bias behind it; Reshape and Transpose may stand between. Not: weights "
      "that others use, types narrower than f32.",
      kRules));
}

} // namespace ge::builtin
