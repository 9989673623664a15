//===- UnflattenGemm.cpp - unflatten-gemm: a product of more than two dimensions --------------===//
//
// Not the matcher: the pattern is three nodes in a row, found by two tests of a producer's type;
// the conditions on shapes are nearly the whole rule.
//
#include "Builtin.h"
#include "PassEditor.h"

#include <algorithm>

namespace ge::builtin {

namespace {

/// `to` is `from` with another last dimension.
bool sameButLast(std::span<const Dim> from, std::span<const Dim> to) {
  return from.size() == to.size() &&
         sameShape(from.first(from.size() - 1), to.first(to.size() - 1));
}

/// Reshape to a matrix, Gemm, Reshape back.
bool unflatten(PassEditor &r, Node *node) {
  Node *gemm = PassEditor::producer(operandOf(node, 0), "Gemm");
  if (!gemm || PassEditor::onlyUser(gemm->result(0)) != node || r.opset() < 7 ||
      floatAttr(gemm, "alpha", 1) != 1 || intAttr(gemm, "transA", 0) != 0 || !operandOf(gemm, 1))
    return false;
  Node *flat = PassEditor::producer(gemm->operand(0), "Reshape");
  Value *x = flat ? operandOf(flat, 0) : nullptr, *weight = gemm->operand(1);
  Value *bias = operandOf(gemm, 2), *result = node->result(0);
  if (!x || rankOf(x) < 3 || !isRanked(result) || rankOf(flat->result(0)) != 2 ||
      rankOf(gemm->result(0)) != 2 || !sameButLast(shapeOf(x), shapeOf(result)) ||
      !sameDim(shapeOf(x).back(), shapeOf(flat->result(0)).back()) ||
      !sameDim(shapeOf(result).back(), shapeOf(gemm->result(0)).back()))
    return false;
  // A bias of each row of the matrix has no such shape any more.
  if (bias && (rankOf(bias) < 0 || rankOf(bias) > 1 || floatAttr(gemm, "beta", 1) != 1))
    return false;
  if (intAttr(gemm, "transB", 0) != 0) {
    if (!r.isConstant(weight)) // else it is folded
      return false;
    Ints perm{1, 0};
    weight = r.create(node, "Transpose", {weight}, {{"perm", perm}})->result(0);
  }
  Node *made = r.create(node, "MatMul", {x, weight}, {}, result->type());
  if (bias)
    made = r.create(node, "Add", {made->result(0), bias}, {}, result->type());
  return r.replace(node, made->result(0));
}

constexpr RuleRow kUnflattenGemmRules[] = {{"Reshape", unflatten, Exactness::Reassociating}};

} // namespace

void registerUnflattenGemm(PassRegistry &registry) {
  registry.add(rulePass("unflatten-gemm",
                        "Replaces Gemm between a Reshape to a matrix and the inverse Reshape by "
                        "MatMul and Add. Not: leading dimensions that may differ; alpha, beta, or "
                        "a bias for each row.",
                        kUnflattenGemmRules));
}

} // namespace ge::builtin
