//===- ChainsArithmetic.cpp - merge-chains: products with constants, choices of the opposite --===//
//
// Not the matcher: whether two constants merge without overflow is computed, as is their product.
//
#include "Affine.h"
#include "Chains.h"

#include "ge/IR/FloatFormat.h"

#include <array>

namespace ge::builtin {

namespace {

/// Multiplies two constants of floats, one of which has one element or the shape of the other. Null
/// for other shapes, and if an element would be infinite or subnormal.
TensorPtr product(const Tensor &a, const Tensor &b) {
  const Tensor &large = a.numElements() > b.numElements() ? a : b, &other = &large == &a ? b : a;
  std::span<const Dim> shape = large.type()->shape(), otherShape = other.type()->shape();
  bool isOne = other.numElements() == 1 && otherShape.size() <= shape.size();
  if (large.numElements() < 1 || (!isOne && !sameShape(shape, otherShape)))
    return {};
  std::vector<double> values = realElements(large), factors = realElements(other);
  for (size_t i = 0; i != values.size(); ++i)
    values[i] = productOf(values[i], factors[isOne ? 0 : i]);
  return normalTensor(large.type(), values);
}

/// x * a * b. Not for narrow types, which overflow in between; nor for sums, which exporters use to
/// round numbers on purpose.
bool products(PassEditor &r, Node *node) {
  constexpr int64_t kMost = 4096; // elements up to which a shared constant is copied
  DType dtype = dtypeOf(node->result(0));
  if (r.opset() < 7 || node->numOperands() != 2 || (dtype != DType::F32 && dtype != DType::F64))
    return false;
  for (uint32_t i : {0u, 1u}) {
    Node *first = PassEditor::producer(node->operand(1 - i), "Mul");
    TensorPtr b = first && node->operand(i) ? r.constant(node->operand(i)) : TensorPtr();
    if (!b || first->numOperands() != 2 || PassEditor::onlyUser(first->result(0)) != node)
      continue;
    for (uint32_t k : {0u, 1u}) {
      Value *x = first->operand(1 - k);
      TensorPtr a = first->operand(k) ? r.constant(first->operand(k)) : TensorPtr();
      if (!a || !x || a->numElements() > kMost || b->numElements() > kMost)
        continue;
      if (TensorPtr both = product(*a, *b)) {
        std::optional<Grant> grant =
            r.afford(node, {first->operand(k), node->operand(i)}, dtype, both->bytes().size());
        if (!grant)
          return false;
        Value *constant = r.createConstant(node, both, *grant);
        Node *made = r.create(node, "Mul", {x, constant}, {}, node->result(0)->type());
        return r.replace(node, made->result(0));
      }
    }
  }
  return false;
}

/// Where(Not(c), x, y) is Where(c, y, x).
bool opposite(PassEditor &r, Node *node) {
  Node *negation = PassEditor::producer(operandOf(node, 0), "Not");
  if (!negation || !operandOf(negation, 0) || !operandOf(node, 1) || !operandOf(node, 2))
    return false;
  std::array operands{negation->operand(0), node->operand(2), node->operand(1)};
  return r.replace(node, r.createLike(node, operands)->result(0));
}
/// onnxruntime returns 0.0 if the second operand is -0.0.
bool oppositeExactly(PassEditor &r, Node *node) {
  return !hasFloatFormat(dtypeOf(node->result(0))) && opposite(r, node);
}

constexpr RuleRow kChainsArithmeticRules[] = {
    {"Mul", products, Exactness::Reassociating, "products with two constants"},
    {"Where", oppositeExactly},
    {"Where", opposite, Exactness::Reassociating, "Not into Where of floats"},
};

} // namespace

std::span<const RuleRow> arithmeticChainRules() { return kChainsArithmeticRules; }

} // namespace ge::builtin
