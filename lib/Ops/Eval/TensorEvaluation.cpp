//===- TensorEvaluation.cpp - which function evaluates a call, and what all of them use --------===//
#include "ge/Ops/Eval/TensorEvaluation.h"

#include "ge/IR/Context.h"
#include "ge/IR/FloatFormat.h"
#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/Contents.h"

#include <algorithm>
#include <cstring>

namespace ge {

namespace {

bool isConcatOf(const ConstantCall &call, std::span<const TensorPtr> operands) {
  const Tensor *first = operands[0].get();
  return call.isOnnx("Concat") && first && isUniform(*first) &&
         std::ranges::all_of(operands, [&](const TensorPtr &part) {
           return part && isUniform(*part) && part->type()->dtype() == first->type()->dtype() &&
                  elementOf(*part) == elementOf(*first);
         });
}

} // namespace

bool ConstantCall::isOpaque() const {
  return node_ ? ge::isOpaque(node_)
               : std::ranges::any_of(attributes_, [](const NamedAttribute &one) {
                   return ge::isOpaque(one.value);
                 });
}

bool ConstantCall::isOnnx(std::string_view type) const {
  return op_->type() == type && op_->domain() == "onnx" && op_->overload().empty() && !isOpaque();
}

Attribute ConstantCall::attribute(std::string_view name) const {
  if (node_)
    return node_->attribute(name);
  for (const NamedAttribute &one : attributes_)
    if (one.name->str() == name)
      return one.value;
  return {};
}

int64_t ConstantCall::intAttr(std::string_view name, int64_t otherwise) const {
  Attribute found = attribute(name);
  return found.kind() == AttrKind::Int ? found.intValue() : otherwise;
}

std::optional<Ints> ConstantCall::intsAttr(std::string_view name) const {
  Attribute found = attribute(name);
  if (found.kind() != AttrKind::Array || !isInteger(found.width()))
    return std::nullopt;
  return Ints(found.ints().begin(), found.ints().end());
}

const Type *ConstantCall::resultType(uint32_t index) const {
  if (node_)
    return index < node_->numResults() ? node_->result(index)->type() : nullptr;
  return index < resultTypes_.size() ? resultTypes_[index] : nullptr;
}

EvaluateFunction nativeEvaluation(const ConstantCall &call) {
  EvaluateFunction found = evaluateLayout(call);
  return found ? found : evaluateArithmetic(call);
}

bool isUniform(const Tensor &tensor) {
  return !tensor.isString() && (tensor.isSplat() || tensor.numElements() == 1);
}

std::vector<char> elementOf(const Tensor &uniform) {
  std::vector<char> one(uniform.elementSize());
  uniform.copyElements(0, 1, one.data());
  return one;
}

TensorPtr filled(const Type *type, const Tensor &uniform) {
  std::vector<char> one = elementOf(uniform);
  if (type->numElements() == 0)
    one.clear();
  return TensorPtr::adopt(type->numElements() > 1 ? Tensor::splat(type, one.data(), one.size())
                                                  : Tensor::copy(type, one.data(), one.size()));
}

bool keepsUniform(const ConstantCall &call, std::span<const TensorPtr> operands) {
  if (operands.empty() || call.op()->domain() != "onnx")
    return false;
  if (call.isOnnx("Concat"))
    return isConcatOf(call, operands);
  if (evaluateLayout(call)) // the others say where to
    return operands[0] && isUniform(*operands[0]);
  return evaluateArithmetic(call) && !call.isOnnx("CumSum") &&
         std::ranges::all_of(operands,
                             [](const TensorPtr &each) { return each && isUniform(*each); });
}

std::optional<Ints> staticShape(const Type *type) {
  if (!type || !type->isTensor() || !type->hasStaticShape())
    return std::nullopt;
  Ints shape;
  for (const Dim &dim : type->shape())
    shape.push_back(dim.size);
  return shape;
}

double elementAt(const Tensor &tensor, int64_t index) {
  uint64_t bits = 0;
  DType dtype = tensor.type()->dtype();
  tensor.copyElements(index, 1, &bits);
  if (hasFloatFormat(dtype))
    return decodeFloat(dtype, bits);
  bool isSigned = dtype >= DType::I8 && dtype <= DType::I64;
  unsigned width = info(dtype).bits;
  if (isSigned && width < 64)
    return double(int64_t(bits << (64 - width)) >> (64 - width));
  return isSigned ? double(int64_t(bits)) : double(bits);
}

TensorPtr tensorOf(Context &context, DType dtype, const Contents &contents) {
  bool fits = dtype == DType::Bool || (isInteger(dtype) && info(dtype).bits >= 8);
  std::optional<Ints> numbers = fits ? contents.ints() : std::nullopt;
  if (!numbers)
    return {};
  std::vector<Dim> shape;
  for (int64_t size : contents.shape)
    shape.push_back({size, nullptr});
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  const Type *type = context.tensorType(spec);
  if (type->numElements() != int64_t(numbers->size()))
    return {};
  size_t width = info(dtype).bits / 8;
  std::vector<char> bytes(numbers->size() * width);
  for (size_t i = 0; i != numbers->size(); ++i)
    std::memcpy(&bytes[i * width], &(*numbers)[i], width);
  return TensorPtr::adopt(Tensor::copy(type, bytes.data(), bytes.size()));
}

} // namespace ge
