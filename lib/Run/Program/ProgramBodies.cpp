//===- ProgramBodies.cpp - steps that run functions and bodies ---------------------------------===//
#include "ProgramCompiler.h"

#include "ge/IR/Analysis.h"
#include "ge/IR/Root.h"
#include "ge/Ops/Infer/InferGraph.h"

#include <algorithm>
#include <memory>

namespace ge {

namespace {

const Graph *bodyOf(const Node *node, std::string_view slot, size_t number) {
  for (const Graph *one : node->subgraphs())
    if (one->slot() == slot)
      return one;
  return number < node->subgraphs().size() ? node->subgraphs()[number] : nullptr;
}

/// The first `count` numbers of an attribute, padded with zeros.
std::vector<int64_t> integersOf(const NamedAttributes &attributes, std::string_view name,
                                size_t count) {
  std::vector<int64_t> all;
  for (const NamedAttribute &one : attributes)
    if (one.name->str() == name && one.value.kind() == AttrKind::Array)
      all.assign(one.value.ints().begin(), one.value.ints().end());
  all.resize(count);
  return all;
}

} // namespace

void ProgramCompiler::compileCall(ProgramScope &scope, Step &step, const Node *node,
                                  const Graph &function) {
  step.kind = StepKind::Call;
  if (step.operands.size() > function.numInputs())
    return fail(step, " has ", step.operands.size(), " operands, its function ",
                function.numInputs(), " inputs");
  if (node->numResults() != function.numOutputs())
    return fail(step, " has ", node->numResults(), " results, its body ", function.numOutputs());
  step.operands.resize(function.numInputs(), kNowhere);
  NamedAttributes given = attributesOf(scope, node);
  if (Attribute defaults = attributeOf(function, "onnx.attribute_defaults");
      defaults.kind() == AttrKind::Dict)
    for (size_t i = 0; i != defaults.size(); ++i) {
      program_.keep(defaults.elements()[i]);
      given.push_back({defaults.keys()[i], defaults.elements()[i]}); // after what the call says
    }
  std::vector<uint64_t> key = {reinterpret_cast<uintptr_t>(&function)};
  for (const NamedAttribute &one : given) {
    key.push_back(one.name->id());
    key.push_back(one.value.bits());
  }
  auto [found, isNew] = compiled_.try_emplace(std::move(key), nullptr);
  if (isNew) {
    found->second = &newBody(function);
    found->second->numInputs = function.numInputs();
    waiting_.push_back({found->second, &function, std::move(given)});
  }
  step.bodies.push_back(found->second);
}

const Body *ProgramCompiler::compileBody(ProgramScope &scope, Step &step, const Node *node,
                                         std::string_view slot, size_t number, size_t numInputs) {
  const Graph *graph = bodyOf(node, slot, number);
  if (!graph) {
    fail(step, " has no body '", slot, "'");
    return nullptr;
  }
  return compileBody(scope, step, *graph, numInputs);
}
const Body *ProgramCompiler::compileBody(ProgramScope &scope, Step &step, const Graph &graph,
                                         size_t numInputs) {
  if (graph.numInputs() != numInputs)
    refuse(graph.describe(), " has ", graph.numInputs(), " inputs, not ", numInputs);
  ProgramScope inner{newBody(graph), &scope, scope.given};
  compileGraph(inner, graph);
  step.bodies.push_back(&inner.body);
  return &inner.body;
}

void ProgramCompiler::compileBodies(ProgramScope &scope, Step &step, const Node *node) {
  static const std::pair<std::string_view, StepKind> kinds[] = {
      {"onnx.If", StepKind::If},
      {"ge.If", StepKind::If},
      {"ge.StatelessIf", StepKind::If},
      {"onnx.Loop", StepKind::Loop},
      {"onnx.Scan", StepKind::Scan},
      {"ge.PartitionedCall", StepKind::Call},
      {"ge.While", StepKind::While},
      {"ge.StatefulPartitionedCall", StepKind::Call},
      {"ge.StatelessWhile", StepKind::While},
      {"ge.For", StepKind::For},
      {"ge.Case", StepKind::Case}};
  auto found =
      std::ranges::find(kinds, node->op()->str(), [](const auto &one) { return one.first; });
  if (found == std::end(kinds)) {
    step.failure = ErrorKind::NotImplemented;
    return fail(step, ": geGraphRun does not run the bodies "
                      "of this operator");
  }
  step.kind = found->second;
  step.isOnnx = node->op()->domain() == "onnx";
  size_t count = step.operands.size(), numResults = node->numResults();
  size_t rest = count - std::min<size_t>(count, 1);
  auto results = [&](size_t made) {
    if (step.kind != StepKind::Fail && made != numResults)
      fail(step, " has ", numResults, " results, its body ", made);
  };
  switch (step.kind) {
  case StepKind::If:
    for (size_t i = 0; i < 2 && step.kind != StepKind::Fail; ++i) {
      const Body *body = compileBody(scope, step, node, i ? "else_branch" : "then_branch", i,
                                     step.isOnnx ? 0 : rest);
      if (body && program_.isHosted)
        results(body->outputs.size());
    }
    break;
  case StepKind::Case:
    for (const Graph *graph : node->subgraphs()) {
      const Body *body = compileBody(scope, step, *graph, rest);
      if (program_.isHosted)
        results(body->outputs.size());
    }
    break;
  case StepKind::Call:
    compileBody(scope, step, node, "f", 0, count);
    break;
  case StepKind::While:
    if (compileBody(scope, step, node, "cond", 0, count) &&
        compileBody(scope, step, node, "body", 1, count) && program_.isHosted) {
      results(step.bodies[1]->outputs.size());
      if (step.bodies[1]->numInputs != numResults)
        results(step.bodies[1]->numInputs);
    }
    break;
  case StepKind::For:
    if (count < 3)
      return fail(step, " has no operand ", count);
    if (const Body *body = compileBody(scope, step, node, "body", 0, count - 2);
        body && program_.isHosted) {
      results(body->outputs.size());
      results(count - 3);
    }
    break;
  case StepKind::Loop:
    compileLoop(scope, step, node, count - std::min<size_t>(count, 2));
    break;
  case StepKind::Scan:
    compileScan(scope, step, node);
    break;
  default:
    break;
  }
}

void ProgramCompiler::compileLoop(ProgramScope &scope, Step &step, const Node *node,
                                  size_t numStates) {
  const Body *body = compileBody(scope, step, node, "body", 0, numStates + 2);
  if (!body)
    return;
  if (body->outputs.size() < numStates + 1)
    return fail(step, ": its body has ", body->outputs.size(),
                " outputs, and needs a condition and ", numStates, " values");
  if (body->outputs.size() - 1 != node->numResults())
    return fail(step, " has ", node->numResults(), " results, its body ", body->outputs.size() - 1);
  addOutputTypes(step, *bodyOf(node, "body", 0), 1 + numStates);
}

namespace {

/// The node of a copy that stands where `node` stands in the original; null: it is elsewhere.
const Node *twinOf(const Graph *graph, const Graph *copy, const Node *node) {
  const Node *other = copy->front();
  for (const Node *each = graph->front(); each && other;
       each = each->next(), other = other->next()) {
    if (each == node)
      return other;
    for (size_t i = 0; i < each->subgraphs().size(); ++i)
      if (const Node *found = twinOf(each->subgraphs()[i], other->subgraphs()[i], node))
        return found;
  }
  return nullptr;
}

/// The type that inference gives a value of a body: of a copy, because others may run the graph.
const Type *inferredType(const Value *value) {
  const Graph *root = value->graph();
  while (root->parentGraph())
    root = root->parentGraph();
  auto drop = [](Root *copy) { copy->drop(); };
  std::unique_ptr<Root, decltype(drop)> copy(clone(root), drop);
  InferOptions options;
  options.opset = opsetOf(root, "onnx");
  inferTypes(copy->graph(), options);
  const Node *twin = twinOf(root, copy->graph(), value->node());
  return twin ? twin->result(value->index())->type() : value->type();
}

} // namespace

/// What scan outputs of no turns are.
void ProgramCompiler::addOutputTypes(Step &step, const Graph &graph, size_t first) {
  for (size_t i = first; i < graph.numOutputs(); ++i) {
    const Value *output = graph.outputValue(uint32_t(i));
    const Type *type = output ? output->type() : nullptr;
    if (output && !(type->isTensor() && type->isRanked()))
      type = inferredType(output);
    step.outputTypes.push_back(type);
    if (type)
      program_.keep(type);
  }
}

void ProgramCompiler::compileScan(ProgramScope &scope, Step &step, const Node *node) {
  NamedAttributes attributes = attributesOf(scope, node);
  int64_t given = 0;
  for (const NamedAttribute &one : attributes)
    if (one.name->str() == "num_scan_inputs" && one.value.kind() == AttrKind::Int)
      given = one.value.intValue();
  if (given < 1 || size_t(given) > step.operands.size())
    return fail(step, ": num_scan_inputs is ", given, ", and there are ", step.operands.size(),
                " operands");
  auto count = size_t(given);
  const size_t numStates = step.operands.size() - count;
  const Body *body = compileBody(scope, step, node, "body", 0, step.operands.size());
  if (!body)
    return;
  if (body->outputs.size() < numStates)
    return fail(step, ": its body has ", body->outputs.size(), " outputs, and needs ", numStates,
                " states");
  if (body->outputs.size() != node->numResults())
    return fail(step, " has ", node->numResults(), " results, its body ", body->outputs.size());
  const size_t numScans = body->outputs.size() - numStates;
  step.axes = integersOf(attributes, "scan_input_axes", count);
  step.backwards = integersOf(attributes, "scan_input_directions", count);
  step.outAxes = integersOf(attributes, "scan_output_axes", numScans);
  step.outBackwards = integersOf(attributes, "scan_output_directions", numScans);
  addOutputTypes(step, *bodyOf(node, "body", 0), numStates);
}

} // namespace ge
