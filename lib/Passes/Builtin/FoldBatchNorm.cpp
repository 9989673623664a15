//===- FoldBatchNorm.cpp - fold-batch-norm: scales and shifts into weights --------------------===//
//
// Folds operators that scale and shift each channel after a convolution, a Gemm or a batch
// normalization into the constants of that node. New constants are computed as doubles and rounded
// once to the type of the weights.
//
// Not the matcher: a pair is found by one test of the producer's type, and the rest is new weights
// computed under a budget.
//
#include "Affine.h"
#include "Builtin.h"

#include <algorithm>

namespace ge::builtin {

namespace {

/// Bytes by which new weights may enlarge the file, if other nodes keep the old weights or these
/// were a splat.
constexpr uint64_t kMostGrowth = 1 << 20;

/// A constant of floats of static shape.
TensorPtr weights(PassEditor &r, const Value *value) {
  TensorPtr tensor = value ? r.constant(value) : TensorPtr();
  return tensor && isReal(tensor->type()->dtype()) ? tensor : TensorPtr();
}

/// Multiplies what belongs to channel (i / inner) % channels, for an axis of channels; `groups`
/// blocks of the first axis have channels of their own (ConvTranspose).
TensorPtr scaled(const Tensor &tensor, size_t axis, size_t groups,
                 const std::vector<double> &scale) {
  const Type *type = tensor.type();
  bool isUniform =
      std::ranges::adjacent_find(scale, std::not_equal_to<>()) == scale.end() && !scale.empty();
  if (tensor.isSplat() && isUniform)
    return normalSplat(type, productOf(elementAt(tensor, 0), scale[0]));
  std::span<const Dim> shape = type->shape();
  size_t inner = 1, channels = size_t(shape[axis].size);
  for (size_t i = axis + 1; i != shape.size(); ++i)
    inner *= size_t(shape[i].size);
  size_t block = size_t(tensor.numElements()) / groups;
  std::vector<double> values = realElements(tensor);
  for (size_t i = 0; i != values.size(); ++i)
    values[i] =
        productOf(values[i], scale[i / inner % channels + (groups > 1 ? i / block * channels : 0)]);
  return normalTensor(type, values);
}

/// An operator whose result is weights times operand plus bias, and the parts of it.
struct Linear {
  Node *node = nullptr;
  TensorPtr weight, bias; ///< bias null: none
  size_t axis = 0;        ///< of the weight: output channels
  size_t groups = 1;      ///< blocks of the weight with channels of their own
  int64_t channels = 0;
  double biasFactor = 1;
};

std::optional<Linear> convolution(PassEditor &r, Node *node, bool isTransposed) {
  Linear linear{node, weights(r, operandOf(node, 1)), {}};
  if (!linear.weight || linear.weight->type()->shape().size() < 3)
    return std::nullopt;
  std::span<const Dim> shape = linear.weight->type()->shape();
  linear.channels = shape[0].size;
  if (isTransposed) {
    int64_t groups = intAttr(node, "group", 1);
    if (groups < 1 || shape[0].size % groups != 0)
      return std::nullopt;
    linear.axis = 1;
    linear.groups = size_t(groups);
    linear.channels = shape[1].size * groups;
  }
  return linear;
}

std::optional<Linear> gemm(PassEditor &r, Node *node) {
  Linear linear{node, weights(r, operandOf(node, 1)), {}};
  if (r.opset() < 7 || !linear.weight || linear.weight->type()->shape().size() != 2)
    return std::nullopt;
  linear.axis = intAttr(node, "transB", 0) != 0 ? 0 : 1;
  linear.channels = linear.weight->type()->shape()[linear.axis].size;
  linear.biasFactor = floatAttr(node, "beta", 1);
  if (const Value *bias = operandOf(node, 2)) {
    // A bias per row would belong to another dimension.
    int64_t rank = rankOf(bias);
    if (rank < 0 || rank > 2 || (rank == 2 && shapeOf(bias)[0].size != 1))
      return std::nullopt;
  }
  return linear;
}

std::optional<Linear> linearOf(PassEditor &r, const Value *value, const Node *user) {
  Node *node = value->node();
  if (!node->isListed() || !isFree(node) || node->numResults() != 1 ||
      PassEditor::onlyUser(value) != user)
    return std::nullopt;
  std::optional<Linear> linear;
  if (isOnnx(node, "Conv") || isOnnx(node, "ConvTranspose"))
    linear = convolution(r, node, isOnnx(node, "ConvTranspose"));
  else if (isOnnx(node, "Gemm"))
    linear = gemm(r, node);
  if (!linear || linear->channels < 1)
    return std::nullopt;
  if (const Value *bias = operandOf(node, 2)) {
    linear->bias = weights(r, bias);
    if (!linear->bias)
      return std::nullopt;
  }
  return linear;
}

/// The operand of a node that may be the linear one.
Value *candidate(const Node *node, uint32_t i) {
  Value *value = operandOf(node, i);
  const Node *producer = value ? value->node() : nullptr;
  bool isLinear = producer && (isOnnx(producer, "Conv") || isOnnx(producer, "ConvTranspose") ||
                               isOnnx(producer, "Gemm"));
  return isLinear ? value : nullptr;
}

bool isOne(double number) { return number == 1; }
bool isZero(double number) { return number == 0; }

/// Scale and shift after Conv, ConvTranspose or Gemm.
bool intoLinear(PassEditor &r, Node *node) {
  // In training mode, the statistics come from the operand.
  for (uint32_t i = 1; i < node->numResults(); ++i)
    if (node->result(i)->hasUses())
      return false;
  Value *value = candidate(node, 0) ? candidate(node, 0) : candidate(node, 1);
  std::optional<Linear> linear = value ? linearOf(r, value, node) : std::nullopt;
  std::optional<Affine> affine = linear ? affineOf(r, node, linear->channels) : std::nullopt;
  if (!affine || affine->x != value)
    return false;
  Node *before = linear->node;
  bool isGemm = isOnnx(before, "Gemm");
  std::vector<Value *> operands;
  for (uint32_t i = 0; i != std::min(before->numOperands(), 2u); ++i)
    operands.push_back(before->operand(i));

  std::optional<std::vector<double>> old = std::vector<double>(size_t(linear->channels), 0.0);
  if (linear->bias)
    old = perChannel(r, before->operand(2), linear->channels);
  if (!old)
    return false;
  const Tensor &weight = *linear->weight;
  bool isScaled = !std::ranges::all_of(affine->scale, isOne);
  bool staysOne =
      weight.isSplat() &&
      std::ranges::adjacent_find(affine->scale, std::not_equal_to<>()) == affine->scale.end();
  bool isFreed = PassEditor::onlyUser(operands[1]) == before && !weight.isSplat();
  uint64_t growth = isScaled && !staysOne ? weight.denseSize() : 0;
  uint64_t bytes = growth + uint64_t(linear->channels) * weight.elementSize();
  if (!isFreed && growth > kMostGrowth)
    return false;
  std::optional<Grant> grant =
      r.afford(node, {operands[1], operandOf(before, 2)}, weight.type()->dtype(), bytes);
  if (!grant)
    return false;
  std::vector<double> bias;
  for (size_t i = 0; i != size_t(linear->channels); ++i)
    bias.push_back(productOf(productOf((*old)[i], linear->biasFactor), affine->scale[i]) +
                   affine->shift[i]);
  TensorPtr newWeight =
      isScaled ? scaled(weight, linear->axis, linear->groups, affine->scale) : linear->weight;
  TensorPtr newBias =
      normalTensor(tensorType(r.context(), weight.type()->dtype(), Ints{linear->channels}), bias);
  if (!newWeight || !newBias) {
    r.refund(*grant, bytes);
    return false;
  }
  if (isScaled) {
    operands[1] = r.createConstant(node, newWeight, *grant);
    r.nameDerived(operands[1], before->operand(1));
  }
  // Gemm may leave its bias out since opset 11.
  if (!std::ranges::all_of(bias, isZero) || (isGemm && r.opset() < 11)) {
    operands.push_back(r.createConstant(node, newBias, *grant));
    if (linear->bias)
      r.nameDerived(operands.back(), before->operand(2));
  }
  Node *made =
      isGemm ? r.createLike(before, operands, {{"beta", 1.0f}}) : r.createLike(before, operands);
  PassEditor::addOrigins(made, before);
  // New operands may be constants that follow the old one in the list.
  Mutation::insert(made, node->graph(), node);
  return r.replace(node, made->result(0));
}

/// Scale and shift after a batch normalization that stays.
bool intoNormalization(PassEditor &r, Node *node) {
  for (uint32_t i = 0; i != std::min(node->numOperands(), 2u); ++i) {
    Node *before = PassEditor::producer(node->operand(i), "BatchNormalization");
    if (!before || PassEditor::onlyUser(before->result(0)) != node ||
        isOnnx(node, "BatchNormalization") || before->numOperands() != 5 ||
        intAttr(before, "training_mode", 0) != 0 || intAttr(before, "spatial", 1) != 1 ||
        (r.opset() < 7 && intAttr(before, "is_test", 0) == 0))
      continue;
    TensorPtr gamma = weights(r, before->operand(1)), beta = weights(r, before->operand(2));
    if (!gamma || !beta || gamma->type()->shape().size() != 1)
      continue;
    int64_t channels = gamma->numElements();
    std::optional<Affine> affine = affineOf(r, node, channels);
    std::optional<std::vector<double>> scale = perChannel(r, before->operand(1), channels),
                                       shift = perChannel(r, before->operand(2), channels);
    if (!affine || affine->x != node->operand(i) || !scale || !shift)
      continue;
    for (size_t k = 0; k != size_t(channels); ++k) {
      (*scale)[k] = productOf((*scale)[k], affine->scale[k]);
      (*shift)[k] = productOf((*shift)[k], affine->scale[k]) + affine->shift[k];
    }
    TensorPtr newGamma = normalTensor(gamma->type(), *scale),
              newBeta = normalTensor(beta->type(), *shift);
    std::optional<Grant> grant;
    if (newGamma && newBeta)
      grant = r.afford(node, {before->operand(1), before->operand(2)}, gamma->type()->dtype(),
                       gamma->denseSize() + beta->denseSize());
    if (!grant)
      return false;
    std::vector<Value *> operands{before->operand(0), r.createConstant(node, newGamma, *grant),
                                  r.createConstant(node, newBeta, *grant), before->operand(3),
                                  before->operand(4)};
    r.nameDerived(operands[1], before->operand(1));
    r.nameDerived(operands[2], before->operand(2));
    Node *made = r.createLike(before, operands);
    PassEditor::addOrigins(made, before);
    Mutation::insert(made, node->graph(), node);
    return r.replace(node, made->result(0));
  }
  return false;
}

constexpr RuleRow kFoldBatchNormRules[] = {
    {"BatchNormalization", intoLinear, Exactness::Reassociating},
    {"Mul", intoLinear, Exactness::Reassociating},
    {"Add", intoLinear, Exactness::Reassociating},
    {"Sub", intoLinear, Exactness::Reassociating},
    {"Div", intoLinear, Exactness::Reassociating},
    {"Mul", intoNormalization, Exactness::Reassociating},
    {"Add", intoNormalization, Exactness::Reassociating},
    {"Sub", intoNormalization, Exactness::Reassociating},
    {"Div", intoNormalization, Exactness::Reassociating},
};

} // namespace

void registerFoldBatchNorm(PassRegistry &registry) {
  registry.add(chargedRulePass(
      "fold-batch-norm",
      "Folds BatchNormalization, and constants that are multiplied or added by channel, into the "
      "weights of the preceding Conv, ConvTranspose or Gemm, or of BatchNormalization. Not: "
      "training mode, intermediate results with other uses, weights that are not constants or "
      "would grow by more than 1 MiB, new weights that would be infinite or subnormal.",
      kFoldBatchNormRules));
}

} // namespace ge::builtin
