//===- FoldScale.cpp - fold-scale: one number into the weights of a product -------------------===//
//
// A scale commutes with operators that move elements and with products, so it is moved up or down
// to a product with constant weights. Exporters leave such scales in attention and Gelu.
//
// Not the matcher: any number of nodes lies between a scale and the product.
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

std::optional<Scale> scaleOf(PassEditor &r, const Node *node) {
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
      continue; // narrow types would round small numbers to zero
    double factor = isQuotient ? 1 / *number : *number;
    if (!std::isfinite(factor) || factor == 0)
      continue;
    return Scale{x, factor};
  }
  return std::nullopt;
}

/// Weights without other uses, so that the file does not grow.
TensorPtr ownWeights(PassEditor &r, Value *value, const Node *user) {
  bool isOwn = value && PassEditor::onlyUser(value) == user && value->node()->isListed();
  TensorPtr tensor = isOwn ? r.constant(value) : TensorPtr();
  return tensor && (tensor->type()->dtype() == DType::F32 || tensor->type()->dtype() == DType::F64)
             ? tensor
             : TensorPtr();
}

/// The bytes of the tensor that timesNumber() creates.
uint64_t costOf(const Tensor &tensor) {
  return tensor.isSplat() ? tensor.elementSize() : tensor.denseSize();
}

/// Returns null if an element would be infinite or subnormal.
TensorPtr timesNumber(const Tensor &tensor, double number) {
  if (tensor.isSplat())
    return normalSplat(tensor.type(), productOf(elementAt(tensor, 0), number));
  std::vector<double> values = realElements(tensor);
  for (double &value : values)
    value = productOf(value, number);
  return normalTensor(tensor.type(), values);
}

/// Which operand of a MatMul or Gemm is constant weights; -1: none.
int weightOf(PassEditor &r, const Node *product) {
  for (int i : {1, 0})
    if (ownWeights(r, operandOf(product, uint32_t(i)), product))
      return i;
  return -1;
}

void setConstant(PassEditor &r, Node *node, uint32_t index, const TensorPtr &tensor,
                 const Grant &grant) {
  Value *old = node->operand(index);
  Value *made = r.createConstant(node, tensor, grant);
  r.nameDerived(made, old);
  Mutation::setOperand(node, index, made);
  r.eraseIfDead(old->node());
}

/// What a scale can be folded into: a product, and the sum with a constant that may follow it.
struct Target {
  Node *product = nullptr, *sum = nullptr;
  uint32_t weight = 0, bias = 0; ///< operands
  std::vector<Value *> scaled;   ///< values whose magnitude changes: from its result to the scale
};

std::optional<Target> with(std::optional<Target> target, Value *scaled) {
  if (target)
    target->scaled.push_back(scaled);
  return target;
}

/// Searches upwards from `value`, which only `user` uses. In a product without constant weights,
/// either operand may take the scale.
std::optional<Target> targetAbove(PassEditor &r, Value *value, const Node *user, int depth = 0) {
  constexpr int kMost = 8;
  if (depth == kMost || !value || PassEditor::onlyUser(value) != user || !value->node()->isListed())
    return std::nullopt;
  Node *node = value->node();
  if (movesElements(node))
    return with(targetAbove(r, operandOf(node, 0), node, depth + 1), value);
  Target target;
  target.scaled = {value};
  if (isOnnx(node, "Add") && isFree(node) && node->numOperands() == 2) {
    for (uint32_t i : {0u, 1u})
      if (!target.sum && ownWeights(r, node->operand(i), node)) {
        target.sum = node;
        target.bias = i;
      }
    value = target.sum ? node->operand(1 - target.bias) : nullptr;
    if (!value || PassEditor::onlyUser(value) != node)
      return std::nullopt;
    target.scaled.insert(target.scaled.begin(), value);
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
        return with(above, value);
  return std::nullopt;
}

bool upwards(PassEditor &r, Node *node) {
  std::optional<Scale> scale = scaleOf(r, node);
  std::optional<Target> target = scale ? targetAbove(r, scale->x, node) : std::nullopt;
  if (!target || !r.mayReplace(node, scale->x))
    return false;
  TensorPtr weight = r.constant(target->product->operand(target->weight));
  TensorPtr bias = target->sum ? r.constant(target->sum->operand(target->bias)) : TensorPtr();
  uint64_t bytes = costOf(*weight) + (bias ? costOf(*bias) : 0);
  const Value *biasValue = bias ? target->sum->operand(target->bias) : nullptr;
  std::optional<Grant> grant = r.afford(node, {target->product->operand(target->weight), biasValue},
                                        weight->type()->dtype(), bytes);
  if (!grant)
    return false;
  weight = timesNumber(*weight, scale->number);
  bias = bias ? timesNumber(*bias, scale->number) : TensorPtr();
  if (!weight || (target->sum && !bias)) {
    r.refund(*grant, bytes);
    return false;
  }
  setConstant(r, target->product, target->weight, weight, *grant);
  if (bias)
    setConstant(r, target->sum, target->bias, bias, *grant);
  for (Value *value : target->scaled)
    if (value != scale->x) {
      r.renameChanged(value);
      PassEditor::addOrigins(value->node(), node);
    }
  // The value is now scaled, so it needs another name.
  if (node->result(0)->hasName())
    Mutation::rename(scale->x, {});
  else
    r.renameChanged(scale->x);
  return r.replace(node, scale->x);
}

bool downwards(PassEditor &r, Node *node) {
  std::optional<Scale> scale = scaleOf(r, node);
  if (!scale)
    return false;
  constexpr int kMost = 8;
  Value *value = node->result(0);
  std::vector<Value *> unscaled;
  Node *user = PassEditor::onlyUser(value);
  auto passes = [&] {
    return (movesElements(user) && user->operand(0) == value) ||
           (isOnnx(user, "Mul") && isFree(user) && user->numOperands() == 2);
  };
  for (int i = 0; user && i != kMost && passes(); ++i) {
    value = user->result(0);
    unscaled.push_back(value);
    user = PassEditor::onlyUser(value);
  }
  if (!user || !isFree(user) || (!isOnnx(user, "MatMul") && !isOnnx(user, "Gemm")))
    return false;
  int index = weightOf(r, user);
  if (index < 0 || operandOf(user, uint32_t(1 - index)) != value || !r.mayReplace(node, scale->x))
    return false;
  TensorPtr weight = r.constant(user->operand(uint32_t(index)));
  uint64_t bytes = costOf(*weight);
  std::optional<Grant> grant =
      r.afford(node, {user->operand(uint32_t(index))}, weight->type()->dtype(), bytes);
  if (!grant)
    return false;
  weight = timesNumber(*weight, scale->number);
  if (!weight) {
    r.refund(*grant, bytes);
    return false;
  }
  setConstant(r, user, uint32_t(index), weight, *grant);
  for (Value *between : unscaled) {
    r.renameChanged(between);
    PassEditor::addOrigins(between->node(), node);
  }
  PassEditor::addOrigins(user, node);
  refineType(scale->x, node->result(0)->type(), node->result(0)->typeSource());
  // The nodes after the scale compute something else than it did: `x` does not get its name and
  // origins.
  Mutation::replaceAllUses(node->result(0), scale->x);
  r.eraseIfDead(node);
  return true;
}

constexpr RuleRow kFoldScaleRules[] = {{"Mul", upwards, Exactness::Reassociating},
                                       {"Div", upwards, Exactness::Reassociating},
                                       {"Mul", downwards, Exactness::Reassociating},
                                       {"Div", downwards, Exactness::Reassociating}};

} // namespace

void registerFoldScale(PassRegistry &registry) {
  registry.add(chargedRulePass(
      "fold-scale",
      "Folds the multiplication or division by one number, before or after a MatMul or before a "
      "Gemm, into its weights and the following bias; Reshape and Transpose may be in between. "
      "Not: weights with other uses or that would become infinite or subnormal, types narrower "
      "than f32.",
      kFoldScaleRules));
}

} // namespace ge::builtin
