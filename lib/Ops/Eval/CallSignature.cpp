//===- CallSignature.cpp - what calls of an operator have in common -----------------------------===//
#include "ge/Ops/Eval/CallSignature.h"

#include <algorithm>

namespace ge {

static const Type *typeOf(const Tensor *operand) { return operand ? operand->type() : nullptr; }

HeldAttributes::HeldAttributes(std::span<const NamedAttribute> attributes) {
  attributes_.reserve(attributes.size());
  for (const NamedAttribute &one : attributes)
    attributes_.emplace_back(one.name, one.value);
}

bool HeldAttributes::operator==(std::span<const NamedAttribute> attributes) const {
  return std::ranges::equal(attributes_, attributes, [](const auto &a, const auto &b) {
    return a.first == b.name && a.second.get() == b.value;
  });
}

uint64_t HeldAttributes::hash(uint64_t seed, std::span<const NamedAttribute> attributes) {
  for (const NamedAttribute &one : attributes)
    seed = hashCombine(seed, one.value.bits());
  return seed;
}

CallSignature::CallSignature(const EvalCall &call)
    : op_(call.op), opset_(call.opset), results_(call.resultTypes.begin(), call.resultTypes.end()),
      attributes_(call.attributes),
      operandSegments_(call.operandSegments.begin(), call.operandSegments.end()),
      resultSegments_(call.resultSegments.begin(), call.resultSegments.end()) {
  operands_.reserve(call.operands.size());
  for (const Tensor *operand : call.operands)
    operands_.push_back(typeOf(operand));
}

bool CallSignature::operator==(const EvalCall &call) const {
  return op_ == call.op && opset_ == call.opset &&
         std::ranges::equal(operands_, call.operands, {}, {}, typeOf) &&
         std::ranges::equal(results_, call.resultTypes) && attributes_ == call.attributes &&
         std::ranges::equal(operandSegments_, call.operandSegments) &&
         std::ranges::equal(resultSegments_, call.resultSegments);
}

uint64_t CallSignature::hash(const EvalCall &call) {
  uint64_t hash = hashCombine(call.op->hash(), call.opset);
  for (const Tensor *operand : call.operands)
    hash = hashCombine(hash, reinterpret_cast<uintptr_t>(typeOf(operand)));
  for (int32_t length : call.operandSegments)
    hash = hashCombine(hash, uint64_t(length));
  return HeldAttributes::hash(hash, call.attributes);
}

} // namespace ge
