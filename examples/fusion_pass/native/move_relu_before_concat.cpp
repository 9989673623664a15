// Relu of joined tensors becomes joined Relus: a pass over the whole graph, for ConcatV2 has any
// number of inputs. Twin of ../move_relu_before_concat.
#include "samples.h"

using namespace samples;

namespace {

/// The Relu that alone uses what a node gives; none otherwise.
Node reluAfter(GeNodeRef *concat, GeOperatorName relu) {
  size_t numResults = 0, numUses = 0;
  check(geNodeNumResults(concat, &numResults));
  if (numResults != 1)
    return nullptr;
  Value result = get<Value>(geNodeGetResult, concat, size_t(0));
  GeUse use{};
  check(geValueGetUses(result.get(), &use, 1, &numUses));
  Node user(use.node);
  GeOperatorName name{};
  if (numUses != 1)
    return nullptr;
  check(geNodeGetOperatorName(user.get(), &name));
  return name == relu ? std::move(user) : nullptr;
}

/// A new node before `before`.
Value create(GeGraphRef *graph, GeNodeRef *before, GeOperatorName op,
             const std::vector<GeValueRef *> &operands, GeType type, const char *name,
             const std::vector<GeNamedAttribute> &attributes = {}) {
  GeNodeSpec spec{};
  spec.op = op;
  spec.operands = operands.data();
  spec.numOperands = operands.size();
  spec.resultTypes = &type;
  spec.numResults = 1;
  spec.attributes = attributes.data();
  spec.numAttributes = attributes.size();
  spec.name = str(name);
  Node node = get<Node>(geNodeCreate, graph, before, &spec);
  return get<Value>(geNodeGetResult, node.get(), size_t(0));
}

void move(GeGraphRef *graph, GeNodeRef *concat, GeNodeRef *relu, GeOperatorName reluName) {
  size_t count = 0;
  check(geNodeNumOperands(concat, &count));
  std::vector<Value> owned;
  std::vector<GeValueRef *> operands;
  for (size_t i = 0; i < count; ++i) {
    Value operand = get<Value>(geNodeGetOperand, concat, i);
    if (i + 1 < count) { // the last is the dimension
      GeType type = nullptr;
      check(geValueGetType(operand.get(), &type));
      operand = create(graph, relu, reluName, {operand.get()}, type, "Relu");
    }
    operands.push_back(operand.get());
    owned.push_back(std::move(operand));
  }
  GeOperatorName name{};
  GeType type = nullptr;
  Value result = get<Value>(geNodeGetResult, relu, size_t(0));
  check(geNodeGetOperatorName(concat, &name));
  check(geValueGetType(result.get(), &type));
  Attribute number = attributeOf(concat, "N");
  std::vector<GeNamedAttribute> attributes;
  if (number)
    attributes.push_back({identifier(contextOf(graph), "N"), number.get()});
  Value joined = create(graph, relu, name, operands, type, "ConcatV2", attributes);
  GeValueRef *value = joined.get();
  check(geNodeReplace(relu, &value, 1));
  check(geNodeErase(concat, false));
}

/// `Relu(ConcatV2(x0, ..., xn-1, dim))` becomes `ConcatV2(Relu(x0), ..., Relu(xn-1), dim)`.
struct MoveReluBeforeConcat {
  static constexpr const char *doc = "Moves a Relu before the ConcatV2 that it alone uses.";
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    return statusOf([&] {
      GeOperatorName concatName{}, reluName{};
      check(geOperatorNameParse(contextOf(graph), str("math.ConcatV2"), &concatName));
      check(geOperatorNameParse(contextOf(graph), str("nn.Relu"), &reluName));
      size_t count = 0;
      check(geGraphFindAll(graph, concatName, nullptr, 0, &count));
      std::vector<GeNodeRef *> found(count);
      check(geGraphFindAll(graph, concatName, found.data(), count, &count));
      std::vector<Node> concats(found.begin(), found.end());
      for (const Node &concat : concats)
        if (Node relu = reluAfter(concat.get(), reluName)) {
          move(graph, concat.get(), relu.get(), reluName);
          check(gePassRunCount(run, str("rewrites"), 1));
        }
    });
  }
};

} // namespace

GE_REGISTER_PASS(MoveReluBeforeConcat, "NativeMoveReluBeforeConcatPass", "BeforeInferShape")
