//===- ComposeNorms.cpp - normalizations that were taken apart --------------------------------===//
//
// Not the matcher: axes, scale and bias must agree with one another and with ranks, which is most
// of the rules.
//
#include "Compose.h"

#include <algorithm>
#include <ranges>

namespace ge::builtin {

namespace {

/// ReduceMean that keeps dimensions: what it takes, and over which axes.
bool meanOf(PassEditor &r, const Value *value, Value *&x, Ints &axes) {
  Node *mean = PassEditor::producer(value, "ReduceMean");
  std::optional<Ints> list;
  if (!mean || intAttr(mean, "keepdims", 1) != 1 || !r.listOf(mean, "axes", 1, list) || !list ||
      list->empty())
    return false;
  x = operandOf(mean, 0);
  axes = *list;
  return x != nullptr;
}

/// d / sqrt(v + epsilon), also as d * (1 / sqrt(v + epsilon)).
struct Normalized {
  Value *difference = nullptr, *variance = nullptr;
  float epsilon = 0;
};

std::optional<Normalized> normalizedOf(PassEditor &r, const Value *value) {
  Value *difference = nullptr, *deviation = nullptr;
  if (Node *quotient = PassEditor::producer(value, "Div")) {
    difference = operandOf(quotient, 0);
    deviation = operandOf(quotient, 1);
  } else if (Node *product = PassEditor::producer(value, "Mul")) {
    for (uint32_t i : {0u, 1u})
      if (Node *inverse = PassEditor::producer(operandOf(product, i), "Reciprocal")) {
        deviation = operandOf(inverse, 0);
        difference = operandOf(product, 1 - i);
      }
  }
  Node *root = PassEditor::producer(deviation, "Sqrt");
  Node *sum = root ? PassEditor::producer(operandOf(root, 0), "Add") : nullptr;
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

/// x of mean(d ** 2), and the first of the axes.
Value *rootOfMeanSquare(PassEditor &r, const Value *value, std::optional<int64_t> &axis) {
  Value *squared = nullptr;
  Ints axes;
  Value *root = meanOf(r, value, squared, axes) ? rootOfSquare(r, squared) : nullptr;
  axis = root ? firstOfLast(root, axes) : std::nullopt;
  return axis ? root : nullptr;
}

/// (x - mean(x)) / sqrt(mean((x - mean(x)) ** 2) + epsilon) * scale
bool layerNormalization(PassEditor &r, Node *node) {
  if (r.opset() < 17 || node->numOperands() != 2)
    return false;
  for (uint32_t i : {0u, 1u}) {
    Value *value = node->operand(i), *scale = node->operand(1 - i);
    if (!value || !scale || PassEditor::onlyUser(value) != node)
      continue;
    std::optional<Normalized> normalized = normalizedOf(r, value);
    std::optional<int64_t> axis;
    if (!normalized || rootOfMeanSquare(r, normalized->variance, axis) != normalized->difference)
      continue;
    Node *minus = PassEditor::producer(normalized->difference, "Sub");
    Value *again = nullptr;
    Ints other;
    if (!minus || minus->numOperands() != 2 || !meanOf(r, minus->operand(1), again, other))
      continue;
    Value *x = minus->operand(0);
    DType dtype = dtypeOf(x);
    if (!x || again != x || !sameShape(x, node->result(0)) || firstOfLast(x, other) != axis ||
        !isParameter(scale, x, *axis) || dtypeOf(scale) != dtype || !isNormalizable(dtype))
      continue;
    Node *made =
        r.create(node, "LayerNormalization", {x, scale},
                 {{"axis", *axis}, {"epsilon", normalized->epsilon}}, node->result(0)->type());
    return r.replace(node, made->result(0));
  }
  return false;
}

/// The bias after a LayerNormalization that has none.
bool layerNormalizationBias(PassEditor &r, Node *node) {
  for (uint32_t i = 0; node->numOperands() == 2 && i != 2; ++i) {
    Node *norm = PassEditor::producer(node->operand(i), "LayerNormalization");
    Value *bias = node->operand(1 - i);
    if (!norm || !bias || operandOf(norm, 2) || PassEditor::onlyUser(norm->result(0)) != node ||
        std::ranges::any_of(std::views::iota(1u, norm->numResults()),
                            [&](uint32_t k) { return norm->result(k)->hasUses(); }))
      continue;
    Value *x = operandOf(norm, 0), *scale = operandOf(norm, 1);
    int64_t axis = intAttr(norm, "axis", -1);
    axis -= axis >= 0 && rankOf(x) >= 0 ? rankOf(x) : 0;
    if (!x || !scale || axis >= 0 || intAttr(norm, "stash_type", 1) != 1 ||
        !isParameter(bias, x, axis) || dtypeOf(bias) != dtypeOf(x) ||
        !sameShape(x, node->result(0)))
      continue;
    auto epsilon = float(floatAttr(norm, "epsilon", 1e-5));
    Node *made = r.create(node, "LayerNormalization", {x, scale, bias},
                          {{"axis", axis}, {"epsilon", epsilon}}, node->result(0)->type());
    return r.replace(node, made->result(0));
  }
  return false;
}

/// x / sqrt(mean(x ** 2) + epsilon) * scale; also in f32 between two casts, as the operator does.
bool rmsNormalization(PassEditor &r, Node *node) {
  if (r.opset() < 23 || node->numOperands() != 2)
    return false;
  for (uint32_t i : {0u, 1u}) {
    Value *value = node->operand(i), *scale = node->operand(1 - i);
    if (!value || !scale || PassEditor::onlyUser(value) != node)
      continue;
    Node *back = PassEditor::producer(value, "Cast");
    std::optional<Normalized> normalized = normalizedOf(r, back ? operandOf(back, 0) : value);
    std::optional<int64_t> axis;
    if (!normalized || rootOfMeanSquare(r, normalized->variance, axis) != normalized->difference)
      continue;
    Value *x = normalized->difference;
    if (back) {
      Node *forth = PassEditor::producer(x, "Cast");
      if (!forth || dtypeOf(x) != DType::F32)
        continue;
      x = operandOf(forth, 0);
    }
    DType dtype = dtypeOf(x);
    if (!x || dtypeOf(value) != dtype || !sameShape(x, node->result(0)) ||
        !isParameter(scale, x, *axis) || dtypeOf(scale) != dtype || !isNormalizable(dtype))
      continue;
    Node *made =
        r.create(node, "RMSNormalization", {x, scale},
                 {{"axis", *axis}, {"epsilon", normalized->epsilon}}, node->result(0)->type());
    return r.replace(node, made->result(0));
  }
  return false;
}

// The first: what it makes out of differences from the mean would be an RMSNormalization, too.
constexpr RuleRow kComposeNormsRules[] = {
    {"Mul", layerNormalization, Exactness::Reassociating},
    {"Mul", rmsNormalization, Exactness::Reassociating},
    {"Add", layerNormalizationBias, Exactness::Reassociating}};

} // namespace

std::span<const RuleRow> normRules() { return kComposeNormsRules; }

} // namespace ge::builtin
