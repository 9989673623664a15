//===- AcmePlugin.cpp - a plugin: loaded by any GE of this version of the C API ---------------------===//
#include "ge-c/Plugin.hpp"

#include <string_view>

namespace {

/// `Scale(x, factor = 1)` is x.
struct DropUnitScale {
  static constexpr const char *doc = "Scale by 1 is its operand.";

  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    GeIdentifier factor = nullptr;
    size_t size = 0;
    uint64_t count = 0;
    GeStatus s = geIdentifierGet(geRefGetContext(graph), ge::plugin::str("factor"), &factor);
    if (s == GE_OK)
      s = geGraphNumNodes(graph, &size);
    while (size > 0 && s == GE_OK) // from the end: what is erased moves nothing before it
      s = visit(graph, --size, factor, count);
    return s == GE_OK && count ? gePassRunCount(run, ge::plugin::str("dropped"), count) : s;
  }

private:
  static GeStatus visit(GeGraphRef *graph, size_t i, GeIdentifier factor, uint64_t &count) {
    GeNodeRef *node = nullptr;
    if (GeStatus s = geGraphGetNode(graph, i, &node))
      return s;
    bool isUnit = false;
    GeStatus s = hasUnitFactor(node, factor, isUnit);
    if (s == GE_OK && isUnit) {
      GeValueRef *operand = nullptr;
      s = geNodeGetOperand(node, 0, &operand);
      if (s == GE_OK)
        s = geNodeReplace(node, &operand, 1);
      geValueRelease(operand);
      ++count;
    }
    geNodeRelease(node);
    return s;
  }

  static GeStatus hasUnitFactor(GeNodeRef *node, GeIdentifier factor, bool &out) {
    GeIdentifier op = nullptr;
    if (GeStatus s = geNodeGetOp(node, &op))
      return s;
    GeStringRef name = geIdentifierStr(op);
    if (std::string_view(name.data, name.length) != "acme.Scale")
      return GE_OK;
    GeAttribute attribute{};
    if (GeStatus s = geNodeGetAttribute(node, factor, &attribute))
      return s;
    double value = 1; // the schema's default
    GeStatus s = attribute.bits ? geAttributeGetFloat(attribute, &value) : GE_OK;
    geAttributeRelease(attribute);
    out = value == 1;
    return s;
  }
};

} // namespace

GE_REGISTER_PASS(DropUnitScale, "acme-drop-unit-scale", "AfterInferShape")
