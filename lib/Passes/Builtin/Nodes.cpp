//===- Nodes.cpp - questions about single nodes, values and types -----------------------------===//
//
// Answers queries about nodes and rewrites nothing, so it needs no matcher.
//
#include "PassEditor.h"

#include "ge/IR/FloatFormat.h"
#include "ge/IR/UnknownAttributes.h"

#include <algorithm>
#include <cstring>

namespace ge::builtin {

bool isOnnx(const Node *node, std::string_view type) {
  const OperatorName *op = node->op();
  return op->type() == type && op->domain() == "onnx" && op->overload().empty() && !isOpaque(node);
}

bool isFree(const Node *node) {
  if (!node->controlInputs().empty() || !node->controlOutputs().empty())
    return false;
  return !hasUnknown(node->attributes());
}

int64_t intAttr(const Node *node, std::string_view name, int64_t otherwise) {
  Attribute attribute = node->attribute(name);
  return attribute.kind() == AttrKind::Int ? attribute.intValue() : otherwise;
}

double floatAttr(const Node *node, std::string_view name, double otherwise) {
  Attribute attribute = node->attribute(name);
  return attribute.kind() == AttrKind::Float ? attribute.floatValue() : otherwise;
}

std::string_view stringAttr(const Node *node, std::string_view name, std::string_view otherwise) {
  Attribute attribute = node->attribute(name);
  return attribute.kind() == AttrKind::String ? attribute.stringValue() : otherwise;
}

std::optional<Ints> intsAttr(const Node *node, std::string_view name) {
  Attribute attribute = node->attribute(name);
  if (attribute.kind() != AttrKind::Array || !isInteger(attribute.width()))
    return std::nullopt;
  return Ints(attribute.ints().begin(), attribute.ints().end());
}

Value *operandOf(const Node *node, uint32_t index) {
  return index < node->numOperands() ? node->operand(index) : nullptr;
}

bool isOutput(const Value *value) {
  for (const Use *use = value->firstUse(); use; use = use->next())
    if (use->owner()->isNetOutput())
      return true;
  return false;
}

bool mayBeOutput(const Value *value, const Graph *graph) {
  const Node *node = value->node();
  return node->graph() == graph && node->isListed() && node->op()->str() != "ge.Const" &&
         !isOutput(value);
}

bool isRanked(const Value *value) {
  return value && value->type()->isTensor() && value->type()->isRanked();
}
int64_t rankOf(const Value *value) {
  return isRanked(value) ? int64_t(value->type()->shape().size()) : -1;
}
std::span<const Dim> shapeOf(const Value *value) { return value->type()->shape(); }
DType dtypeOf(const Value *value) {
  return value && value->type()->isTensor() ? value->type()->dtype() : DType::Undefined;
}

DType dtypeAttr(const Node *node, std::string_view name) {
  Attribute attribute = node->attribute(name);
  if (attribute.kind() == AttrKind::DType)
    return attribute.dtypeValue();
  if (attribute.kind() != AttrKind::Int || attribute.intValue() < 0 || attribute.intValue() > 1000)
    return DType::Undefined;
  return dtypeFromOnnx(int32_t(attribute.intValue())).value_or(DType::Undefined);
}

bool sameDim(const Dim &a, const Dim &b) {
  return a.isStatic() ? a.size == b.size : a.symbol && a.symbol == b.symbol;
}
bool sameShape(std::span<const Dim> a, std::span<const Dim> b) {
  return std::ranges::equal(a, b, sameDim);
}
bool sameShape(const Value *a, const Value *b) {
  return isRanked(a) && isRanked(b) && sameShape(shapeOf(a), shapeOf(b));
}

const Type *tensorType(Context &context, DType dtype, std::span<const int64_t> shape) {
  std::vector<Dim> dims;
  for (int64_t size : shape)
    dims.push_back({size, nullptr});
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = dims;
  return context.tensorType(spec);
}

std::vector<Graph *> allGraphs(Graph &root) {
  std::vector<Graph *> graphs{&root};
  for (size_t i = 0; i != graphs.size(); ++i)
    for (Node *node = graphs[i]->front(); node; node = node->next())
      for (Graph *inner : node->subgraphs())
        graphs.push_back(inner);
  return graphs;
}

} // namespace ge::builtin
