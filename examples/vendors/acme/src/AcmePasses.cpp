//===- AcmePasses.cpp - a pass in C++ in the registry of the vendor's C library -------------------===//
#include "AcmePasses.h"

#include <cstring>
#include <string_view>

namespace acme {

namespace {

GeStringRef str(const char *text) { return {text, std::strlen(text)}; }

/// References of one step, released together.
struct Step {
  GeNodeRef *outer = nullptr, *inner = nullptr;
  GeValueRef *operand = nullptr, *source = nullptr;
  ~Step() {
    geNodeRelease(outer);
    geNodeRelease(inner);
    geValueRelease(operand);
    geValueRelease(source);
  }
};

/// The factor of an acme.Scale; `isScale` false for other operators.
GeStatus readFactor(GeNodeRef *node, GeIdentifier name, bool &isScale, double &factor) {
  GeIdentifier op = nullptr;
  if (GeStatus s = geNodeGetOp(node, &op))
    return s;
  GeStringRef text = geIdentifierStr(op);
  isScale = std::string_view(text.data, text.length) == "acme.Scale";
  if (!isScale)
    return GE_OK;
  GeAttribute attribute{};
  if (GeStatus s = geNodeGetAttribute(node, name, &attribute))
    return s;
  factor = 1; // the schema's default
  GeStatus s = attribute.bits ? geAttributeGetFloat(attribute, &factor) : GE_OK;
  geAttributeRelease(attribute);
  return s;
}

/// `Scale(Scale(x, a), b)` becomes `Scale(x, a b)` where the step applies.
GeStatus mergeAt(GeGraphRef *graph, size_t i, GeIdentifier name, uint64_t &count) {
  Step step;
  bool isScale = false;
  double outer = 1, inner = 1;
  if (GeStatus s = geGraphGetNode(graph, i, &step.outer))
    return s;
  if (GeStatus s = readFactor(step.outer, name, isScale, outer); s || !isScale)
    return s;
  if (GeStatus s = geNodeGetOperand(step.outer, 0, &step.operand); s || !step.operand)
    return s;
  if (GeStatus s = geValueGetNode(step.operand, &step.inner); s || !step.inner)
    return s;
  if (GeStatus s = readFactor(step.inner, name, isScale, inner); s || !isScale)
    return s;
  GeDType f32 = 0;
  GeAttribute product{};
  if (GeStatus s = geDTypeFromName(str("f32"), &f32))
    return s;
  if (GeStatus s = geAttributeFloat(geRefGetContext(graph), outer * inner, f32, &product))
    return s;
  GeStatus s = geNodeSetAttribute(step.outer, name, product);
  geAttributeRelease(product);
  if (s == GE_OK)
    s = geNodeGetOperand(step.inner, 0, &step.source);
  if (s == GE_OK)
    s = geNodeSetOperand(step.outer, 0, step.source);
  ++count;
  return s;
}

GeStatus mergeScales(void *, GeGraphRef *graph, GePassRun *run) {
  GeIdentifier name = nullptr;
  size_t size = 0;
  uint64_t count = 0;
  GeStatus s = geIdentifierGet(geRefGetContext(graph), str("factor"), &name);
  if (s == GE_OK)
    s = geGraphNumNodes(graph, &size);
  // In the order of the list a chain of any length collapses in one sweep.
  for (size_t i = 0; i < size && s == GE_OK; ++i)
    s = mergeAt(graph, i, name, count);
  return s == GE_OK && count ? gePassRunCount(run, str("merged"), count) : s;
}

} // namespace

GeStatus registerPasses() {
  GePassInfo info{};
  info.size = sizeof info;
  info.name = str("acme-merge-scales");
  info.doc = str("Scale of Scale becomes one Scale.");
  info.kind = str("native");
  info.stage = str("AfterInferShape");
  GePassTable table{};
  table.size = sizeof table;
  table.run = mergeScales;
  return gePassRegister(&info, &table);
}

} // namespace acme
