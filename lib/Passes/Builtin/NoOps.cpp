//===- NoOps.cpp - eliminate-identity: nodes that give back their operand ---------------------===//
//
// Not the matcher: a pattern would be one node; whether a node returns its operand is computed from
// types and constants.
//
#include "Builtin.h"
#include "Weights.h"

#include "ge/IR/FloatFormat.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ge::builtin {

namespace {

bool allAre(const std::optional<Ints> &list, int64_t number) {
  return list && std::ranges::all_of(*list, [&](int64_t item) { return item == number; });
}
/// The operand is absent, or all its elements are that number.
bool isTrivial(const Node *node, std::string_view attribute, int64_t number) {
  return !node->attribute(attribute) || allAre(intsAttr(node, attribute), number);
}

bool toOperand(PassEditor &r, Node *node) {
  Value *operand = operandOf(node, 0);
  return operand && r.replaceOrIdentity(node, operand);
}

bool dropout(PassEditor &r, Node *node) {
  bool inference = true;
  if (r.opset() < 7)
    inference = intAttr(node, "is_test", 0) != 0;
  else if (Value *training = operandOf(node, 2))
    inference = r.scalar(training) == 0.0;
  return inference && toOperand(r, node);
}

bool cast(PassEditor &r, Node *node) {
  DType to = dtypeAttr(node, "to");
  return to != DType::Undefined && to == dtypeOf(operandOf(node, 0)) && toOperand(r, node);
}

bool castLike(PassEditor &r, Node *node) {
  DType to = dtypeOf(operandOf(node, 1));
  return to != DType::Undefined && to == dtypeOf(operandOf(node, 0)) && toOperand(r, node);
}

/// Operators that only change the shape, if they do not change it.
bool keepsShape(PassEditor &r, Node *node) {
  return sameShape(node->result(0), operandOf(node, 0)) && toOperand(r, node);
}

/// Operators that only add, or only remove, dimensions of size 1.
bool keepsRank(PassEditor &r, Node *node) {
  int64_t rank = rankOf(operandOf(node, 0));
  return rank >= 0 && rank == rankOf(node->result(0)) && toOperand(r, node);
}

bool flatten(PassEditor &r, Node *node) {
  bool isMatrix = rankOf(operandOf(node, 0)) == 2 && intAttr(node, "axis", 1) == 1;
  return isMatrix ? toOperand(r, node) : keepsShape(r, node);
}

bool transpose(PassEditor &r, Node *node) {
  std::optional<Ints> perm = intsAttr(node, "perm");
  if (!perm) {
    int64_t rank = rankOf(operandOf(node, 0));
    return !node->attribute("perm") && rank >= 0 && rank <= 1 && toOperand(r, node);
  }
  Ints same(perm->size());
  std::iota(same.begin(), same.end(), 0);
  return *perm == same && toOperand(r, node);
}

bool slice(PassEditor &r, Node *node) {
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
    // Some exporters write INT32_MAX for "to the end".
    bool toEnd = (*ends)[i] >= INT32_MAX || (size >= 0 && (*ends)[i] >= size);
    if (!fromStart || !toEnd)
      return false;
  }
  return toOperand(r, node);
}

bool pad(PassEditor &r, Node *node) {
  std::optional<Ints> pads;
  std::string_view name = r.opset() < 2 ? "paddings" : "pads";
  return r.listOf(node, name, 1, pads) && allAre(pads, 0) && toOperand(r, node);
}

bool single(PassEditor &r, Node *node) { return node->numOperands() == 1 && toOperand(r, node); }

bool splitToOperand(PassEditor &r, Node *node) {
  return node->numResults() == 1 && toOperand(r, node);
}

bool tile(PassEditor &r, Node *node) {
  if (r.opset() < 6) // the name belonged to another operator
    return false;
  std::optional<Ints> repeats;
  return r.listOf(node, "", 1, repeats) && allAre(repeats, 1) && toOperand(r, node);
}

/// A pooling window of one element changes some values: -0.0 (average), NaN and -inf (maximum).
bool pool(PassEditor &r, Node *node) {
  std::string_view automatic = stringAttr(node, "auto_pad", "NOTSET");
  return allAre(intsAttr(node, "kernel_shape"), 1) && isTrivial(node, "strides", 1) &&
         isTrivial(node, "pads", 0) && (automatic == "NOTSET" || automatic == "VALID") &&
         toOperand(r, node);
}

bool poolOfIntegers(PassEditor &r, Node *node) {
  return isInteger(dtypeOf(node->result(0))) && pool(r, node);
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

/// For zero, its sign counts, unless `anySign`.
bool neutral(PassEditor &r, Node *node, uint32_t index, double number, bool anySign = false) {
  // Before opset 7, broadcasting was controlled by an attribute.
  if (r.opset() < 7 || node->numOperands() != 2)
    return false;
  Value *constant = node->operand(index), *x = node->operand(1 - index);
  if (!constant || !x || !covers(x, constant))
    return false;
  std::optional<double> found = r.uniform(constant);
  return found == number && (anySign || std::signbit(*found) == std::signbit(number)) &&
         r.replaceOrIdentity(node, x);
}

/// -0.0 + 0.0 is 0.0, but x + -0.0 is x. Integers have one zero.
bool addZero(PassEditor &r, Node *node) {
  double zero = hasFloatFormat(dtypeOf(node->result(0))) ? -0.0 : 0.0;
  return neutral(r, node, 1, zero) || neutral(r, node, 0, zero);
}
bool addAnyZero(PassEditor &r, Node *node) {
  return neutral(r, node, 1, 0, true) || neutral(r, node, 0, 0, true);
}
bool multiplyOne(PassEditor &r, Node *node) {
  return neutral(r, node, 1, 1) || neutral(r, node, 0, 1);
}
bool subtractZero(PassEditor &r, Node *node) { return neutral(r, node, 1, 0); }
bool subtractAnyZero(PassEditor &r, Node *node) { return neutral(r, node, 1, 0, true); }
bool divideOne(PassEditor &r, Node *node) { return neutral(r, node, 1, 1); }

/// A condition that is the same for all elements: the selected branch, if it has the result's
/// shape.
bool where(PassEditor &r, Node *node) {
  Value *condition = operandOf(node, 0);
  std::optional<double> taken = condition ? r.uniform(condition) : std::nullopt;
  if (!taken || node->numOperands() != 3)
    return false;
  Value *branch = node->operand(*taken != 0 ? 1 : 2);
  return branch && sameShape(branch, node->result(0)) && r.replaceOrIdentity(node, branch);
}

/// onnxruntime returns 0.0 if the second operand is -0.0.
bool whereExactly(PassEditor &r, Node *node) {
  Value *condition = operandOf(node, 0);
  bool isFloat = hasFloatFormat(dtypeOf(node->result(0)));
  return condition && (!isFloat || r.uniform(condition) == 0.0) && where(r, node);
}

constexpr std::string_view kWindow = "pooling of floats by windows of one element";
constexpr std::string_view kTaken = "Where of floats that takes its second operand";
constexpr std::string_view kSign = "x + 0.0 and x - -0.0, which are 0.0 where x is -0.0";
constexpr std::string_view kWeights = "constants that become weights of MatMul and the like";
constexpr RuleRow kLoose[] = {
    {"MaxPool", pool, Exactness::Reassociating, kWindow},
    {"AveragePool", pool, Exactness::Reassociating, kWindow},
    {"Where", where, Exactness::Reassociating, kTaken},
    {"Add", addAnyZero, Exactness::Reassociating, kSign},
    {"Sub", subtractAnyZero, Exactness::Reassociating, kSign},
};

/// Without the node, a constant operand would become weights.
bool mayMakeWeights(PassEditor &r, const Node *node) {
  if (makesWeights(node))
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (node->operand(i) && r.isConstant(node->operand(i)))
        return true;
  return false;
}
template <Rule kRule> bool exactly(PassEditor &r, Node *node) {
  return !mayMakeWeights(r, node) && kRule(r, node);
}
/// Only the other case, so that no rule is tried twice.
template <Rule kRule> bool toWeights(PassEditor &r, Node *node) {
  return mayMakeWeights(r, node) && kRule(r, node);
}
struct NoOpRow {
  std::string_view op;
  Rule exact, toWeights;
};
template <Rule kRule> constexpr NoOpRow row(std::string_view op) {
  return {op, exactly<kRule>, toWeights<kRule>};
}

constexpr NoOpRow kNoOpRows[] = {
    row<toOperand>("Identity"),  row<dropout>("Dropout"),
    row<cast>("Cast"),           row<castLike>("CastLike"),
    row<keepsShape>("Reshape"),  row<keepsShape>("Expand"),
    row<flatten>("Flatten"),     row<keepsRank>("Squeeze"),
    row<keepsRank>("Unsqueeze"), row<transpose>("Transpose"),
    row<slice>("Slice"),         row<pad>("Pad"),
    row<single>("Concat"),       row<single>("Sum"),
    row<single>("Max"),          row<single>("Min"),
    row<single>("Mean"),         row<splitToOperand>("Split"),
    row<tile>("Tile"),           row<poolOfIntegers>("MaxPool"),
    row<addZero>("Add"),         row<addZero>("Or"),
    row<multiplyOne>("Mul"),     row<multiplyOne>("And"),
    row<subtractZero>("Sub"),    row<divideOne>("Div"),
    row<divideOne>("Pow"),       row<whereExactly>("Where"),
};

std::span<const RuleRow> noOpRules() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &kAll = *new std::vector<RuleRow>([] {
    std::vector<RuleRow> rules;
    for (const NoOpRow &each : kNoOpRows)
      rules.push_back({each.op, each.exact});
    for (const NoOpRow &each : kNoOpRows)
      rules.push_back({each.op, each.toWeights, Exactness::Reassociating, kWeights});
    rules.insert(rules.end(), std::begin(kLoose), std::end(kLoose));
    return rules;
  }());
  return kAll;
}

} // namespace

void registerNoOps(PassRegistry &registry) {
  registry.add(rulePass(
      "eliminate-identity",
      "Removes nodes that return their operand: Identity, Dropout, casts to the same type, "
      "reshapes, slices, pads and the like without effect, x + 0, x * 1, x ** 1. Not: unknown "
      "shapes, and nodes whose removal would make an input or constant an output.",
      noOpRules()));
}

} // namespace ge::builtin
