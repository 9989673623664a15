//===- NativeEvaluation.cpp - operators that the core computes itself --------------------------===//
#include "KernelsRun.h"
#include "ProgramOrder.h"

#include "ge/IR/InternScope.h"
#include "ge/Passes/Manager/PassManager.h"

namespace ge::capi {

namespace {

struct DropRoot {
  void operator()(Root *root) const { root->drop(); }
};

Value *constantIn(Graph &graph, const Tensor &tensor) {
  Context &context = graph.context();
  const Type *type = tensor.type();
  AttrRef held = context.tensorAttr(TensorPtr(&tensor));
  NamedAttribute attribute{context.identifier("value"), held.get()};
  NodeSpec spec;
  spec.op = context.operatorName("ge.Const");
  spec.resultTypes = {&type, 1};
  spec.attributes = {&attribute, 1};
  return Mutation::create(&graph, nullptr, spec)->result(0);
}

} // namespace

bool runNatively(const OpCall &call, std::span<TensorPtr> results) {
  // The functions are those of constant folding: the call becomes a graph, which is folded. The
  // installed evaluator has been tried before; tensors of any size are allowed.
  static const PassManager *folding = new PassManager(PassManager::parse(
      "infer-types,constant-fold{evaluator=false,exactness=exact,limit=1099511627776}"));
  InternScope scope(call.context);
  std::unique_ptr<Root, DropRoot> root(Root::create(call.context, "call"));
  Graph &graph = *root->graph();
  if (call.opset && call.op->domain() == "onnx")
    Mutation::setAttribute(&graph, call.context.identifier("opset"),
                           call.context.intAttr(call.opset).get());
  std::vector<Value *> operands, outputs;
  for (const Tensor *operand : call.operands)
    operands.push_back(operand ? constantIn(graph, *operand) : nullptr);
  if (results.empty())
    return false;
  std::vector<const Type *> types(results.size(), call.context.unknownType());
  NodeSpec spec;
  spec.op = call.op;
  spec.operands = operands;
  spec.resultTypes = types;
  spec.attributes = call.attributes;
  Node *node = Mutation::create(&graph, nullptr, spec);
  std::vector<Node *> users;
  for (uint32_t i = 0; i < node->numResults(); ++i) {
    // Outputs are not folded, but operands are: the result is the operand of another node.
    Value *result = node->result(i);
    NodeSpec user;
    user.op = call.context.operatorName("onnx.Identity");
    user.operands = {&result, 1};
    user.resultTypes = {types.data(), 1};
    users.push_back(Mutation::create(&graph, nullptr, user));
    outputs.push_back(users.back()->result(0));
  }
  Mutation::setOutputs(&graph, outputs);
  PassInstrumentation options;
  options.verify = false;
  PassReport report;
  try {
    folding->run(graph, options, report);
  } catch (const Error &) {
    return false; // the caller reports the error
  }
  std::vector<TensorPtr> made;
  for (const Node *user : users) {
    const Value *result = user->operand(0);
    made.push_back(result ? contentsOf(result) : TensorPtr());
    if (!made.back())
      return false;
  }
  std::ranges::move(made, results.begin());
  return true;
}

} // namespace ge::capi
