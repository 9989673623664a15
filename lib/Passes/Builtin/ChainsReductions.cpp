//===- ChainsReductions.cpp - merge-chains: nodes before and after a reduction ---------------===//
//
// Not the matcher: axes of any rank are mapped through the nodes in between.
//
#include "Chains.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ge::builtin {

namespace {

constexpr std::string_view kReductions[] = {
    "ReduceL1",   "ReduceL2",  "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd",   "ReduceSum",       "ReduceSumSquare",
};

/// Counted from the front, in order; nullopt when the list is not known.
std::optional<Ints> sortedAxes(std::optional<Ints> axes, int64_t rank) {
  if (!axes || rank < 0)
    return std::nullopt;
  for (int64_t &axis : *axes)
    axis += axis < 0 ? rank : 0;
  std::ranges::sort(*axes);
  axes->erase(std::ranges::unique(*axes).begin(), axes->end());
  return axes;
}

/// Over which axes: all of them when the node does not say.
std::optional<Ints> reducedAxes(PassEditor &r, const Node *node) {
  int64_t rank = rankOf(operandOf(node, 0));
  if (rank < 0)
    return std::nullopt;
  if (isOnnx(node, "ArgMax") || isOnnx(node, "ArgMin"))
    return sortedAxes(Ints{intAttr(node, "axis", 0)}, rank);
  std::optional<Ints> axes;
  if (!r.listOf(node, "axes", 1, axes))
    return std::nullopt;
  if (axes && !axes->empty())
    return sortedAxes(axes, rank);
  if (intAttr(node, "noop_with_empty_axes", 0) != 0)
    return std::nullopt;
  Ints all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// An Unsqueeze that restores the dimensions which a reduction removed: the reduction keeps them
/// instead.
bool dimensionsBack(PassEditor &r, Node *node) {
  Value *reduced = operandOf(node, 0);
  if (!reduced || PassEditor::onlyUser(reduced) != node)
    return false;
  std::string_view type = reduced->node()->op()->type();
  bool isReduction = type == "ArgMax" || type == "ArgMin" ||
                     std::ranges::find(kReductions, type) != std::end(kReductions);
  Node *first = isReduction ? PassEditor::producer(reduced, type) : nullptr;
  std::optional<Ints> added;
  if (!first || intAttr(first, "keepdims", 1) != 0 || !r.listOf(node, "axes", 1, added))
    return false;
  std::optional<Ints> removed = reducedAxes(r, first);
  // Equal counts: the axes of both are of one rank.
  if (!removed || !added || added->size() != removed->size() ||
      sortedAxes(added, rankOf(operandOf(first, 0))) != removed)
    return false;
  std::vector<Value *> operands;
  for (uint32_t i = 0; i != first->numOperands(); ++i)
    operands.push_back(first->operand(i));
  Node *made = r.createLike(first, operands, {{"keepdims", int64_t(1)}});
  Mutation::setType(made->result(0), node->result(0)->type());
  return r.replace(node, made->result(0));
}

/// Over some axes and then over others, is over all of them.
bool twice(PassEditor &r, Node *node, bool isExact) {
  std::string_view type = node->op()->type();
  Node *first = PassEditor::producer(operandOf(node, 0), type);
  Value *x = first ? operandOf(first, 0) : nullptr;
  if (!x || PassEditor::onlyUser(first->result(0)) != node || intAttr(first, "keepdims", 1) != 1 ||
      intAttr(node, "keepdims", 1) != 1)
    return false;
  DType dtype = dtypeOf(x);
  // Means of integers round at each step. Sums of floats round, and the maximum of NaN and a number
  // depends on their order. Sums of integers that overflow wrap in some of onnxruntime's loops and
  // saturate in others.
  if (isInteger(dtype) ? type == "ReduceMean" || !isExact : isExact)
    return false;
  if (type == "ReduceMean" && dtype != DType::F32 && dtype != DType::F64)
    return false;
  std::optional<Ints> axes = reducedAxes(r, first), others = reducedAxes(r, node);
  if (!axes || !others)
    return false;
  axes->insert(axes->end(), others->begin(), others->end());
  axes = sortedAxes(axes, rankOf(x));
  bool isOperand = type == "ReduceSum" ? r.opset() >= 13 : r.opset() >= 18;
  const Type *kept = node->result(0)->type();
  Node *made = isOperand ? r.create(node, type, {x, r.createInts(node, *axes)}, {}, kept)
                         : r.create(node, type, {x}, {{"axes", *axes}}, kept);
  return r.replace(node, made->result(0));
}

bool twiceExactly(PassEditor &r, Node *node) { return twice(r, node, true); }
bool twiceRounded(PassEditor &r, Node *node) { return twice(r, node, false); }

/// ArgMax of Softmax: the position of the maximum is unchanged. Not in half precision, where
/// Softmax may make different elements equal; nor after Exp and Log, which produce infinities and
/// NaN.
bool orderKept(PassEditor &r, Node *node) {
  Node *first = PassEditor::producer(operandOf(node, 0), "Softmax");
  if (!first)
    first = PassEditor::producer(operandOf(node, 0), "LogSoftmax");
  Value *x = first ? operandOf(first, 0) : nullptr;
  DType dtype = dtypeOf(x);
  int64_t rank = rankOf(x);
  if (rank < 1 || (dtype != DType::F32 && dtype != DType::F64))
    return false;
  bool isOneAxis = r.opset() >= 13; // before, Softmax is over all axes from that one on
  int64_t over = intAttr(first, "axis", isOneAxis ? -1 : 1), axis = intAttr(node, "axis", 0);
  over += over < 0 ? rank : 0;
  axis += axis < 0 ? rank : 0;
  if (isOneAxis ? axis != over : axis < over)
    return false;
  return r.replace(node, r.createLike(node, std::array{x})->result(0));
}

constexpr std::string_view kSums = "sums, and reductions of floats, over more axes";
constexpr RuleRow kChainsReductionsRules[] = {
    {"Unsqueeze", dimensionsBack},
    {"ReduceMax", twiceExactly},
    {"ReduceMin", twiceExactly},
    {"ReduceSum", twiceExactly, Exactness::Reassociating, kSums},
    {"ReduceMax", twiceRounded, Exactness::Reassociating, kSums},
    {"ReduceMin", twiceRounded, Exactness::Reassociating, kSums},
    {"ReduceSum", twiceRounded, Exactness::Reassociating, kSums},
    {"ReduceMean", twiceRounded, Exactness::Reassociating, kSums},
    // Softmax may make different elements equal, and then the first one counts.
    {"ArgMax", orderKept, Exactness::Approximate, "ArgMax without its Softmax"},
};

} // namespace

std::span<const RuleRow> reductionChainRules() { return kChainsReductionsRules; }

} // namespace ge::builtin
