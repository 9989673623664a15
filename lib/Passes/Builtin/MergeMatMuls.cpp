//===- MergeMatMuls.cpp - merge-matmuls: products of one operand ------------------------------===//
//
// Query, key and value of attention are three products of one operand with constant weights. One
// product with the concatenated weights, and a Split, take fewer nodes and read the operand once.
//
// Not the matcher: any number of products of one value become one.
//
#include "Weights.h"

#include "ge/Ops/Eval/TensorEvaluation.h"

#include <algorithm>

namespace ge::builtin {

namespace {

/// With fewer products, the rewrite would not reduce the number of nodes.
constexpr size_t kLeast = 3;
/// Minimum number of rows of the weights: with fewer, the copies of Split cost more than the
/// products.
constexpr int64_t kLeastDepth = 32;

/// Returns the constant matrix that only the product uses; null otherwise.
TensorPtr ownMatrix(PassEditor &r, const Node *product) {
  const Value *weight = operandOf(product, 1);
  TensorPtr tensor =
      weight && PassEditor::onlyUser(weight) == product ? r.constant(weight) : TensorPtr();
  bool isMatrix = tensor && !tensor->isSplat() && tensor->type()->shape().size() == 2 &&
                  tensor->type()->shape()[0].size >= kLeastDepth && !tensor->isString();
  return isMatrix ? tensor : TensorPtr();
}

/// Returns the bias after a product. onnxruntime itself fuses three products with biases into
/// attention.
bool hasBias(PassEditor &r, const Node *product) {
  const Node *sum = PassEditor::onlyUser(product->result(0));
  return sum && isOnnx(sum, "Add") && sum->numOperands() == 2 &&
         std::ranges::any_of(std::initializer_list<uint32_t>{0, 1}, [&](uint32_t i) {
           return sum->operand(i) && r.isConstant(sum->operand(i));
         });
}

struct Member {
  Node *product;
  TensorPtr weight;
};

/// Returns whether the result is used by a Split only, for example one that this rule created.
bool isSplit(const Node *product) {
  const Node *user = PassEditor::onlyUser(product->result(0));
  return user && isOnnx(user, "Split");
}

/// Returns the products of `x` that can be merged with `first`; empty if an earlier product exists,
/// which has tried already. A merged product is the first of all uses of `x`: if it blocked later
/// products, each sweep over the graph would merge only kMost of them.
std::vector<Member> membersOf(PassEditor &r, const Value *x, const Node *first) {
  std::vector<Member> members;
  constexpr int kMost = 256; // number of uses that each product inspects
  const Use *use = x->firstUse();
  for (int i = 0; use && i != kMost; ++i, use = use->next()) {
    Node *product = use->owner();
    if (use->index() != 0 || product->graph() != first->graph() || !product->isListed() ||
        !isOnnx(product, "MatMul") || !isFree(product) || hasBias(r, product))
      continue;
    TensorPtr weight = ownMatrix(r, product);
    if (!weight || weight->type()->dtype() != dtypeOf(x) || !isRanked(product->result(0)))
      continue;
    if (product->isBefore(first)) {
      if (isSplit(product))
        continue;
      return {};
    }
    members.push_back({product, std::move(weight)});
  }
  // Sorted in graph order; uses are in the order of edits.
  std::ranges::sort(
      members, [](const Member &a, const Member &b) { return a.product->isBefore(b.product); });
  return members;
}

bool merge(PassEditor &r, Node *node) {
  Value *x = operandOf(node, 0);
  if (r.opset() < 13 || !isRanked(x) || rankOf(x) < 2 || r.isWritten(x) || !ownMatrix(r, node) ||
      hasBias(r, node))
    return false;
  std::vector<Member> members = membersOf(r, x, node);
  if (members.size() < kLeast)
    return false;
  int64_t depth = members.front().weight->type()->shape()[0].size, total = 0;
  Ints sizes;
  std::vector<TensorPtr> weights;
  uint64_t bytes = 0;
  for (const Member &each : members) {
    if (each.weight->type()->shape()[0].size != depth)
      return false;
    sizes.push_back(each.weight->type()->shape()[1].size);
    total += sizes.back();
    bytes += each.weight->denseSize();
    weights.push_back(each.weight);
  }
  std::optional<Grant> grant = r.afford(node, {operandOf(node, 1)}, dtypeOf(x), bytes);
  if (!grant)
    return false;
  const Type *type = tensorType(r.context(), dtypeOf(x), Ints{depth, total});
  Value *weight = r.createConstant(node, concatenate(type, 1, weights), *grant);
  Node *product = r.create(node, "MatMul", {x, weight});
  Value *operands[] = {product->result(0), r.createInts(node, sizes)};
  std::vector<const Type *> types;
  for (const Member &each : members)
    types.push_back(each.product->result(0)->type());
  NamedAttribute axis{r.context().identifier("axis"), Attribute::inlineInt(-1)};
  NodeSpec spec;
  spec.op = r.context().operatorName("onnx.Split");
  spec.operands = operands;
  spec.resultTypes = types;
  spec.attributes = {&axis, 1};
  spec.location = node->location();
  Node *split = Mutation::create(node->graph(), node, spec);
  for (uint32_t i = 0; i != members.size(); ++i)
    r.replace(members[i].product, split->result(i));
  return true;
}

constexpr RuleRow kMergeMatMulsRules[] = {{"MatMul", merge, Exactness::Reassociating}};

} // namespace

void registerMergeMatMuls(PassRegistry &registry) {
  registry.add(chargedRulePass(
      "merge-matmuls",
      "Replaces three or more MatMuls of one operand with constant weights by one MatMul and a "
      "Split. Not: a following bias, which onnxruntime recognises as attention; weights with other "
      "uses or fewer than 32 rows.",
      kMergeMatMulsRules));
}

} // namespace ge::builtin
