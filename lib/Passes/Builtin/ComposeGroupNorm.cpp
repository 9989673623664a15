//===- ComposeGroupNorm.cpp - GroupNormalization that was taken apart -------------------------===//
//
// As PyTorch writes it: groups become the channels of an InstanceNormalization, and each channel's
// scale and bias are a Mul and an Add after it.
//
// Not the matcher: axes, reshapes and constants must agree with one another and with ranks, which
// is most of the rule.
//
#include "Affine.h"
#include "Compose.h"

#include <algorithm>

namespace ge::builtin {

namespace {

// Before opset 21, scale and bias had one number for each group, and that operator is deprecated.
constexpr uint32_t kSince = 21;

Value *channelConstant(PassEditor &r, Node *before, DType dtype, const std::vector<double> &values,
                       const Grant &grant) {
  int64_t size[] = {int64_t(values.size())};
  return r.createConstant(before, realTensor(tensorType(r.context(), dtype, size), values), grant);
}

/// The shape that a Reshape gets is that of `x`.
bool restoresShape(const Node *reshape, const Value *x) {
  const Node *shape = PassEditor::producer(operandOf(reshape, 1), "Shape");
  bool isWhole = shape && !shape->attribute("end") && intAttr(shape, "start", 0) == 0;
  return (isWhole && operandOf(shape, 0) == x) || sameShape(x, reshape->result(0));
}

/// Returns the first dimension of the result and of the operand of a Reshape: a group is a run of
/// channels.
bool keepsBatch(PassEditor &r, const Node *reshape) {
  std::optional<Ints> sizes = operandOf(reshape, 1) ? r.ints(operandOf(reshape, 1)) : std::nullopt;
  bool isCopied =
      sizes && !sizes->empty() && sizes->front() == 0 && intAttr(reshape, "allowzero", 0) == 0;
  return isCopied || sameDim(shapeOf(operandOf(reshape, 0))[0], shapeOf(reshape->result(0))[0]);
}

/// The batch is not empty: onnxruntime's GroupNormalization does not take an empty one, nor does a
/// Reshape with a -1.
bool hasBatch(PassEditor &r, const Node *reshape) {
  const Dim &batch = shapeOf(operandOf(reshape, 0))[0];
  std::optional<Ints> sizes = operandOf(reshape, 1) ? r.ints(operandOf(reshape, 1)) : std::nullopt;
  return batch.size > 0 || (sizes && std::ranges::find(*sizes, -1) != sizes->end());
}

/// Reshape(InstanceNormalization(Reshape(x, (0, groups, -1)), scale, bias), Shape(x))
bool groupNormalization(PassEditor &r, Node *node) {
  Node *norm = r.opset() >= kSince
                   ? PassEditor::producer(operandOf(node, 0), "InstanceNormalization")
                   : nullptr;
  Node *split = norm ? PassEditor::producer(operandOf(norm, 0), "Reshape") : nullptr;
  Value *x = split ? operandOf(split, 0) : nullptr;
  if (!x || PassEditor::onlyUser(norm->result(0)) != node || rankOf(x) < 3 ||
      rankOf(split->result(0)) < 3 || !restoresShape(node, x))
    return false;
  const Dim &channels = shapeOf(x)[1], &groups = shapeOf(split->result(0))[1];
  if (!keepsBatch(r, split) || !hasBatch(r, split) || groups.size < 1 || channels.size < 1 ||
      channels.size % groups.size != 0 || !isNormalizable(dtypeOf(x)))
    return false;
  std::vector<double> parameters[2];
  for (uint32_t i : {0u, 1u}) {
    const Value *given = operandOf(norm, i + 1);
    auto numbers = given ? perChannel(r, given, groups.size) : std::nullopt;
    if (!numbers)
      return false;
    for (double number : *numbers)
      parameters[i].insert(parameters[i].end(), size_t(channels.size / groups.size), number);
  }
  std::optional<Grant> grant = r.afford(node, {operandOf(norm, 1), operandOf(norm, 2)}, dtypeOf(x),
                                        2 * parameters[0].size() * (info(dtypeOf(x)).bits / 8));
  if (!grant)
    return false;
  Value *scale = channelConstant(r, node, dtypeOf(x), parameters[0], *grant);
  Value *bias = channelConstant(r, node, dtypeOf(x), parameters[1], *grant);
  auto epsilon = float(floatAttr(norm, "epsilon", 1e-5));
  Node *made =
      r.create(node, "GroupNormalization", {x, scale, bias},
               {{"epsilon", epsilon}, {"num_groups", groups.size}}, node->result(0)->type());
  return r.replace(node, made->result(0));
}

/// Per-channel constants applied after a GroupNormalization without other uses.
bool groupNormalizationAffine(PassEditor &r, Node *node) {
  Node *norm = nullptr;
  for (uint32_t i = 0; r.opset() >= kSince && !norm && i != node->numOperands(); ++i)
    norm = PassEditor::producer(node->operand(i), "GroupNormalization");
  Value *x = norm ? operandOf(norm, 0) : nullptr;
  if (!x || PassEditor::onlyUser(norm->result(0)) != node || rankOf(x) < 2 ||
      shapeOf(x)[1].size < 1 || intAttr(norm, "stash_type", 1) != 1)
    return false;
  int64_t channels = shapeOf(x)[1].size;
  auto behind = affineOf(r, node, channels);
  const Value *parameters[] = {operandOf(norm, 1), operandOf(norm, 2)};
  if (!behind || behind->x != norm->result(0) || !parameters[0] || !parameters[1])
    return false;
  auto scale = perChannel(r, parameters[0], channels),
       bias = perChannel(r, parameters[1], channels);
  if (!scale || !bias)
    return false;
  for (size_t i = 0; i != size_t(channels); ++i) {
    (*scale)[i] = productOf((*scale)[i], behind->scale[i]);
    (*bias)[i] = productOf((*bias)[i], behind->scale[i]) + behind->shift[i];
  }
  const Type *type = tensorType(r.context(), dtypeOf(parameters[0]), Ints{channels});
  TensorPtr newScale = normalTensor(type, *scale), newBias = normalTensor(type, *bias);
  std::optional<Grant> grant;
  if (newScale && newBias)
    grant =
        r.afford(node, {parameters[0], parameters[1]}, type->dtype(), 2 * newScale->denseSize());
  if (!grant)
    return false;
  Value *operands[] = {x, r.createConstant(node, newScale, *grant),
                       r.createConstant(node, newBias, *grant)};
  return r.replace(node, r.createLike(norm, operands)->result(0));
}

constexpr RuleRow kComposeGroupNormRules[] = {
    {"Reshape", groupNormalization, Exactness::Reassociating},
    {"Mul", groupNormalizationAffine, Exactness::Reassociating},
    {"Div", groupNormalizationAffine, Exactness::Reassociating},
    {"Add", groupNormalizationAffine, Exactness::Reassociating},
    {"Sub", groupNormalizationAffine, Exactness::Reassociating}};

} // namespace

std::span<const RuleRow> groupNormRules() { return kComposeGroupNormRules; }

} // namespace ge::builtin
