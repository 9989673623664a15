//===- Chains.cpp - merge-chains: two of a kind become one ------------------------------------===//
//
// Each rule starts at the second node of a chain and inspects the first, which is kept if it has
// other uses.
//
// Not the matcher: a pair is found by one test of the producer's type, and the rest of each rule is
// arithmetic on the attributes of both nodes.
//
#include "Chains.h"

#include "Builtin.h"
#include "ShapeOperand.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ge::builtin {

namespace {

//===-----------------------------------------------------------------------------------------===//
// Transpose
//===-----------------------------------------------------------------------------------------===//

std::optional<Ints> permutation(const Node *node) {
  if (node->attribute("perm"))
    return intsAttr(node, "perm");
  int64_t rank = rankOf(operandOf(node, 0));
  if (rank < 0)
    return std::nullopt;
  Ints reversed(static_cast<size_t>(rank));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

bool isPermutation(Ints perm) {
  std::ranges::sort(perm);
  for (size_t i = 0; i != perm.size(); ++i)
    if (perm[i] != int64_t(i))
      return false;
  return true;
}

bool transposes(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), "Transpose");
  Value *x = first ? operandOf(first, 0) : nullptr;
  if (!x)
    return false;
  std::optional<Ints> inner = permutation(first), outer = permutation(node);
  if (!inner || !outer || inner->size() != outer->size() || !isPermutation(*inner) ||
      !isPermutation(*outer))
    return false;
  Ints merged;
  for (int64_t axis : *outer)
    merged.push_back((*inner)[size_t(axis)]);
  if (std::ranges::is_sorted(merged))
    return r.replaceOrIdentity(node, x);
  Node *made = r.create(node, "Transpose", {x}, {{"perm", merged}}, node->result(0)->type());
  return r.replace(node, made->result(0));
}

/// Gemm exchanges the dimensions of a matrix itself.
bool transposeIntoGemm(PassEditor &r, Node *node) {
  for (uint32_t i : {0u, 1u}) {
    Node *first = PassEditor::producer(operandOf(node, i), "Transpose");
    Value *x = first ? operandOf(first, 0) : nullptr;
    std::optional<Ints> perm = x ? permutation(first) : std::nullopt;
    if (!perm || *perm != Ints{1, 0})
      continue;
    std::vector<Value *> operands;
    for (uint32_t k = 0; k != node->numOperands(); ++k)
      operands.push_back(k == i ? x : node->operand(k));
    std::string_view flag = i == 0 ? "transA" : "transB";
    int64_t flipped = intAttr(node, flag, 0) == 0;
    return r.replace(node, r.createLike(node, operands, {{flag, flipped}}));
  }
  return false;
}

//===-----------------------------------------------------------------------------------------===//
// Reshape, Flatten, Squeeze, Unsqueeze: the elements stay in order
//===-----------------------------------------------------------------------------------------===//

constexpr std::string_view kReshaping[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};

Node *reshapingBefore(const Node *node) {
  for (std::string_view type : kReshaping)
    if (Node *first = PassEditor::producer(operandOf(node, 0), type))
      return first;
  return nullptr;
}

/// The sizes that either Reshape needs not to be 0.
Symbols nonZeroOf(PassEditor &r, std::initializer_list<const Node *> nodes) {
  Symbols symbols;
  for (const Node *node : nodes) {
    TensorPtr shape =
        isOnnx(node, "Reshape") && operandOf(node, 1) ? r.constant(node->operand(1)) : TensorPtr();
    if (std::optional<Contents> sizes = shape ? Contents::of(*shape) : std::nullopt)
      addNonZero(node, *sizes, symbols);
  }
  return symbols;
}

bool reshapes(PassEditor &r, Node *node) {
  Node *first = reshapingBefore(node);
  Value *x = first ? operandOf(first, 0) : nullptr;
  if (!x)
    return false;
  if (sameShape(x, node->result(0)))
    return r.replaceOrIdentity(node, x);
  // A Reshape with a complete shape does not depend on the operand's shape.
  if (isOnnx(node, "Reshape") && intAttr(node, "allowzero", 0) == 0 && operandOf(node, 1)) {
    std::optional<Ints> shape = r.ints(node->operand(1));
    if (shape && std::ranges::find(*shape, 0) == shape->end())
      return r.replace(node, r.createLike(node, std::array{x, node->operand(1)}));
  }
  // The first node is kept for its other users, so nothing would be gained.
  if (PassEditor::onlyUser(first->result(0)) != node || r.opset() < 5)
    return false;
  std::optional<Ints> shape = shapeOperand(x, node->result(0)->type(), nonZeroOf(r, {first, node}));
  if (!shape)
    return false;
  Node *made =
      r.create(node, "Reshape", {x, r.createInts(node, *shape)}, {}, node->result(0)->type());
  return r.replace(node, made->result(0));
}

bool reshapesExactly(PassEditor &r, Node *node) {
  for (const Node *each :
       {static_cast<const Node *>(node), static_cast<const Node *>(reshapingBefore(node))})
    if (each && isOnnx(each, "Reshape") && isAmbiguousWhereEmpty(r, each))
      return false;
  return reshapes(r, node);
}

constexpr std::string_view kEmpty =
    "Reshape to two sizes that may be 0, each of which then copies one of the operand";

//===-----------------------------------------------------------------------------------------===//
// Cast
//===-----------------------------------------------------------------------------------------===//

/// Number of bits of integers that a type represents exactly; 0 for types that are not compared.
struct Precision {
  unsigned bits;
  unsigned exponent; ///< of floats
  bool isSigned;
};

Precision precisionOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return {53, 11, true};
  case DType::F32:
    return {24, 8, true};
  case DType::F16:
    return {11, 5, true};
  case DType::BF16:
    return {8, 8, true};
  case DType::Bool:
    return {1, 0, false};
  default:
    if (!isInteger(dtype) || info(dtype).bits < 8)
      return {0, 0, false};
    bool isSigned = dtype <= DType::I64;
    return {info(dtype).bits - unsigned(isSigned), 0, isSigned};
  }
}

/// Returns whether each value of `from` is a value of `to`.
bool isLossless(DType from, DType to) {
  if (from == to)
    return true;
  Precision a = precisionOf(from), b = precisionOf(to);
  if (to == DType::Bool || a.bits == 0 || b.bits < a.bits || b.exponent < a.exponent)
    return false;
  // f16 cannot represent 2^16 and more.
  if (to == DType::F16 && a.exponent == 0 && a.bits > 11)
    return false;
  return b.isSigned || !a.isSigned;
}

bool casts(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), "Cast");
  Value *x = first ? operandOf(first, 0) : nullptr;
  DType to = dtypeAttr(node, "to");
  if (!x || to == DType::Undefined || !isLossless(dtypeOf(x), dtypeAttr(first, "to")))
    return false;
  if (dtypeOf(x) == to)
    return r.replaceOrIdentity(node, x);
  return r.replace(node, r.createLike(node, std::array{x}));
}

//===-----------------------------------------------------------------------------------------===//
// Pad, Slice, Concat
//===-----------------------------------------------------------------------------------------===//

bool isAbsent(const Node *node, uint32_t index) { return !operandOf(node, index); }

bool padsWith(PassEditor &r, const Node *node, double &value) {
  value = floatAttr(node, "value", 0);
  if (!isAbsent(node, 2)) {
    std::optional<double> given = r.scalar(node->operand(2));
    value = given.value_or(0);
    if (!given)
      return false;
  }
  return stringAttr(node, "mode", "constant") == "constant" && isAbsent(node, 3);
}

bool pads(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), "Pad");
  double inner, outer;
  std::optional<Ints> a, b;
  if (!first || !operandOf(first, 0) || r.opset() < 2 || !padsWith(r, first, inner) ||
      !padsWith(r, node, outer) || inner != outer || std::signbit(inner) != std::signbit(outer) ||
      !r.listOf(first, "pads", 1, a) || !r.listOf(node, "pads", 1, b) || !a || !b ||
      a->size() != b->size())
    return false;
  // Removing padded elements again is not a Pad.
  auto negative = [](int64_t n) { return n < 0; };
  if (std::ranges::any_of(*a, negative) || std::ranges::any_of(*b, negative))
    return false;
  Ints sum;
  for (size_t i = 0; i != a->size(); ++i)
    sum.push_back((*a)[i] + (*b)[i]);
  std::vector<Value *> operands{first->operand(0)};
  if (isAbsent(node, 1))
    return r.replace(node, r.createLike(node, operands, {{"pads", sum}}));
  operands.push_back(r.createInts(node, sum));
  if (!isAbsent(node, 2))
    operands.push_back(node->operand(2));
  return r.replace(node, r.createLike(node, operands));
}

/// Starts, ends, axes and steps, where all are known.
struct SliceWindow {
  Ints starts, ends, axes, steps;
};

std::optional<SliceWindow> windowOf(PassEditor &r, const Node *node) {
  std::optional<Ints> starts, ends, axes, steps;
  if (!r.listOf(node, "starts", 1, starts) || !r.listOf(node, "ends", 2, ends) ||
      !r.listOf(node, "axes", 3, axes) || !r.listOf(node, "steps", 4, steps) || !starts || !ends ||
      starts->size() != ends->size())
    return std::nullopt;
  SliceWindow window{*starts, *ends, axes.value_or(Ints(starts->size())),
                     steps.value_or(Ints(starts->size(), 1))};
  if (!axes)
    std::iota(window.axes.begin(), window.axes.end(), 0);
  if (window.axes.size() != starts->size() || window.steps.size() != starts->size())
    return std::nullopt;
  int64_t rank = rankOf(operandOf(node, 0));
  for (int64_t &axis : window.axes) {
    if (axis < 0 && rank >= 0)
      axis += rank;
    if (axis < 0)
      return std::nullopt;
  }
  return window;
}

bool slices(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), "Slice");
  if (!first || !operandOf(first, 0))
    return false;
  std::optional<SliceWindow> a = windowOf(r, first), b = windowOf(r, node);
  if (!a || !b)
    return false;
  SliceWindow merged = *a;
  for (size_t i = 0; i != b->axes.size(); ++i) {
    auto same = std::ranges::find(merged.axes, b->axes[i]);
    if (same == merged.axes.end()) {
      merged.axes.push_back(b->axes[i]);
      merged.starts.push_back(b->starts[i]);
      merged.ends.push_back(b->ends[i]);
      merged.steps.push_back(b->steps[i]);
      continue;
    }
    // Along the same axis only non-negative positions with step 1 are merged.
    auto at = size_t(same - merged.axes.begin());
    int64_t &start = merged.starts[at], &end = merged.ends[at];
    if (start < 0 || end < 0 || b->starts[i] < 0 || b->ends[i] < 0 || merged.steps[at] != 1 ||
        b->steps[i] != 1 || start > INT32_MAX || b->starts[i] > INT32_MAX)
      return false;
    if (b->ends[i] < INT32_MAX)
      end = std::min(end, start + b->ends[i]);
    start += b->starts[i];
  }
  Value *x = first->operand(0);
  if (isAbsent(node, 1)) {
    Node *made =
        r.createLike(node, std::array{x},
                     {{"starts", merged.starts}, {"ends", merged.ends}, {"axes", merged.axes}});
    return r.replace(node, made);
  }
  std::vector<Value *> operands{x, r.createInts(node, merged.starts),
                                r.createInts(node, merged.ends), r.createInts(node, merged.axes)};
  if (std::ranges::any_of(merged.steps, [](int64_t step) { return step != 1; }))
    operands.push_back(r.createInts(node, merged.steps));
  return r.replace(node, r.createLike(node, operands));
}

/// Returns the Concat that produces `value`, if `user` can take its operands instead. If it had
/// other uses, its elements would be copied twice.
Node *innerConcat(const Value *value, const Node *user) {
  Node *first = PassEditor::producer(value, "Concat");
  return first && user && isOnnx(user, "Concat") && isFree(user) && user->attribute("axis") &&
                 attrEquals(first->attribute("axis"), user->attribute("axis")) &&
                 PassEditor::onlyUser(value) == user
             ? first
             : nullptr;
}

/// All nested ones are merged at once: merging one by one would copy the operands each time.
bool concats(PassEditor &r, Node *node) {
  if (!node->attribute("axis") ||
      innerConcat(node->result(0), PassEditor::onlyUser(node->result(0))))
    return false; // the outermost one merges it
  struct Item {
    Value *value;
    const Node *user;
  };
  std::vector<Item> work;
  auto push = [&](const Node *user) {
    for (uint32_t i = user->numOperands(); i-- > 0;)
      work.push_back({user->operand(i), user});
  };
  push(node);
  std::vector<Value *> operands;
  bool found = false;
  while (!work.empty()) {
    auto [value, user] = work.back();
    work.pop_back();
    if (const Node *inner = innerConcat(value, user)) {
      push(inner);
      found = true;
    } else {
      operands.push_back(value);
    }
  }
  return found && r.replace(node, r.createLike(node, operands));
}

//===-----------------------------------------------------------------------------------------===//
// Repeated operators
//===-----------------------------------------------------------------------------------------===//

/// An idempotent operator: once is enough.
bool idempotent(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), node->op()->type());
  return first && r.replaceOrIdentity(node, first->result(0));
}

/// An involution: twice has no effect.
bool involution(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), node->op()->type());
  return first && operandOf(first, 0) && r.replaceOrIdentity(node, first->operand(0));
}

constexpr RuleRow kChainsRules[] = {
    {"Transpose", transposes},
    {"Gemm", transposeIntoGemm, Exactness::Reassociating, "Transpose into Gemm"},
    {"Reshape", reshapesExactly},
    {"Flatten", reshapesExactly},
    {"Squeeze", reshapesExactly},
    {"Unsqueeze", reshapesExactly},
    {"Reshape", reshapes, Exactness::Reassociating, kEmpty},
    {"Flatten", reshapes, Exactness::Reassociating, kEmpty},
    {"Squeeze", reshapes, Exactness::Reassociating, kEmpty},
    {"Unsqueeze", reshapes, Exactness::Reassociating, kEmpty},
    {"Cast", casts},
    {"Pad", pads},
    {"Slice", slices},
    {"Concat", concats},
    {"Relu", idempotent},
    {"Abs", idempotent},
    {"Ceil", idempotent},
    {"Floor", idempotent},
    {"Round", idempotent},
    {"Sign", idempotent},
    {"Not", involution},
    {"Neg", involution},
};

std::span<const RuleRow> chainRules() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &kAll = *new std::vector<RuleRow>([] {
    std::vector<RuleRow> rules(std::begin(kChainsRules), std::end(kChainsRules));
    for (std::span<const RuleRow> some : {reductionChainRules(), arithmeticChainRules()})
      rules.insert(rules.end(), some.begin(), some.end());
    return rules;
  }());
  return kAll;
}

} // namespace

void registerChains(PassRegistry &registry) {
  registry.add(chargedRulePass(
      "merge-chains",
      "Merges two nodes into one: Transpose, Reshape (also Flatten, Squeeze, Unsqueeze), Cast if "
      "the first loses nothing, Pad, Slice, Concat along one axis, Relu and other idempotent "
      "operators, products with constants, reductions; folds Transpose into Gemm, Unsqueeze into a "
      "reduction, Not into Where; removes Softmax before ArgMax. Not: lists of numbers that are "
      "not constants, products and ArgMax of narrow types.",
      chainRules()));
}

} // namespace ge::builtin
