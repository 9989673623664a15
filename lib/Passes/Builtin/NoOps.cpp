//===- NoOps.cpp - eliminate-identity: nodes that give back their operand ---------------------===//
#include "Builtin.h"
#include "Rewriter.h"

#include <algorithm>
#include <numeric>

namespace ge::builtin {

namespace {

bool allAre(const std::optional<Ints> &list, int64_t number) {
  return list && std::ranges::all_of(*list, [&](int64_t item) { return item == number; });
}
/// Not given, or all of it that number.
bool isTrivial(const Node *node, std::string_view attribute, int64_t number) {
  return !node->attribute(attribute) || allAre(intsAttr(node, attribute), number);
}

bool toOperand(Rewriter &r, Node *node) {
  Value *operand = operandOf(node, 0);
  return operand && r.replaceOrIdentity(node, operand);
}

bool dropout(Rewriter &r, Node *node) {
  bool inference = true;
  if (r.opset() < 7)
    inference = intAttr(node, "is_test", 0) != 0;
  else if (Value *training = operandOf(node, 2))
    inference = r.scalar(training) == 0.0;
  return inference && toOperand(r, node);
}

bool cast(Rewriter &r, Node *node) {
  DType to = dtypeAttr(node, "to");
  return to != DType::Undefined && to == dtypeOf(operandOf(node, 0)) && toOperand(r, node);
}

bool castLike(Rewriter &r, Node *node) {
  DType to = dtypeOf(operandOf(node, 1));
  return to != DType::Undefined && to == dtypeOf(operandOf(node, 0)) && toOperand(r, node);
}

/// What changes the shape alone, where it does not.
bool keepsShape(Rewriter &r, Node *node) {
  return sameShape(node->result(0), operandOf(node, 0)) && toOperand(r, node);
}

/// What only adds, or only removes, dimensions of 1.
bool keepsRank(Rewriter &r, Node *node) {
  int64_t rank = rankOf(operandOf(node, 0));
  return rank >= 0 && rank == rankOf(node->result(0)) && toOperand(r, node);
}

bool flatten(Rewriter &r, Node *node) {
  bool isMatrix = rankOf(operandOf(node, 0)) == 2 && intAttr(node, "axis", 1) == 1;
  return isMatrix ? toOperand(r, node) : keepsShape(r, node);
}

bool transpose(Rewriter &r, Node *node) {
  std::optional<Ints> perm = intsAttr(node, "perm");
  if (!perm) {
    int64_t rank = rankOf(operandOf(node, 0));
    return !node->attribute("perm") && rank >= 0 && rank <= 1 && toOperand(r, node);
  }
  Ints same(perm->size());
  std::iota(same.begin(), same.end(), 0);
  return *perm == same && toOperand(r, node);
}

bool slice(Rewriter &r, Node *node) {
  std::optional<Ints> starts, ends, axes, steps;
  if (!r.listOf(node, "starts", 1, starts) || !r.listOf(node, "ends", 2, ends) ||
      !r.listOf(node, "axes", 3, axes) || !r.listOf(node, "steps", 4, steps) || !starts || !ends ||
      starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
      (steps && !allAre(steps, 1)))
    return false;
  Value *x = operandOf(node, 0);
  for (size_t i = 0; i != starts->size(); ++i) {
    int64_t axis = axes ? (*axes)[i] : int64_t(i);
    int64_t size = -1;
    if (int64_t rank = rankOf(x); rank >= 0 && axis >= -rank && axis < rank)
      size = shapeOf(x)[size_t(axis < 0 ? axis + rank : axis)].size;
    bool fromStart = (*starts)[i] == 0 || (size >= 0 && (*starts)[i] <= -size);
    // INT32_MAX is how some exporters write "to the end".
    bool toEnd = (*ends)[i] >= INT32_MAX || (size >= 0 && (*ends)[i] >= size);
    if (!fromStart || !toEnd)
      return false;
  }
  return toOperand(r, node);
}

bool pad(Rewriter &r, Node *node) {
  std::optional<Ints> pads;
  std::string_view name = r.opset() < 2 ? "paddings" : "pads";
  return r.listOf(node, name, 1, pads) && allAre(pads, 0) && toOperand(r, node);
}

bool single(Rewriter &r, Node *node) { return node->numOperands() == 1 && toOperand(r, node); }

bool split(Rewriter &r, Node *node) { return node->numResults() == 1 && toOperand(r, node); }

bool tile(Rewriter &r, Node *node) {
  if (r.opset() < 6) // another operator under that name
    return false;
  std::optional<Ints> repeats;
  return r.listOf(node, "", 1, repeats) && allAre(repeats, 1) && toOperand(r, node);
}

/// A window of one element.
bool pool(Rewriter &r, Node *node) {
  std::string_view automatic = stringAttr(node, "auto_pad", "NOTSET");
  return allAre(intsAttr(node, "kernel_shape"), 1) && isTrivial(node, "strides", 1) &&
         isTrivial(node, "pads", 0) && (automatic == "NOTSET" || automatic == "VALID") &&
         toOperand(r, node);
}

//===-----------------------------------------------------------------------------------------===//
// Neutral elements
//===-----------------------------------------------------------------------------------------===//

/// `x` broadcast with `other` has the shape of `x`.
bool covers(const Value *x, const Value *other) {
  int64_t rank = rankOf(other);
  if (rank == 0)
    return true;
  if (rank < 0 || rankOf(x) < rank)
    return false;
  std::span<const Dim> big = shapeOf(x).last(size_t(rank)), small = shapeOf(other);
  for (size_t i = 0; i != small.size(); ++i)
    if (small[i].size != 1 && !sameDim(big[i], small[i]))
      return false;
  return true;
}

bool neutral(Rewriter &r, Node *node, uint32_t index, double number) {
  // Before this, broadcasting was an attribute with rules of its own.
  if (r.opset() < 7 || node->numOperands() != 2)
    return false;
  Value *constant = node->operand(index), *x = node->operand(1 - index);
  return constant && x && covers(x, constant) && r.uniform(constant) == number &&
         r.replaceOrIdentity(node, x);
}

bool addZero(Rewriter &r, Node *node) { return neutral(r, node, 1, 0) || neutral(r, node, 0, 0); }
bool multiplyOne(Rewriter &r, Node *node) {
  return neutral(r, node, 1, 1) || neutral(r, node, 0, 1);
}
bool subtractZero(Rewriter &r, Node *node) { return neutral(r, node, 1, 0); }
bool divideOne(Rewriter &r, Node *node) { return neutral(r, node, 1, 1); }

/// Of a condition that is the same everywhere, the branch that is taken, where it has the shape.
bool where(Rewriter &r, Node *node) {
  Value *condition = operandOf(node, 0);
  std::optional<double> taken = condition ? r.uniform(condition) : std::nullopt;
  if (!taken || node->numOperands() != 3)
    return false;
  Value *branch = node->operand(*taken != 0 ? 1 : 2);
  return branch && sameShape(branch, node->result(0)) && r.replaceOrIdentity(node, branch);
}

constexpr RuleRow kRules[] = {
    {"Identity", toOperand},  {"Dropout", dropout},    {"Cast", cast},
    {"CastLike", castLike},   {"Reshape", keepsShape}, {"Expand", keepsShape},
    {"Flatten", flatten},     {"Squeeze", keepsRank},  {"Unsqueeze", keepsRank},
    {"Transpose", transpose}, {"Slice", slice},        {"Pad", pad},
    {"Concat", single},       {"Sum", single},         {"Max", single},
    {"Min", single},          {"Mean", single},        {"Split", split},
    {"Tile", tile},           {"MaxPool", pool},       {"AveragePool", pool},
    {"Add", addZero},         {"Or", addZero},         {"Mul", multiplyOne},
    {"And", multiplyOne},     {"Sub", subtractZero},   {"Div", divideOne},
    {"Pow", divideOne},       {"Where", where},
};

} // namespace

void registerNoOps(PassRegistry &registry) {
  registry.add(rulePass(
      "eliminate-identity",
      "Takes out nodes that give back their operand: Identity, Dropout, casts to the same type, "
      "reshapes, slices, pads and the like that change nothing, x + 0, x * 1, x ** 1. Not: where "
      "a shape is not known, and where an input or constant would be an output.",
      kRules));
}

} // namespace ge::builtin
