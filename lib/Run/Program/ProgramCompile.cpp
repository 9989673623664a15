//===- ProgramCompile.cpp - graphs, values and nodes of a program ------------------------------===//
#include "ProgramCompiler.h"

#include "ge/Ops/Infer/Opsets.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>

namespace ge {

namespace {

std::string shown(const Node *node) {
  std::string name;
  node->appendName(name);
  return cat("node '", name, "' (", node->op()->str(), ")");
}

/// The place of a value that is computed, an input or read already, also in an enclosing scope.
std::optional<Place> knownPlace(ProgramScope &scope, const Value *value) {
  if (auto found = scope.places.find(value); found != scope.places.end())
    return found->second;
  std::optional<Place> place = scope.parent ? knownPlace(*scope.parent, value) : std::nullopt;
  if (place && *place >= 0) {
    scope.body.captures.emplace_back(*place, scope.newSlot());
    place = scope.body.captures.back().second;
  }
  if (place)
    scope.places.emplace(value, *place);
  return place;
}

} // namespace

void ProgramCompiler::addFunctions(const Module *module) {
  for (size_t i = 0; module && i < module->numGraphs(); ++i) {
    const Graph *graph = module->graph(i);
    Attribute function = attributeOf(*graph, "onnx.function");
    auto part = [&](std::string_view key) {
      Attribute text = function.entry(key);
      return text.kind() == AttrKind::String ? text.stringValue() : std::string_view();
    };
    if (part("name").empty())
      continue;
    std::string_view domain = part("domain").empty() ? "onnx" : part("domain");
    const OperatorName *op = module->context().operatorName(domain, part("name"), part("overload"));
    if (!isStandardOperator(*module, *op)) // else no node calls the function
      functions_.emplace(op, graph);
  }
}

void ProgramCompiler::compile(const Graph &graph) {
  runner_ = regionRunner();
  ProgramScope scope{newBody(graph), nullptr, nullptr};
  compileGraph(scope, graph);
  compileWaiting();
}

void ProgramCompiler::compile(const Graph &graph, std::span<Node *const> nodes,
                              std::span<Value *const> inputs, std::span<Value *const> outputs) {
  ProgramScope scope{newBody(graph), nullptr, nullptr};
  scope.body.numInputs = inputs.size();
  for (const Value *input : inputs)
    scope.places.emplace(input, scope.newSlot());
  for (const Node *node : nodes)
    compileNode(scope, node);
  for (const Value *output : outputs)
    scope.body.outputs.push_back(placeOf(scope, output, scope.body.described));
  addReleases(scope.body);
  compileWaiting();
}

Body &ProgramCompiler::newBody(const Graph &graph) {
  Body &body = program_.bodies.emplace_back();
  body.name = graph.name();
  body.described = graph.describe();
  return body;
}

void ProgramCompiler::compileWaiting() {
  while (!waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    given_.push_back(std::move(next.given)); // a deque: addresses stay valid
    ProgramScope scope{*next.body, nullptr, &given_.back()};
    compileGraph(scope, *next.graph);
  }
}

void ProgramCompiler::compileGraph(ProgramScope &scope, const Graph &graph) {
  Interrupt::look();
  scope.body.numInputs = graph.numInputs();
  for (uint32_t i = 0; i < graph.numInputs(); ++i)
    scope.places.emplace(graph.input(i), scope.newSlot());
  std::vector<const Node *> order = orderOf(graph, captured_);
  if (runner_)
    compileGroups(scope, groupsOf(graph, order, captured_,
                                  [&](const Node *node) { return mayBeInRegion(node); }));
  else
    for (const Node *node : order)
      compileNode(scope, node);
  for (uint32_t i = 0; i < graph.numOutputs(); ++i)
    scope.body.outputs.push_back(placeOf(scope, graph.outputValue(i), scope.body.described));
  addReleases(scope.body);
}

Place ProgramCompiler::placeOf(ProgramScope &scope, const Value *value, std::string_view user) {
  if (!value)
    return kNowhere;
  // Looked up first in the enclosing scopes: an input with a default may have been given another
  // value.
  if (std::optional<Place> known = knownPlace(scope, value))
    return *known;
  TensorPtr tensor = contentsOf(value);
  if (!tensor) {
    refuse(user, ": value '", value->name(), "' is not among the inputs");
    throwError(ErrorKind::Value, user, ": value '", value->name(), "' has not been computed");
  }
  auto place = Place(~program_.constants.size());
  program_.constants.push_back(constantOf(*tensor, user));
  return scope.places.emplace(value, place).first->second;
}

/// Small splats are written out once.
RunValue ProgramCompiler::constantOf(const Tensor &tensor, std::string_view user) const {
  constexpr size_t kSmall = 1 << 16;
  bool isElement = !tensor.isString() && dlpackType(tensor.type()->dtype()).bits != 0;
  if (!isElement)
    refuse(user, ": kernels take no ", tensor.type()->str());
  bool isSmall = isElement && tensor.isSplat() && tensor.denseSize() <= kSmall;
  return isSmall ? RunValue::adopt(newDenseObject(tensor)) : valueOf(tensor);
}

NamedAttributes ProgramCompiler::attributesOf(const ProgramScope &scope, const Node *node) {
  NamedAttributes all;
  const AttributeList &list = node->attributes();
  for (uint32_t i = 0; i < list.size(); ++i) {
    Attribute value = list.at(i);
    if (Attribute reference = value.entry("ref_attr_name");
        scope.given && reference.kind() == AttrKind::String) {
      auto found = std::ranges::find_if(*scope.given, [&](const NamedAttribute &one) {
        return one.name->str() == reference.stringValue();
      });
      if (found == scope.given->end())
        continue;
      value = found->value;
    }
    program_.keep(value);
    all.push_back({node->context().identifierAt(list.nameIdAt(i)), value});
  }
  return all;
}

const Graph *ProgramCompiler::functionOf(const OperatorName *op) const {
  auto found = functions_.find(op);
  return found == functions_.end() ? nullptr : found->second;
}

void ProgramCompiler::compileNode(ProgramScope &scope, const Node *node) {
  Interrupt::look();
  if (node->numResults() == 1 && contentsOf(node->result(0)))
    return; // a constant is read where it is used
  Step step;
  step.label = shown(node);
  for (uint32_t i = 0; i < node->numOperands(); ++i)
    step.operands.push_back(placeOf(scope, node->operand(i), step.label));
  if (const Graph *function = functionOf(node->op()))
    compileCall(scope, step, node, *function);
  else if (!node->subgraphs().empty())
    compileBodies(scope, step, node);
  else
    compileOperator(scope, step, node);
  if (step.kind == StepKind::Fail)
    refuse(step.label, step.reason);
  for (uint32_t i = 0; i < node->numResults(); ++i) {
    bool isThere = !node->result(i)->isAbsent();
    if (isThere)
      scope.places.emplace(node->result(i), scope.newSlot());
    step.results.push_back(isThere ? scope.places.at(node->result(i)) : kNowhere);
  }
  scope.body.steps.push_back(std::move(step));
}

PinnedProgram programOf(const Graph &graph, uint32_t opset) {
  auto program = std::make_shared<Program>(graph.context(), opset, "cpu", false);
  ProgramCompiler compiler(*program);
  compiler.addFunctions(graph.module());
  compiler.compile(graph);
  return {std::move(program), compiler.takePinned()};
}

std::shared_ptr<Program> programOf(const Graph &graph, std::string_view backend,
                                   std::span<Node *const> nodes, std::span<Value *const> inputs,
                                   std::span<Value *const> outputs) {
  auto program = std::make_shared<Program>(graph.context(), 0, backend, true);
  ProgramCompiler compiler(*program);
  compiler.addFunctions(graph.module());
  compiler.compile(graph, nodes, inputs, outputs);
  return program;
}

} // namespace ge
