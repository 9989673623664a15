//===- InferContext.cpp - what an inference function sees and fills ---------------------------===//
#include "ge/Ops/Infer/Infer.h"

#include "../Schema/SlotPositions.h"
#include "ge/Ops/Registry/RegisteredKernels.h"
#include "ge/Ops/Schema/Schema.h"

#include <limits>

namespace ge {

namespace {
/// Later than every operator set.
constexpr uint32_t kNewest = std::numeric_limits<int32_t>::max();
} // namespace

InferContext::InferContext(const InferArgs &args, std::span<const Type *> results)
    : args_(args), results_(results), version_(args.opset                        ? args.opset
                                               : args.def && args.def->since > 0 ? args.def->since
                                                                                 : kNewest) {}

//===-----------------------------------------------------------------------------------------===//
// Operands
//===-----------------------------------------------------------------------------------------===//

const Type *InferContext::operand(uint32_t i) const {
  const Type *type = i < args_.operands.size() ? args_.operands[i] : nullptr;
  return type && !type->isNone() ? type : nullptr;
}

DType InferContext::dtype(uint32_t i) const {
  const Type *type = operand(i);
  return type && type->isTensor() ? type->dtype() : DType::Undefined;
}

bool InferContext::isRanked(uint32_t i) const {
  const Type *type = operand(i);
  return type && type->isTensor() && type->isRanked();
}

ContentsSource &InferContext::source() const {
  if (args_.contents)
    return *args_.contents;
  if (!ownSource_)
    ownSource_ = lazyContents(*args_.context, args_.opset);
  return *ownSource_;
}

const Contents *InferContext::contents(uint32_t i) const {
  if (const Tensor *tensor = i < args_.constants.size() ? args_.constants[i] : nullptr) {
    ofConstants_.resize(args_.constants.size());
    if (!ofConstants_[i])
      ofConstants_[i] = Contents::of(*tensor);
    return *ofConstants_[i] ? &**ofConstants_[i] : nullptr;
  }
  const Value *value = i < args_.values.size() ? args_.values[i] : nullptr;
  return value && has(i) ? source().contents(value) : nullptr;
}

const Tensor *InferContext::constant(uint32_t i) const {
  if (i < args_.constants.size() && args_.constants[i])
    return args_.constants[i];
  const Value *value = i < args_.values.size() ? args_.values[i] : nullptr;
  return value ? constantTensor(value) : nullptr;
}

std::string InferContext::operandName(uint32_t i) const {
  if (!args_.def)
    return cat("operand ", i);
  std::span<const uint32_t> params = args_.def->operands();
  auto paramAt = [&](size_t k) -> const Param & { return args_.def->params[params[k]]; };
  SlotPositions positions(params.size(), args_.operands.size(), paramAt,
                          args_.def->hasOperandChoice(), args_.operandSegments);
  size_t slot = positions.slotOf(i);
  return slot == SlotPositions::kUnknown ? cat("operand ", i)
                                         : cat("operand ", i, " '", paramAt(slot).name, "'");
}

std::string InferContext::typeText(uint32_t i) const {
  return has(i) ? cat(" (", shortType(operand(i)), ")") : std::string();
}

//===-----------------------------------------------------------------------------------------===//
// Attributes
//===-----------------------------------------------------------------------------------------===//

Attribute InferContext::attribute(std::string_view name) const {
  for (const NamedAttribute &given : args_.attributes)
    if (given.name->str() == name)
      return given.value;
  if (const AttributeList *list = args_.attributeList)
    for (uint32_t i = 0, n = list->size(); i != n; ++i)
      if (context().identifierAt(list->nameIdAt(i))->str() == name)
        return list->at(i);
  return {};
}

const Constant *InferContext::defaultOf(std::string_view name) const {
  if (!args_.def)
    return nullptr;
  std::optional<uint32_t> param = args_.def->findParam(name);
  if (!param || !args_.def->params[*param].defaultValue)
    return nullptr;
  const Constant &value = args_.def->params[*param].defaultValue->value;
  return value.kind == Constant::Kind::None ? nullptr : &value;
}

int64_t InferContext::intAttr(std::string_view name, int64_t otherwise) const {
  Attribute given = attribute(name);
  if (given.kind() == AttrKind::Int)
    return given.intValue();
  if (given.kind() == AttrKind::Bool)
    return given.boolValue();
  if (given)
    return otherwise;
  const Constant *value = defaultOf(name);
  bool isInt = value && (value->kind == Constant::Kind::Int || value->kind == Constant::Kind::Bool);
  return isInt ? value->integer : otherwise;
}

double InferContext::floatAttr(std::string_view name, double otherwise) const {
  Attribute given = attribute(name);
  if (given.kind() == AttrKind::Float)
    return given.floatValue();
  if (given.kind() == AttrKind::Int)
    return double(given.intValue());
  if (given)
    return otherwise;
  const Constant *value = defaultOf(name);
  return value && value->kind == Constant::Kind::Float ? value->real : otherwise;
}

std::string_view InferContext::stringAttr(std::string_view name, std::string_view otherwise) const {
  Attribute given = attribute(name);
  if (given.kind() == AttrKind::String || given.kind() == AttrKind::Bytes)
    return given.stringValue();
  if (given)
    return otherwise;
  const Constant *value = defaultOf(name);
  return value && value->kind == Constant::Kind::Str ? std::string_view(value->text) : otherwise;
}

std::optional<std::vector<int64_t>> InferContext::intsAttr(std::string_view name) const {
  Attribute given = attribute(name);
  if (given) {
    if (given.kind() == AttrKind::Int)
      return std::vector<int64_t>{given.intValue()};
    bool isList = given.kind() == AttrKind::Array || given.kind() == AttrKind::List;
    if (isList && given.size() == 0)
      return std::vector<int64_t>();
    if (given.kind() != AttrKind::Array ||
        !(isInteger(given.width()) || given.width() == DType::Bool))
      return std::nullopt;
    std::span<const int64_t> values = given.ints();
    return std::vector<int64_t>(values.begin(), values.end());
  }
  const Constant *value = defaultOf(name);
  if (!value || value->kind != Constant::Kind::List)
    return std::nullopt;
  std::vector<int64_t> values;
  for (const Constant &item : value->items)
    values.push_back(item.integer);
  return values;
}

DType InferContext::dtypeAttr(std::string_view name, DType otherwise) const {
  Attribute given = attribute(name);
  if (given.kind() == AttrKind::DType)
    return given.dtypeValue();
  if (given.kind() == AttrKind::String) { // Cast before version 6: "FLOAT", CANN's name without DT_
    std::optional<DType> named = dtypeFromName(given.stringValue());
    return named ? *named : dtypeFromName(cat("DT_", given.stringValue())).value_or(otherwise);
  }
  if (given) {
    bool fits = given.kind() == AttrKind::Int && given.intValue() > 0 && given.intValue() < 1000;
    return fits ? dtypeFromOnnx(int32_t(given.intValue())).value_or(otherwise) : otherwise;
  }
  const Constant *value = defaultOf(name);
  if (!value)
    return otherwise;
  if (value->kind == Constant::Kind::Int)
    return value->integer > 0 && value->integer < 1000
               ? dtypeFromOnnx(int32_t(value->integer)).value_or(otherwise)
               : otherwise;
  return constantDType(*value).value_or(otherwise);
}

//===-----------------------------------------------------------------------------------------===//
// Subgraphs
//===-----------------------------------------------------------------------------------------===//

Graph *InferContext::subgraph(std::string_view slot) const {
  for (Graph *graph : args_.subgraphs)
    if (graph && graph->slot() == slot)
      return graph;
  for (size_t i = 0; i < args_.slots.size() && i < args_.subgraphs.size(); ++i)
    if (args_.slots[i] == slot)
      return args_.subgraphs[i];
  return nullptr;
}

bool InferContext::inferSubgraph(Graph *graph, std::span<const Type *const> inputs, bool trial,
                                 std::vector<const Type *> &outputs) {
  if (args_.subgraphTypes) {
    if (args_.subgraphTypes->infer(graph, inputs, trial, outputs))
      return true;
    failReported();
    return false;
  }
  outputs.clear();
  for (uint32_t i = 0; i != graph->numOutputs(); ++i) {
    const Value *value = graph->outputValue(i);
    outputs.push_back(value ? value->type() : context().unknownType());
  }
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Results and errors
//===-----------------------------------------------------------------------------------------===//

void InferContext::setResult(uint32_t i, const Type *type) {
  if (i < results_.size())
    results_[i] = type;
}

void InferContext::setTensor(uint32_t i, DType dtype, std::span<const Dim> shape) {
  if (i >= results_.size() || dtype == DType::Undefined)
    return;
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  results_[i] = context().tensorType(spec);
}

void InferContext::setTensor(uint32_t i, DType dtype, std::initializer_list<Dim> shape) {
  setTensor(i, dtype, std::span(shape.begin(), shape.size()));
}

void InferContext::setUnranked(uint32_t i, DType dtype) {
  if (i >= results_.size() || dtype == DType::Undefined)
    return;
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.ranked = false;
  results_[i] = context().tensorType(spec);
}

/// What a registered kernel computes is not known.
void InferContext::setContents(uint32_t i, Contents contents) {
  if (!wantsContents() || int64_t(contents.size()) > Contents::kMaxElements ||
      (contents.elements.empty() && contents.rank() != 1) || hasHostKernel(op()))
    return;
  if (args_.resultContents->size() <= i)
    args_.resultContents->resize(i + 1);
  (*args_.resultContents)[i] = std::move(contents);
}

void InferContext::failText(std::string text) {
  if (failed_)
    return;
  failed_ = true;
  message_ = std::move(text);
}

} // namespace ge
