//===- ComposeActivations.cpp - activations that were taken apart -----------------------------===//
//
// Not the matcher: written as patterns (operands in any order, three groupings of a product,
// factors as constants near to a number) these rules and what runs them were 266 lines in place of
// 196, and took 21 us where no rule fires, and 92 us where one does, in place of 6 and 29.
//
#include "Compose.h"

#include <algorithm>
#include <numbers>

namespace ge::builtin {

namespace {

/// The factors of a product of products without other uses; at most `kMost`.
std::vector<Value *> factorsOf(Node *node) {
  constexpr size_t kMost = 4;
  std::vector<Value *> factors, work{node->operand(0), node->operand(1)};
  while (!work.empty() && factors.size() + work.size() <= kMost) {
    Value *value = work.back();
    work.pop_back();
    Node *inner = PassEditor::producer(value, "Mul");
    if (inner && inner->numOperands() == 2 && inner->operand(0) && inner->operand(1) &&
        PassEditor::onlyUser(value)) {
      work.push_back(inner->operand(0));
      work.push_back(inner->operand(1));
    } else {
      factors.push_back(value);
    }
  }
  factors.insert(factors.end(), work.begin(), work.end());
  return factors;
}

/// x of x / sqrt(2).
Value *scaledByRoot(PassEditor &r, const Value *value) {
  if (Node *quotient = PassEditor::producer(value, "Div"))
    return operandOf(quotient, 1) && isNear(r, quotient->operand(1), std::numbers::sqrt2)
               ? operandOf(quotient, 0)
               : nullptr;
  return besides(r, PassEditor::producer(value, "Mul"), std::numbers::sqrt2 / 2);
}

/// x ** 3, also as a product.
bool isCube(PassEditor &r, const Value *value, const Value *x) {
  if (Node *power = PassEditor::producer(value, "Pow"))
    return operandOf(power, 0) == x && operandOf(power, 1) && isNear(r, power->operand(1), 3);
  Node *product = PassEditor::producer(value, "Mul");
  if (!product || product->numOperands() != 2)
    return false;
  for (uint32_t i : {0u, 1u})
    if (product->operand(i) == x)
      return rootOfSquare(r, product->operand(1 - i)) == x;
  return false;
}

/// x of sqrt(2 / pi) * (x + 0.044715 * x ** 3).
Value *cubicOf(PassEditor &r, const Value *value) {
  Value *inner = besides(r, PassEditor::producer(value, "Mul"),
                         std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  Node *sum = PassEditor::producer(inner, "Add");
  if (!sum || sum->numOperands() != 2)
    return nullptr;
  for (uint32_t i : {0u, 1u}) {
    Value *x = sum->operand(i);
    Value *cube = besides(r, PassEditor::producer(sum->operand(1 - i), "Mul"), 0.044715);
    if (x && cube && isCube(r, cube, x))
      return x;
  }
  return nullptr;
}

/// Element types of which onnxruntime has the activations: not integers, of which a decomposition
/// rounds at each step, nor doubles.
bool isActivated(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
}

/// In the place of `node`, which has the type of x.
bool put(PassEditor &r, Node *node, std::string_view type, Value *x,
         std::initializer_list<Attr> attributes = {}) {
  if (!sameShape(x, node->result(0)) || !isActivated(dtypeOf(x)) ||
      dtypeOf(x) != dtypeOf(node->result(0)) || !isDefinedFor(r, type, x))
    return false;
  Node *made = r.create(node, type, {x}, attributes, node->result(0)->type());
  return r.replace(node, made->result(0));
}

bool gelu(PassEditor &r, Node *node) {
  if (r.opset() < 20 || node->numOperands() != 2 || !node->operand(0) || !node->operand(1))
    return false;
  // x, 0.5 and 1 + erf(...) in any order
  std::vector<Value *> factors = factorsOf(node);
  auto half = std::ranges::find_if(factors, [&](Value *v) { return isNear(r, v, 0.5); });
  if (factors.size() != 3 || half == factors.end())
    return false;
  factors.erase(half);
  for (uint32_t i : {0u, 1u}) {
    Value *x = factors[i];
    Value *inner = besides(r, PassEditor::producer(factors[1 - i], "Add"), 1);
    Node *erf = PassEditor::producer(inner, "Erf"), *tanh = PassEditor::producer(inner, "Tanh");
    bool isExact = erf && operandOf(erf, 0) && scaledByRoot(r, erf->operand(0)) == x;
    bool isTanh = tanh && operandOf(tanh, 0) && cubicOf(r, tanh->operand(0)) == x;
    AttrRef how = r.context().stringAttr(isTanh ? "tanh" : "none");
    if ((isExact || isTanh) && put(r, node, "Gelu", x, {{"approximate", *how}}))
      return true;
  }
  return false;
}

/// x of clip(x + 3, 0, 6).
Value *clippedOf(PassEditor &r, const Value *value) {
  Node *clip = PassEditor::producer(value, "Clip");
  if (!clip || !operandOf(clip, 1) || !operandOf(clip, 2) || !isNear(r, clip->operand(1), 0) ||
      !isNear(r, clip->operand(2), 6))
    return nullptr;
  return besides(r, PassEditor::producer(operandOf(clip, 0), "Add"), 3);
}

/// x of clip(x + 3, 0, 6) / 6, also as HardSigmoid.
Value *hardSigmoidOf(PassEditor &r, const Value *value) {
  if (Node *quotient = PassEditor::producer(value, "Div"))
    return operandOf(quotient, 1) && isNear(r, quotient->operand(1), 6)
               ? clippedOf(r, quotient->operand(0))
               : nullptr;
  if (Node *product = PassEditor::producer(value, "Mul")) {
    Value *clipped = besides(r, product, 1.0 / 6);
    return clipped ? clippedOf(r, clipped) : nullptr;
  }
  Node *node = PassEditor::producer(value, "HardSigmoid");
  bool isIt = node && float(floatAttr(node, "alpha", 0.2)) == float(1.0 / 6) &&
              floatAttr(node, "beta", 0.5) == 0.5;
  return isIt ? operandOf(node, 0) : nullptr;
}

bool hardSigmoid(PassEditor &r, Node *node) {
  // Before 11, Clip has its limits as attributes.
  Value *x =
      r.opset() >= 11 && node->numOperands() == 2 ? hardSigmoidOf(r, node->result(0)) : nullptr;
  return x && put(r, node, "HardSigmoid", x, {{"alpha", float(1.0 / 6)}, {"beta", 0.5F}});
}

/// x * HardSigmoid(x), and x * clip(x + 3, 0, 6) divided by 6.
bool hardSwish(PassEditor &r, Node *node) {
  if (r.opset() < 14 || node->numOperands() != 2 || !node->operand(0) || !node->operand(1))
    return false;
  bool isQuotient = isOnnx(node, "Div");
  if (isQuotient && !isNear(r, node->operand(1), 6))
    return false;
  Node *product = isQuotient ? PassEditor::producer(node->operand(0), "Mul") : node;
  if (!product || product->numOperands() != 2 || !product->operand(0) || !product->operand(1))
    return false;
  std::vector<Value *> factors = factorsOf(product);
  auto sixth = std::ranges::find_if(factors, [&](Value *v) { return isNear(r, v, 1.0 / 6); });
  bool isDivided = isQuotient || sixth != factors.end();
  if (!isQuotient && isDivided)
    factors.erase(sixth);
  for (uint32_t i = 0; factors.size() == 2 && i != 2; ++i)
    if (Value *x = factors[i];
        (isDivided ? clippedOf(r, factors[1 - i]) : hardSigmoidOf(r, factors[1 - i])) == x)
      return put(r, node, "HardSwish", x);
  return false;
}

/// x * tanh(softplus(x))
bool mish(PassEditor &r, Node *node) {
  for (uint32_t i = 0; r.opset() >= 18 && node->numOperands() == 2 && i != 2; ++i) {
    Value *x = node->operand(i);
    Node *tanh = PassEditor::producer(node->operand(1 - i), "Tanh");
    Node *plus = tanh ? PassEditor::producer(operandOf(tanh, 0), "Softplus") : nullptr;
    if (x && plus && operandOf(plus, 0) == x)
      return put(r, node, "Mish", x);
  }
  return false;
}

constexpr RuleRow kComposeActivationsRules[] = {
    {"Mul", gelu, Exactness::Reassociating},        {"Mul", hardSwish, Exactness::Reassociating},
    {"Div", hardSwish, Exactness::Reassociating},   {"Mul", hardSigmoid, Exactness::Reassociating},
    {"Div", hardSigmoid, Exactness::Reassociating}, {"Mul", mish, Exactness::Reassociating}};

} // namespace

std::span<const RuleRow> activationRules() { return kComposeActivationsRules; }

} // namespace ge::builtin
