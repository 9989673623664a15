//===- ThinPasses.cpp - a pass in C++, in a plugin that links nothing of GE ----------------------===//
#include "ge-c/Plugin.hpp"

#include <string_view>

namespace {

using ge::plugin::str;

/// References of one step, released together.
struct Step {
  GeNodeRef *node = nullptr, *producer = nullptr;
  GeValueRef *operand = nullptr, *source = nullptr;
  ~Step() {
    geNodeRelease(node);
    geNodeRelease(producer);
    geValueRelease(operand);
    geValueRelease(source);
  }
};

GeStatus isOp(GeNodeRef *node, std::string_view wanted, bool &out) {
  GeIdentifier op = nullptr;
  GeStatus status = geNodeGetOp(node, &op);
  if (status == GE_OK) {
    GeStringRef name = geIdentifierStr(op);
    out = std::string_view(name.data, name.length) == wanted;
  }
  return status;
}

/// `ScaledRelu(Relu(x))` is `ScaledRelu(x)`.
struct SkipRelu {
  static constexpr const char *doc = "ScaledRelu of Relu takes Relu's operand.";

  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    size_t size = 0;
    uint64_t count = 0;
    GeStatus status = geGraphNumNodes(graph, &size);
    for (size_t i = 0; i < size && status == GE_OK; ++i)
      status = visit(graph, i, count);
    return status == GE_OK && count ? gePassRunCount(run, str("skipped"), count) : status;
  }

private:
  static GeStatus visit(GeGraphRef *graph, size_t i, uint64_t &count) {
    Step step;
    bool isScaled = false, isRelu = false;
    if (GeStatus s = geGraphGetNode(graph, i, &step.node))
      return s;
    if (GeStatus s = isOp(step.node, "thin.ScaledRelu", isScaled); s || !isScaled)
      return s;
    if (GeStatus s = geNodeGetOperand(step.node, 0, &step.operand); s || !step.operand)
      return s;
    if (GeStatus s = geValueGetNode(step.operand, &step.producer); s || !step.producer)
      return s;
    if (GeStatus s = isOp(step.producer, "onnx.Relu", isRelu); s || !isRelu)
      return s;
    if (GeStatus s = geNodeGetOperand(step.producer, 0, &step.source))
      return s;
    ++count;
    return geNodeSetOperand(step.node, 0, step.source);
  }
};

} // namespace

GE_REGISTER_PASS(SkipRelu, "thin-skip-relu", "AfterInferShape")
