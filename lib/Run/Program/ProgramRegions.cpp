//===- ProgramRegions.cpp - regions that a runner compiles -------------------------------------===//
#include "ProgramCompiler.h"
#include "ge/Run/Call/Call.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/Opsets.h"
#include "ge/Ops/Infer/VerifyOps.h"

namespace ge {

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
  const Graph &around = *group.nodes.front()->graph();
  step.region = std::make_unique<Region>(group.nodes, group.results, scope.given, opsetsOf(around),
                                         around.describe());
  step.label = step.region->label();
  for (const Value *input : step.region->inputs())
    step.operands.push_back(placeOf(scope, input, step.label));
  for (const Value *result : group.results)
    step.results.push_back(scope.places.emplace(result, scope.newSlot()).first->second);
  scope.body.steps.push_back(std::move(step));
}

bool ProgramCompiler::mayBeInRegion(const Node *node) {
  if (functionOf(node->op()) || !supports(node->op()) || hasKernel(node))
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

uint32_t ProgramCompiler::opsetOf(const Node *node) const {
  std::string_view domain = node->op()->domain();
  return program_.opset && domain == "onnx" ? program_.opset : ge::opsetOf(node->graph(), domain);
}

bool ProgramCompiler::hasKernel(const Node *node) const {
  OpDefRef def = recordOf(node->op(), opsetOf(node));
  if (!def)
    return false;
  std::string name = def->qualifiedName();
  const Registry &registry = Registry::global();
  return registry.findKernel(name, program_.backend) || registry.findKernel(name, "any") ||
         registry.findKernel(name, kDecompositionRank);
}

AttrRef ProgramCompiler::opsetsOf(const Graph &graph) {
  // A function may import other operator sets than its model.
  const Graph *root = &graph;
  while (root->parentGraph())
    root = root->parentGraph();
  auto [found, isNew] = opsets_.try_emplace(root);
  if (!isNew)
    return found->second;
  AttrRef opsets = opsetsAttr(*root);
  if (opsets->size() == 0)
    opsets = {};
  if (program_.opset) {
    Context &context = graph.context();
    std::vector<const Identifier *> keys{context.identifier("onnx")};
    std::vector<Attribute> versions{Attribute::inlineInt(program_.opset)};
    for (size_t i = 0; opsets && i != opsets->size(); ++i)
      if (opsets->keys()[i] != keys[0]) {
        keys.push_back(opsets->keys()[i]);
        versions.push_back(opsets->elements()[i]);
      }
    opsets = context.dictAttr(keys, versions);
  }
  return found->second = opsets;
}

} // namespace ge
