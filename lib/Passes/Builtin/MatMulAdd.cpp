//===- MatMulAdd.cpp - fuse-matmul-add: into Gemm ---------------------------------------------===//
//
// Not the matcher: the pattern is two nodes, found by one test of the producer's type; a rule over
// the matcher took 8.7 us for each match in place of 6.4, and the conditions on ranks, types and
// sizes stay code.
//
#include "Builtin.h"
#include "PassEditor.h"

#include <algorithm>

namespace ge::builtin {

namespace {

/// Gemm broadcasts its third operand to the result, never the result to it.
bool broadcastsTo(const Value *bias, const Value *result) {
  int64_t rank = rankOf(bias);
  if (rank < 0 || rank > 2 || rankOf(result) != 2)
    return false;
  std::span<const Dim> big = shapeOf(result).last(size_t(rank)), small = shapeOf(bias);
  for (size_t i = 0; i != small.size(); ++i)
    if (small[i].size != 1 && !sameDim(big[i], small[i]))
      return false;
  return true;
}

bool isGemmType(DType dtype, uint32_t opset) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::F16 ||
         (dtype == DType::BF16 && opset >= 13);
}

bool fuse(PassEditor &r, Node *node) {
  if (r.opset() < 7 || node->numOperands() != 2)
    return false;
  for (uint32_t i : {0u, 1u}) {
    Node *product = PassEditor::producer(node->operand(i), "MatMul");
    Value *bias = node->operand(1 - i);
    if (!product || !bias || PassEditor::onlyUser(product->result(0)) != node ||
        rankOf(operandOf(product, 0)) != 2 || rankOf(operandOf(product, 1)) != 2 ||
        !isGemmType(dtypeOf(product->operand(0)), r.opset()) ||
        !broadcastsTo(bias, product->result(0)))
      continue;
    Node *made = r.create(node, "Gemm", {product->operand(0), product->operand(1), bias}, {},
                          node->result(0)->type());
    return r.replace(node, made->result(0));
  }
  return false;
}

constexpr RuleRow kMatMulAddRules[] = {{"Add", fuse, Exactness::Reassociating}};

} // namespace

void registerMatMulAdd(PassRegistry &registry) {
  registry.add(rulePass("fuse-matmul-add",
                        "Replaces MatMul of two matrices and the following Add by Gemm. Not: other "
                        "ranks, a bias that broadcasts to more dimensions, a product with other "
                        "uses, element types that are not floats.",
                        kMatMulAddRules));
}

} // namespace ge::builtin
