//===- ProgramRegions.cpp - regions that a runner compiles -------------------------------------===//
#include "KernelsRun.h"
#include "ProgramCompiler.h"

#include "ge/Ops/Infer/VerifyOps.h"

namespace ge::capi {

void ProgramCompiler::compileGroups(ProgramScope &scope, const std::vector<NodeGroup> &groups) {
  for (const NodeGroup &group : groups)
    if (!group.isRegion)
      compileNode(scope, group.nodes[0]);
    else if (!group.results.empty())
      compileRegion(scope, group);
}

void ProgramCompiler::compileRegion(ProgramScope &scope, const NodeGroup &group) {
  Step step;
  step.kind = StepKind::Region;
  step.region = std::make_unique<Region>(group.nodes, group.results, scope.given, opsets_,
                                         group.nodes.front()->graph()->describe());
  step.label = step.region->label();
  for (const Value *input : step.region->inputs())
    step.operands.push_back(placeOf(scope, input, step.label));
  for (const Value *result : group.results)
    step.results.push_back(scope.places.emplace(result, scope.newSlot()).first->second);
  scope.body.steps.push_back(std::move(step));
}

bool ProgramCompiler::mayBeInRegion(const Node *node) {
  if (functionOf(node->op()) || !supports(node->op()) || hasKernel(node->op()))
    return false;
  for (const Graph *body : node->subgraphs())
    if (!isForRunner(*body))
      return false;
  return definitionFault(node, program_.opset).empty(); // else it is an error of its own
}

bool ProgramCompiler::isForRunner(const Graph &body) {
  if (auto known = forRunner_.find(&body); known != forRunner_.end())
    return known->second;
  bool all = true;
  for (const Node *node = body.front(); node && all; node = node->next())
    all = (node->numResults() == 1 && contentsOf(node->result(0))) || mayBeInRegion(node);
  return forRunner_[&body] = all;
}

bool ProgramCompiler::supports(const OperatorName *op) {
  auto [known, isNew] = supported_.try_emplace(op, false);
  if (isNew)
    known->second = runner_->supports(*op);
  return known->second;
}

bool ProgramCompiler::hasKernel(const OperatorName *op) const {
  OpDefRef def = recordOf(op, program_.opset);
  if (!def)
    return false;
  std::string name = def->qualifiedName();
  const Registry &registry = Registry::global();
  return registry.findKernel(name, program_.backend) || registry.findKernel(name, "any");
}

AttrRef ProgramCompiler::opsetsOf(const Graph &graph) const {
  std::map<std::string, AttrRef> found;
  auto add = [&](Attribute dict, Attribute opset) {
    for (size_t i = 0; dict.kind() == AttrKind::Dict && i != dict.size(); ++i) {
      std::string_view domain = dict.keys()[i]->str();
      bool isOnnx = domain.empty() || domain == "ai.onnx";
      found[isOnnx ? "onnx" : std::string(domain)] = AttrRef(dict.elements()[i]);
    }
    if (opset.kind() == AttrKind::Int)
      found["onnx"] = AttrRef(opset);
  };
  if (const Module *module = graph.module())
    add(attributeOf(*module, "onnx.opset_imports"), attributeOf(*module, "opset"));
  add(attributeOf(graph, "onnx.opset_imports"), attributeOf(graph, "opset"));
  Context &context = graph.context();
  if (program_.opset)
    found["onnx"] = context.intAttr(program_.opset);
  if (found.empty())
    return {};
  std::vector<const Identifier *> keys;
  std::vector<Attribute> values;
  for (const auto &[domain, version] : found) {
    keys.push_back(context.identifier(domain));
    values.push_back(version.get());
  }
  return context.dictAttr(keys, values);
}

} // namespace ge::capi
