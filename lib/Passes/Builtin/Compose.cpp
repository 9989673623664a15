//===- Compose.cpp - compose: what exporters took apart is one operator again -----------------===//
//
// Written as PyTorch's and TensorFlow's exporters do, and only where the model's operator set has
// the whole: LayerNormalization from 17 on, Gelu from 20 on.
//
#include "Builtin.h"
#include "Rewriter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ge::builtin {

namespace {

/// A constant scalar near to `number`, as near as its element type writes it.
bool isNear(Rewriter &r, const Value *value, double number) {
  std::optional<double> constant = value ? r.scalar(value) : std::nullopt;
  DType dtype = value ? dtypeOf(value) : DType::Undefined;
  double error = dtype == DType::BF16 ? 4e-3 : dtype == DType::F16 ? 5e-4 : 1e-6;
  return constant && std::fabs(*constant - number) <= error * std::fabs(number);
}

/// Of a commutative node: the operand that is not the constant `number`; null when none is.
Value *besides(Rewriter &r, const Node *node, double number) {
  if (!node || node->numOperands() != 2)
    return nullptr;
  for (uint32_t i : {0u, 1u})
    if (isNear(r, node->operand(i), number))
      return node->operand(1 - i);
  return nullptr;
}

//===-----------------------------------------------------------------------------------------===//
// LayerNormalization
//===-----------------------------------------------------------------------------------------===//

/// ReduceMean that keeps dimensions: what it takes, and over which axes.
bool meanOf(Rewriter &r, const Value *value, Value *&x, Ints &axes) {
  Node *mean = Rewriter::producer(value, "ReduceMean");
  std::optional<Ints> list;
  if (!mean || intAttr(mean, "keepdims", 1) != 1 || !r.listOf(mean, "axes", 1, list) || !list ||
      list->empty())
    return false;
  x = operandOf(mean, 0);
  axes = *list;
  return x != nullptr;
}

/// d * d or d ** 2.
Value *rootOfSquare(Rewriter &r, const Value *value) {
  if (Node *power = Rewriter::producer(value, "Pow"))
    return operandOf(power, 1) && isNear(r, power->operand(1), 2) ? operandOf(power, 0) : nullptr;
  Node *product = Rewriter::producer(value, "Mul");
  bool isSquare =
      product && product->numOperands() == 2 && product->operand(0) == product->operand(1);
  return isSquare ? product->operand(0) : nullptr;
}

/// d / sqrt(v + epsilon), also as d * (1 / sqrt(v + epsilon)).
struct Normalized {
  Value *difference = nullptr, *variance = nullptr;
  float epsilon = 0;
};

std::optional<Normalized> normalizedOf(Rewriter &r, const Value *value) {
  Value *difference = nullptr, *deviation = nullptr;
  if (Node *quotient = Rewriter::producer(value, "Div")) {
    difference = operandOf(quotient, 0);
    deviation = operandOf(quotient, 1);
  } else if (Node *product = Rewriter::producer(value, "Mul")) {
    for (uint32_t i : {0u, 1u})
      if (Node *inverse = Rewriter::producer(operandOf(product, i), "Reciprocal")) {
        deviation = operandOf(inverse, 0);
        difference = operandOf(product, 1 - i);
      }
  }
  Node *root = Rewriter::producer(deviation, "Sqrt");
  Node *sum = root ? Rewriter::producer(operandOf(root, 0), "Add") : nullptr;
  if (!sum || sum->numOperands() != 2 || !difference)
    return std::nullopt;
  for (uint32_t i : {0u, 1u}) {
    std::optional<double> epsilon = sum->operand(i) ? r.scalar(sum->operand(i)) : std::nullopt;
    if (epsilon && *epsilon >= 0 && *epsilon < 1 && sum->operand(1 - i))
      return Normalized{difference, sum->operand(1 - i), float(*epsilon)};
  }
  return std::nullopt;
}

/// The axes are the last ones; the first of them as a negative number.
std::optional<int64_t> firstOfLast(const Value *x, Ints axes) {
  int64_t rank = rankOf(x);
  for (int64_t &axis : axes) {
    if (axis >= 0 && rank < 0)
      return std::nullopt;
    axis -= axis >= 0 ? rank : 0;
  }
  std::ranges::sort(axes);
  for (size_t i = 0; i != axes.size(); ++i)
    if (axes[i] != int64_t(i) - int64_t(axes.size()))
      return std::nullopt;
  return axes.front();
}

/// The parameter has exactly the dimensions that are normalized.
bool isParameter(const Value *parameter, const Value *x, int64_t axis) {
  int64_t rank = rankOf(parameter);
  return rank == -axis && rankOf(x) >= rank &&
         sameShape(shapeOf(parameter), shapeOf(x).last(size_t(rank)));
}

bool layerNormalization(Rewriter &r, Node *node) {
  if (r.opset() < 17 || node->numOperands() != 2)
    return false;
  for (uint32_t i : {0u, 1u}) {
    // node = scaled + bias, scaled = normalized * scale
    Node *product = Rewriter::producer(node->operand(i), "Mul");
    Value *bias = node->operand(1 - i);
    if (!product || !bias || product->numOperands() != 2 ||
        Rewriter::onlyUser(product->result(0)) != node)
      continue;
    for (uint32_t k : {0u, 1u}) {
      Value *value = product->operand(k), *scale = product->operand(1 - k), *x, *again;
      Ints axes, other;
      if (!value || !scale || Rewriter::onlyUser(value) != product)
        continue;
      std::optional<Normalized> normalized = normalizedOf(r, value);
      Value *squared = nullptr;
      if (!normalized || !meanOf(r, normalized->variance, squared, axes))
        continue;
      Value *difference = rootOfSquare(r, squared);
      Node *minus = Rewriter::producer(normalized->difference, "Sub");
      if (difference != normalized->difference || !minus || minus->numOperands() != 2 ||
          !meanOf(r, minus->operand(1), again, other))
        continue;
      x = minus->operand(0);
      std::optional<int64_t> axis = x ? firstOfLast(x, axes) : std::nullopt;
      DType dtype = dtypeOf(x);
      if (!axis || again != x || !sameShape(x, node->result(0)) || firstOfLast(x, other) != axis ||
          !isParameter(scale, x, *axis) || !isParameter(bias, x, *axis) ||
          dtypeOf(scale) != dtype || dtypeOf(bias) != dtype ||
          (dtype != DType::F32 && dtype != DType::F16 && dtype != DType::BF16))
        continue; // a double would be normalized as a float
      Node *made =
          r.create(node, "LayerNormalization", {x, scale, bias},
                   {{"axis", *axis}, {"epsilon", normalized->epsilon}}, node->result(0)->type());
      return r.replace(node, made->result(0));
    }
  }
  return false;
}

//===-----------------------------------------------------------------------------------------===//
// Gelu
//===-----------------------------------------------------------------------------------------===//

/// The factors of a product of products that nobody else uses; at most `kMost`.
std::vector<Value *> factorsOf(Node *node) {
  constexpr size_t kMost = 4;
  std::vector<Value *> factors, work{node->operand(0), node->operand(1)};
  while (!work.empty() && factors.size() + work.size() <= kMost) {
    Value *value = work.back();
    work.pop_back();
    Node *inner = Rewriter::producer(value, "Mul");
    if (inner && inner->numOperands() == 2 && inner->operand(0) && inner->operand(1) &&
        Rewriter::onlyUser(value)) {
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
Value *scaledByRoot(Rewriter &r, const Value *value) {
  if (Node *quotient = Rewriter::producer(value, "Div"))
    return operandOf(quotient, 1) && isNear(r, quotient->operand(1), std::numbers::sqrt2)
               ? operandOf(quotient, 0)
               : nullptr;
  return besides(r, Rewriter::producer(value, "Mul"), std::numbers::sqrt2 / 2);
}

/// x ** 3, also as a product.
bool isCube(Rewriter &r, const Value *value, const Value *x) {
  if (Node *power = Rewriter::producer(value, "Pow"))
    return operandOf(power, 0) == x && operandOf(power, 1) && isNear(r, power->operand(1), 3);
  Node *product = Rewriter::producer(value, "Mul");
  if (!product || product->numOperands() != 2)
    return false;
  for (uint32_t i : {0u, 1u})
    if (product->operand(i) == x)
      return rootOfSquare(r, product->operand(1 - i)) == x;
  return false;
}

/// x of sqrt(2 / pi) * (x + 0.044715 * x ** 3).
Value *cubicOf(Rewriter &r, const Value *value) {
  Value *inner =
      besides(r, Rewriter::producer(value, "Mul"), std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  Node *sum = Rewriter::producer(inner, "Add");
  if (!sum || sum->numOperands() != 2)
    return nullptr;
  for (uint32_t i : {0u, 1u}) {
    Value *x = sum->operand(i);
    Value *cube = besides(r, Rewriter::producer(sum->operand(1 - i), "Mul"), 0.044715);
    if (x && cube && isCube(r, cube, x))
      return x;
  }
  return nullptr;
}

bool gelu(Rewriter &r, Node *node) {
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
    Value *inner = besides(r, Rewriter::producer(factors[1 - i], "Add"), 1);
    Node *erf = Rewriter::producer(inner, "Erf"), *tanh = Rewriter::producer(inner, "Tanh");
    bool isExact = erf && operandOf(erf, 0) && scaledByRoot(r, erf->operand(0)) == x;
    bool isTanh = tanh && operandOf(tanh, 0) && cubicOf(r, tanh->operand(0)) == x;
    if ((!isExact && !isTanh) || !sameShape(x, node->result(0)))
      continue;
    AttrRef how = r.context().stringAttr(isTanh ? "tanh" : "none");
    Node *made = r.create(node, "Gelu", {x}, {{"approximate", *how}}, node->result(0)->type());
    return r.replace(node, made->result(0));
  }
  return false;
}

constexpr RuleRow kRules[] = {{"Add", layerNormalization}, {"Mul", gelu}};

} // namespace

void registerCompose(PassRegistry &registry) {
  registry.add(rulePass(
      "compose",
      "LayerNormalization and Gelu (by erf, by tanh) that were exported as their parts become one "
      "node. Not: before operator set 17 or 20; a scale or bias that has not the shape of what is "
      "normalized; doubles.",
      kRules));
}

} // namespace ge::builtin
