//===- ProgramCompile.cpp - nodes of graphs become programs ------------------------------------===//
#include "KernelsRun.h"
#include "Program.h"
#include "ProgramOrder.h"

#include "ge/IR/Module.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Ops/Schema/Effects.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace ge::capi {

KnownType::KnownType(const Type *type) {
  if (!type || !type->isTensor())
    return;
  GeDTypeInfo info;
  bool isElement = geDTypeToDLPack(GeDType(type->dtype()), &element) == GE_OK &&
                   geDTypeGetInfo(GeDType(type->dtype()), &info) == GE_OK;
  if (!isElement)
    return;
  isKnown = true;
  isRanked = type->isRanked();
  isStatic = isRanked;
  for (const Dim &dim : type->shape()) {
    shape.push_back(dim.isStatic() ? dim.size : -1);
    isStatic &= dim.isStatic();
  }
  type->print(text);
}

bool KnownType::takes(const DLTensor &tensor) const {
  if (!isKnown)
    return true;
  if (std::memcmp(&element, &tensor.dtype, sizeof element) != 0)
    return false;
  if (!isRanked)
    return true;
  if (size_t(tensor.ndim) != shape.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] >= 0 && shape[i] != tensor.shape[i])
      return false;
  return true;
}

namespace {

using Attributes = std::vector<NamedAttribute>;

Attribute entryOf(Attribute dict, std::string_view name) {
  if (dict.kind() == AttrKind::Dict)
    for (size_t i = 0; i != dict.size(); ++i)
      if (dict.keys()[i]->str() == name)
        return dict.elements()[i];
  return {};
}

template <typename Holder> Attribute attributeOf(const Holder &holder, std::string_view name) {
  const Identifier *key = holder.context().lookupIdentifier(name);
  return key ? holder.attributes().find(key->id()) : Attribute();
}

std::string shown(const Node *node) {
  std::string name;
  node->appendName(name);
  return cat("node '", name, "' (", node->op()->str(), ")");
}

/// A graph that is being compiled, and where its values are.
struct Scope {
  Body &body;
  Scope *around;           ///< of a body
  const Attributes *given; ///< of the call of a function; null: of none
  std::unordered_map<const Value *, Place> places{};

  Place newSlot() { return Place(body.numSlots++); }
};

class Compiler {
public:
  explicit Compiler(Program &program) : program_(program) {}

  void addFunctions(const Module *module) {
    for (size_t i = 0; module && i < module->numGraphs(); ++i)
      if (const Graph *graph = module->graph(i);
          attributeOf(*graph, "onnx.function").kind() == AttrKind::Dict)
        functions_.emplace(graph->name(), graph);
  }

  /// The kernels, which a library that is closed would take along.
  std::vector<KernelRef> takePinned() { return std::move(pinned_); }

  void compile(const Graph &graph) {
    runner_ = regionRunner();
    if (runner_)
      opsets_ = opsetsOf(graph);
    Scope scope{newBody(graph), nullptr, nullptr};
    compileGraph(scope, graph);
    compileWaiting();
  }

  void compile(const Graph &graph, std::span<Node *const> nodes, std::span<Value *const> inputs,
               std::span<Value *const> outputs) {
    Scope scope{newBody(graph), nullptr, nullptr};
    scope.body.numInputs = inputs.size();
    for (const Value *input : inputs)
      scope.places.emplace(input, scope.newSlot());
    for (const Node *node : nodes)
      compileNode(scope, node);
    for (const Value *output : outputs)
      scope.body.outputs.push_back(placeOf(scope, output, scope.body.described));
    finish(scope.body);
    compileWaiting();
  }

private:
  /// The body of a function with the attributes of a call, which comes later.
  struct Waiting {
    Body *body;
    const Graph *graph;
    Attributes given;
  };

  /// For a host, which has another way.
  template <typename... Parts> void refuse(const Parts &...parts) const {
    if (program_.isHosted)
      throwError(ErrorKind::NotImplemented, parts...);
  }

  Body &newBody(const Graph &graph) {
    Body &body = program_.bodies.emplace_back();
    body.name = graph.name();
    body.described = graph.describe();
    return body;
  }

  void compileWaiting() {
    while (!waiting_.empty()) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      given_.push_back(std::move(next.given)); // addresses stay
      Scope scope{*next.body, nullptr, &given_.back()};
      compileGraph(scope, *next.graph);
    }
  }

  void compileGraph(Scope &scope, const Graph &graph) {
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
    finish(scope.body);
  }

  /// `user`: as errors name what needs the value.
  Place placeOf(Scope &scope, const Value *value, std::string_view user) {
    if (!value)
      return kNowhere;
    // A scope around may hold what the value's node alone would not say: an input that is given.
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

  /// The place of what is computed, given or read already, also in the scopes around.
  static std::optional<Place> knownPlace(Scope &scope, const Value *value) {
    if (auto found = scope.places.find(value); found != scope.places.end())
      return found->second;
    std::optional<Place> place = scope.around ? knownPlace(*scope.around, value) : std::nullopt;
    if (place && *place >= 0) {
      scope.body.captures.emplace_back(*place, scope.newSlot());
      place = scope.body.captures.back().second;
    }
    if (place)
      scope.places.emplace(value, *place);
    return place;
  }

  /// Splats are written out once where that is little.
  RunValue constantOf(const Tensor &tensor, std::string_view user) const {
    constexpr size_t kSmall = 1 << 16;
    DLDataType type;
    bool isElement = !tensor.isString() &&
                     geDTypeToDLPack(GeDType(tensor.type()->dtype()), &type) == GE_OK &&
                     type.bits % 8 == 0;
    if (!isElement)
      refuse(user, ": kernels take no ", tensor.type()->str());
    bool isSmall = isElement && tensor.isSplat() && tensor.denseSize() <= kSmall;
    return isSmall ? RunValue::adopt(newDenseObject(tensor)) : valueOf(tensor);
  }

  /// Attributes of a node; those of the call are in the place of references to them.
  Attributes attributesOf(const Scope &scope, const Node *node) {
    Attributes all;
    const AttributeList &list = node->attributes();
    for (uint32_t i = 0; i < list.size(); ++i) {
      Attribute value = list.at(i);
      if (Attribute reference = entryOf(value, "ref_attr_name");
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

  const Graph *functionOf(const OperatorName *op) const {
    if (functions_.empty())
      return nullptr;
    std::string name = cat(op->domain(), ".", op->type());
    if (!op->overload().empty())
      name += cat(":", op->overload());
    auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
  }

  void compileNode(Scope &scope, const Node *node) {
    Interrupt::look();
    if (node->numResults() == 1 && contentsOf(node->result(0)))
      return; // read where it is used
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

  // --- Regions of a runner

  void compileGroups(Scope &scope, const std::vector<NodeGroup> &groups) {
    for (const NodeGroup &group : groups)
      if (!group.isRegion)
        compileNode(scope, group.nodes[0]);
      else if (!group.results.empty())
        compileRegion(scope, group);
  }

  void compileRegion(Scope &scope, const NodeGroup &group) {
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

  bool mayBeInRegion(const Node *node) {
    if (functionOf(node->op()) || !supports(node->op()) || hasKernel(node->op()))
      return false;
    for (const Graph *body : node->subgraphs())
      if (!isForRunner(*body))
        return false;
    return definitionFault(node, program_.opset).empty(); // else it is an error of its own
  }

  bool isForRunner(const Graph &body) {
    if (auto known = forRunner_.find(&body); known != forRunner_.end())
      return known->second;
    bool all = true;
    for (const Node *node = body.front(); node && all; node = node->next())
      all = (node->numResults() == 1 && contentsOf(node->result(0))) || mayBeInRegion(node);
    return forRunner_[&body] = all;
  }

  bool supports(const OperatorName *op) {
    auto [known, isNew] = supported_.try_emplace(op, false);
    if (isNew)
      known->second = runner_->supports(*op);
    return known->second;
  }

  bool hasKernel(const OperatorName *op) const {
    OpDefRef def = recordOf(op, program_.opset);
    if (!def)
      return false;
    std::string name = def->qualifiedName();
    const Registry &registry = Registry::global();
    return registry.findKernel(name, program_.backend) || registry.findKernel(name, "any");
  }

  /// Operator sets that regions are read with.
  AttrRef opsetsOf(const Graph &graph) const {
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

  // --- Operators

  void compileOperator(Scope &scope, Step &step, const Node *node) {
    Attributes attributes = attributesOf(scope, node);
    try {
      step.kernel = kernelOf(step, node, attributes);
    } catch (const Error &) {
      // Its arguments do not fit: running it reports the error.
    }
    step.kind = step.kernel ? StepKind::Kernel : StepKind::Tensors;
    if (step.kernel)
      return;
    refuse(step.label, " has no kernel that runs here");
    // Evaluators crash on what does not fit its definition.
    if (std::string fault = definitionFault(node, program_.opset); !fault.empty()) {
      step.kind = StepKind::Fail;
      step.reason = fault.starts_with(step.label) ? fault.substr(step.label.size()) : ": " + fault;
      return;
    }
    step.tensors = std::make_unique<TensorStep>(
        TensorStep{node->op(), std::string(node->name()), std::move(attributes)});
  }

  static bool isPlain(const Result &result) {
    return result.isTensor() && !result.isVariadic() && !result.type->isOptional();
  }

  std::unique_ptr<KernelStep> kernelOf(const Step &step, const Node *node,
                                       const Attributes &attributes) {
    OpDefRef def = recordOf(node->op(), program_.opset);
    if (!def || def->vararg || def->varret || def->results.size() != node->numResults() ||
        !std::ranges::all_of(def->results, isPlain))
      return nullptr;
    Registry &registry = Registry::global();
    std::string name = def->qualifiedName();
    KernelRef kernel = registry.findKernel(name, program_.backend);
    if (!kernel)
      kernel = registry.findKernel(name, "any");
    uint32_t foreign = GE_KERNEL_FOREIGN | GE_KERNEL_TVM_FFI | GE_KERNEL_HOLDS_GIL;
    if (!kernel || (program_.isHosted && (kernel->flags() & foreign)))
      return nullptr;
    auto own = std::make_unique<KernelStep>(
        (kernel->flags() & (GE_KERNEL_TVM_FFI | GE_KERNEL_KEEPS | GE_KERNEL_FOREIGN)) != 0);
    own->isOut = (kernel->flags() & GE_KERNEL_OUT) != 0;
    own->isStrided = (kernel->flags() & GE_KERNEL_STRIDED) != 0;
    own->kernelText = cat("kernel ", kernel->backend(), " (", kernel->source().str(), ")");
    own->op = node->op();
    own->attributes = attributes;
    bindArguments(*own, *def, step, attributes);
    if (!planResults(*own, *def, node))
      return nullptr;
    own->def = std::move(def);
    own->number = program_.numKernelSteps++;
    own->kernel = numberOf(kernel);
    size_t count = own->arguments.list.size() + own->fresh.size();
    program_.mostArguments = std::max(program_.mostArguments, count);
    program_.mostOperands = std::max(program_.mostOperands, own->operands.size());
    return own;
  }

  size_t numberOf(const KernelRef &kernel) {
    auto [found, isNew] = kernels_.try_emplace(kernel.get(), program_.kernels.size());
    if (isNew) {
      program_.kernels.push_back(kernel);
      pinned_.push_back(kernel); // its address stays taken
    }
    return found->second;
  }

  void bindArguments(KernelStep &own, const OpDef &def, const Step &step,
                     const Attributes &attributes) {
    static const char something = 0; // operands are there or not
    std::vector<const Tensor *> operands;
    for (Place place : step.operands)
      operands.push_back(place == kNowhere ? nullptr
                                           : reinterpret_cast<const Tensor *>(&something));
    while (!program_.isHosted && !operands.empty() && !operands.back())
      operands.pop_back();
    std::vector<CallArg> bound = bindCall(def, step.label, operands, attributes);
    for (size_t i = 0; i < def.params.size(); ++i) {
      const Param &param = def.params[i];
      auto argument = uint32_t(own.arguments.list.size());
      if (param.isOperand()) {
        bool isWritten = param.alias && isWrite(*param.alias);
        std::span<const Tensor *const> given = bound[i].tensors;
        if (param.isVariadic())
          own.lists.push_back({argument, own.operands.size(), given.size()});
        for (const Tensor *const &one : given)
          own.operands.push_back(
              {step.operands[size_t(&one - operands.data())], argument, isWritten, false});
        parameters_[i] = given.empty() ? std::nullopt : std::optional(own.operands.size() - 1);
        own.arguments.list.push_back({});
      } else if (bound[i].attribute) {
        own.arguments.add(bound[i].attribute, param.type);
      } else if (param.defaultValue) {
        own.arguments.add(param.defaultValue->value, param.type);
      } else {
        own.arguments.add(Constant(), param.type); // None, which its type takes
      }
    }
  }

  bool planResults(KernelStep &own, const OpDef &def, const Node *node) {
    ResultPlan plan(def);
    const auto &owners = plan.owners;
    for (size_t i = 0; i < owners.size(); ++i) {
      own.declared.emplace_back(program_.isHosted ? node->result(uint32_t(i))->type() : nullptr);
      own.owners.push_back(owners[i] ? parameters_[*owners[i]] : std::nullopt);
      if (owners[i] && (!own.owners[i] || own.operands[*own.owners[i]].place == kNowhere))
        return false; // of an operand that is absent
      // A result that may lie in an operand's memory: who owns what, only the caller knows.
      if (program_.isHosted && !owners[i] && def.results[i].alias)
        return false;
    }
    own.fresh = std::move(plan.fresh);
    own.lenders = std::move(plan.lenders);
    return true;
  }

  // --- Functions and bodies

  void compileCall(Scope &scope, Step &step, const Node *node, const Graph &function) {
    step.kind = StepKind::Call;
    if (step.operands.size() > function.numInputs())
      return fail(step, " has ", step.operands.size(), " operands, its function ",
                  function.numInputs(), " inputs");
    if (node->numResults() != function.numOutputs())
      return fail(step, " has ", node->numResults(), " results, its body ", function.numOutputs());
    step.operands.resize(function.numInputs(), kNowhere);
    Attributes given = attributesOf(scope, node);
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

  template <typename... Parts> static void fail(Step &step, const Parts &...parts) {
    step.kind = StepKind::Fail;
    step.reason = cat(parts...);
  }

  static const Graph *bodyOf(const Node *node, std::string_view slot, size_t number) {
    for (const Graph *one : node->subgraphs())
      if (one->slot() == slot)
        return one;
    return number < node->subgraphs().size() ? node->subgraphs()[number] : nullptr;
  }

  /// The body in a slot, which takes so many inputs.
  const Body *compileBody(Scope &scope, Step &step, const Node *node, std::string_view slot,
                          size_t number, size_t numInputs) {
    const Graph *graph = bodyOf(node, slot, number);
    if (!graph) {
      fail(step, " has no body '", slot, "'");
      return nullptr;
    }
    return compileBody(scope, step, *graph, numInputs);
  }
  const Body *compileBody(Scope &scope, Step &step, const Graph &graph, size_t numInputs) {
    if (graph.numInputs() != numInputs)
      refuse(graph.describe(), " has ", graph.numInputs(), " inputs, not ", numInputs);
    Scope inner{newBody(graph), &scope, scope.given};
    compileGraph(inner, graph);
    step.bodies.push_back(&inner.body);
    return &inner.body;
  }

  void compileBodies(Scope &scope, Step &step, const Node *node) {
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
      return fail(step, ": geGraphRun does not run the bodies of this operator");
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

  void compileLoop(Scope &scope, Step &step, const Node *node, size_t numStates) {
    const Body *body = compileBody(scope, step, node, "body", 0, numStates + 2);
    if (!body)
      return;
    if (body->outputs.size() < numStates + 1)
      return fail(step, ": its body has ", body->outputs.size(),
                  " outputs, and needs a condition and ", numStates, " values");
    if (body->outputs.size() - 1 != node->numResults())
      return fail(step, " has ", node->numResults(), " results, its body ",
                  body->outputs.size() - 1);
    addOutputTypes(step, *bodyOf(node, "body", 0), 1 + numStates);
  }

  void addOutputTypes(Step &step, const Graph &graph, size_t first) {
    for (size_t i = first; i < graph.numOutputs(); ++i) {
      const Value *output = graph.outputValue(uint32_t(i));
      step.outputTypes.push_back(output ? output->type() : nullptr);
      if (output)
        program_.keep(output->type());
    }
  }

  /// Numbers of an attribute, `count` of them, else zeros.
  static std::vector<int64_t> integersOf(const Attributes &attributes, std::string_view name,
                                         size_t count) {
    std::vector<int64_t> all;
    for (const NamedAttribute &one : attributes)
      if (one.name->str() == name && one.value.kind() == AttrKind::Array)
        all.assign(one.value.ints().begin(), one.value.ints().end());
    all.resize(count);
    return all;
  }

  void compileScan(Scope &scope, Step &step, const Node *node) {
    Attributes attributes = attributesOf(scope, node);
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

  // --- Lives of values

  /// Where each slot is used last. An output is used by the end.
  static void finish(Body &body) {
    constexpr size_t kNever = SIZE_MAX;
    std::vector<size_t> last(body.numSlots, kNever);
    for (size_t i = 0; i < body.steps.size(); ++i) {
      Interrupt::look();
      const Step &step = body.steps[i];
      auto use = [&](Place place) {
        if (place >= 0)
          last[size_t(place)] = i;
      };
      std::ranges::for_each(step.operands, use);
      for (const Body *inner : step.bodies)
        for (const auto &[from, to] : inner->captures)
          use(from);
    }
    for (Place place : body.outputs)
      if (place >= 0)
        last[size_t(place)] = body.steps.size();
    for (Step &step : body.steps)
      for (Place &place : step.results)
        if (place >= 0 && last[size_t(place)] == kNever)
          place = kNowhere;
    for (size_t slot = 0; slot < last.size(); ++slot)
      if (last[slot] < body.steps.size())
        body.steps[last[slot]].releases.push_back(Place(slot));
    for (Step &step : body.steps)
      if (step.kernel)
        for (KernelStep::Operand &operand : step.kernel->operands)
          operand.isLast = std::ranges::count(step.releases, operand.place) == 1 &&
                           std::ranges::count(step.operands, operand.place) == 1;
  }

  Program &program_;
  std::unordered_map<std::string, const Graph *> functions_;
  std::map<std::vector<uint64_t>, Body *> compiled_;
  std::deque<Waiting> waiting_;
  std::deque<Attributes> given_;
  Captured captured_;
  std::shared_ptr<const RegionRunner> runner_; ///< null: nodes run one by one
  AttrRef opsets_;
  std::unordered_map<const OperatorName *, bool> supported_;
  std::unordered_map<const Graph *, bool> forRunner_;
  std::unordered_map<const Kernel *, size_t> kernels_;
  std::vector<KernelRef> pinned_;
  /// Of the node at hand: by parameter, the first operand of the kernel step.
  std::unordered_map<size_t, std::optional<size_t>> parameters_;
};

} // namespace

Program::~Program() {
  for (const Type *type : types_)
    context->release(type);
  for (const AttrStorage *storage : storages_)
    context->release(storage);
}

void Program::keep(const Type *type) {
  Context::retain(type);
  types_.push_back(type);
}

void Program::keep(Attribute attribute) {
  if (attribute.isInline()) {
    if (attribute.kind() == AttrKind::Type)
      keep(attribute.typeValue());
  } else if (const AttrStorage *storage = attribute.interned()) {
    Context::retain(storage);
    storages_.push_back(storage);
  } else {
    attributes_.emplace_back(attribute);
  }
}

std::shared_ptr<Program> programOf(const Graph &graph, uint32_t opset) {
  auto program = std::make_shared<Program>(graph.context(), opset, "cpu", false);
  Compiler compiler(*program);
  compiler.addFunctions(graph.module());
  compiler.compile(graph);
  program->pinned = compiler.takePinned();
  return program;
}

std::shared_ptr<Program> programOf(const Graph &graph, std::string_view backend,
                                   std::span<Node *const> nodes, std::span<Value *const> inputs,
                                   std::span<Value *const> outputs) {
  auto program = std::make_shared<Program>(graph.context(), 0, backend, true);
  Compiler compiler(*program);
  compiler.addFunctions(graph.module());
  compiler.compile(graph, nodes, inputs, outputs);
  return program;
}

} // namespace ge::capi
