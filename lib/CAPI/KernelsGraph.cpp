//===- KernelsGraph.cpp - ge-c/Kernels.h: graphs that run on tensors ----------------------------===//
#include "KernelsRun.h"
#include "TensorSlices.h"

#include "ge-c/Kernels.h"
#include "ge/IR/FloatFormat.h"
#include "ge/IR/Module.h"
#include "ge/Ops/Infer/Infer.h"

#include <optional>
#include <unordered_map>

using namespace ge;
using namespace ge::capi;

namespace {

using Tensors = std::vector<TensorPtr>;
using Attributes = std::vector<NamedAttribute>;

constexpr int kDeepest = 1000; ///< bodies and functions inside each other, on the thread's stack

Attribute entryOf(Attribute dict, std::string_view name) {
  if (dict.kind() == AttrKind::Dict)
    for (size_t i = 0; i != dict.size(); ++i)
      if (dict.keys()[i]->str() == name)
        return dict.elements()[i];
  return {};
}

Attribute attributeOf(const Graph &graph, std::string_view name) {
  const Identifier *key = graph.context().lookupIdentifier(name);
  return key ? graph.attributes().find(key->id()) : Attribute();
}

/// The order of a graph's nodes, and what is needed no more behind each.
struct Plan {
  std::vector<Node *> nodes;
  std::vector<std::vector<const Value *>> done;
};

/// Values that a node needs: its operands, and what its bodies take from around.
void addNeeded(const Node *node, std::vector<const Value *> &needed) {
  for (uint32_t i = 0; i < node->numOperands(); ++i)
    if (const Value *operand = node->operand(i))
      needed.push_back(operand);
  for (const Graph *body : node->subgraphs()) {
    for (const Node *inner = body->front(); inner; inner = inner->next())
      addNeeded(inner, needed);
    for (uint32_t i = 0; i < body->numOutputs(); ++i)
      if (const Value *output = body->outputValue(i))
        needed.push_back(output);
  }
}

Plan planOf(const Graph &graph) {
  Plan plan;
  plan.nodes = graph.sortedNodes();
  plan.done.resize(plan.nodes.size());
  std::unordered_map<const Value *, size_t> last;
  std::vector<const Value *> needed;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    needed.clear();
    addNeeded(plan.nodes[i], needed);
    for (const Value *value : needed)
      last[value] = i;
  }
  for (uint32_t i = 0; i < graph.numOutputs(); ++i)
    last.erase(graph.outputValue(i));
  for (auto [value, i] : last)
    plan.done[i].push_back(value);
  return plan;
}

/// What one run knows: how graphs run, and the functions of the module.
class Program {
public:
  Program(const Graph &root, uint32_t opset) : opset(opset) {
    const Module *module = root.module();
    for (size_t i = 0; module && i < module->numGraphs(); ++i)
      if (const Graph *graph = module->graph(i);
          attributeOf(*graph, "onnx.function").kind() == AttrKind::Dict)
        functions_.emplace(graph->name(), graph);
  }

  /// Null when the operator is no function's.
  const Graph *function(const OperatorName *op) const {
    if (functions_.empty())
      return nullptr;
    std::string name = cat(op->domain(), ".", op->type());
    if (!op->overload().empty())
      name += cat(":", op->overload());
    auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
  }
  const Plan &plan(const Graph &graph) {
    auto [found, isNew] = plans_.try_emplace(&graph);
    if (isNew)
      found->second = planOf(graph);
    return found->second;
  }

  const uint32_t opset;
  std::vector<const Graph *> open; ///< from the root to the graph that runs

private:
  std::unordered_map<std::string, const Graph *> functions_;
  std::unordered_map<const Graph *, Plan> plans_;
};

/// A graph and what its values are; one for each body and call that runs.
class GraphRun {
public:
  /// `around`: of the graph around a body. `given`: attributes of the call of a function.
  GraphRun(Program &program, const GraphRun *around, const Attributes *given)
      : program_(program), around_(around), given_(given) {}

  Tensors run(const Graph &graph, std::span<const TensorPtr> inputs) {
    Enter entered(program_, graph);
    if (inputs.size() != graph.numInputs())
      throwError(ErrorKind::Value, graph.describe(), " has ", graph.numInputs(), " inputs, not ",
                 inputs.size());
    for (uint32_t i = 0; i < graph.numInputs(); ++i)
      values_[graph.input(i)] = inputs[i];
    const Plan &plan = program_.plan(graph);
    for (size_t i = 0; i < plan.nodes.size(); ++i) {
      runNode(plan.nodes[i]);
      for (const Value *value : plan.done[i])
        values_.erase(value);
    }
    Tensors outputs;
    for (uint32_t i = 0; i < graph.numOutputs(); ++i) {
      const Value *value = graph.outputValue(i);
      outputs.push_back(value ? valueOf(value) : TensorPtr());
    }
    return outputs;
  }

private:
  struct Enter {
    Program &program;
    Enter(Program &program, const Graph &graph) : program(program) {
      if (program.open.size() >= kDeepest) {
        std::string path;
        for (const Graph *one : std::span(program.open).last(4))
          path += cat("'", one->name(), "' -> ");
        throwError(ErrorKind::General, "graphs call each other ", kDeepest,
                   " deep, which is the limit: ", path, "'", graph.name(), "'");
      }
      program.open.push_back(&graph);
    }
    Enter(const Enter &) = delete;
    ~Enter() { program.open.pop_back(); }
  };

  static std::string shown(const Node *node) {
    return cat("node '", node->name(), "' (", node->op()->str(), ")");
  }
  template <typename... Parts>
  [[noreturn]] static void fail(const Node *node, const Parts &...parts) {
    throwError(ErrorKind::Verify, shown(node), parts...);
  }

  TensorPtr valueOf(const Value *value) const {
    for (const GraphRun *one = this; one; one = one->around_)
      if (auto found = one->values_.find(value); found != one->values_.end())
        return found->second;
    if (const Tensor *constant = constantTensor(value))
      return TensorPtr(constant);
    throwError(ErrorKind::Value, "value '", value->name(), "' has not been computed");
  }

  /// Attributes of a node; those of the call are in the place of references to them.
  Attributes attributesOf(const Node *node) const {
    Attributes all;
    const AttributeList &list = node->attributes();
    for (uint32_t i = 0; i < list.size(); ++i) {
      Attribute value = list.at(i);
      if (Attribute reference = entryOf(value, "ref_attr_name");
          given_ && reference.kind() == AttrKind::String) {
        auto found = std::ranges::find_if(*given_, [&](const NamedAttribute &one) {
          return one.name->str() == reference.stringValue();
        });
        if (found == given_->end())
          continue;
        value = found->value;
      }
      all.push_back({node->context().identifierAt(list.nameIdAt(i)), value});
    }
    return all;
  }

  void runNode(Node *node) {
    Interrupt::look();
    if (node->numResults() == 1 && constantTensor(node->result(0)))
      return; // read where it is used
    Tensors operands;
    for (uint32_t i = 0; i < node->numOperands(); ++i) {
      const Value *operand = node->operand(i);
      operands.push_back(operand ? valueOf(operand) : TensorPtr());
    }
    Tensors results;
    if (const Graph *function = program_.function(node->op()))
      results = call(node, *function, std::move(operands));
    else if (!node->subgraphs().empty())
      results = runBodies(node, operands);
    else
      results = runAlone(node, operands);
    if (results.size() != node->numResults())
      fail(node, " has ", node->numResults(), " results, its body ", results.size());
    for (uint32_t i = 0; i < node->numResults(); ++i)
      if (results[i])
        values_[node->result(i)] = std::move(results[i]);
  }

  Tensors runAlone(const Node *node, const Tensors &held) const {
    std::vector<const Tensor *> operands;
    for (const TensorPtr &one : held)
      operands.push_back(one.get());
    while (!operands.empty() && !operands.back())
      operands.pop_back();
    Tensors results(node->numResults());
    Attributes attributes = attributesOf(node);
    OpDefRef def = recordOf(node->op(), program_.opset);
    runOp({node->context(), node->op(), def.get(), program_.opset, operands, attributes,
           node->name()},
          results);
    return results;
  }

  Tensors call(const Node *node, const Graph &function, Tensors operands) const {
    if (operands.size() > function.numInputs())
      fail(node, " has ", operands.size(), " operands, its function ", function.numInputs(),
           " inputs");
    operands.resize(function.numInputs());
    Attributes given = attributesOf(node);
    if (Attribute defaults = attributeOf(function, "onnx.attribute_defaults");
        defaults.kind() == AttrKind::Dict)
      for (size_t i = 0; i != defaults.size(); ++i)
        given.push_back({defaults.keys()[i], defaults.elements()[i]}); // behind what the call says
    return GraphRun(program_, nullptr, &given).run(function, operands);
  }

  Tensors inner(const Graph &graph, std::span<const TensorPtr> inputs) const {
    return GraphRun(program_, this, given_).run(graph, inputs);
  }

  // --- Operators with bodies ---

  static const Graph &body(const Node *node, std::string_view slot, size_t number) {
    for (const Graph *one : node->subgraphs())
      if (one->slot() == slot)
        return *one;
    if (number >= node->subgraphs().size())
      fail(node, " has no body '", slot, "'");
    return *node->subgraphs()[number];
  }
  static const TensorPtr &operandOf(const Node *node, std::span<const TensorPtr> operands,
                                    size_t i) {
    if (i >= operands.size() || !operands[i])
      fail(node, " has no operand ", i);
    return operands[i];
  }
  /// Whether a condition holds: one number that is not zero, or of CANN's, more elements than none.
  static bool truth(const Node *node, const TensorPtr &condition, bool isOnnx = false) {
    if (!condition || condition->isString())
      fail(node, ": the condition is not a number");
    if (condition->numElements() != 1) {
      if (isOnnx)
        fail(node, ": the condition has ", condition->numElements(), " elements");
      return condition->numElements() > 0;
    }
    std::vector<char> bytes(condition->denseSize());
    condition->copyDense(bytes.data());
    // -0.0 is the one number that is zero and not of zero bits.
    if (bytes.size() > 1 && hasFloatFormat(condition->type()->dtype()))
      bytes.back() = char(bytes.back() & 0x7f);
    return std::ranges::any_of(bytes, [](char byte) { return byte != 0; });
  }
  static int64_t number(const Node *node, const TensorPtr &tensor) {
    std::optional<int64_t> value = tensor ? integerOf(*tensor) : std::nullopt;
    if (!value)
      fail(node, " needs one integer, not ", tensor ? tensor->type()->str() : "nothing");
    return *value;
  }

  Tensors runBodies(const Node *node, std::span<const TensorPtr> operands) const {
    std::string_view op = node->op()->str();
    std::span<const TensorPtr> rest = operands.subspan(std::min<size_t>(1, operands.size()));
    if (op == "onnx.If" || op == "ge.If" || op == "ge.StatelessIf") {
      bool taken = truth(node, operandOf(node, operands, 0), op == "onnx.If");
      return inner(body(node, taken ? "then_branch" : "else_branch", taken ? 0 : 1),
                   op == "onnx.If" ? std::span<const TensorPtr>() : rest);
    }
    if (op == "onnx.Loop")
      return runLoop(node, operands);
    if (op == "onnx.Scan")
      return runScan(node, operands);
    if (op == "ge.PartitionedCall" || op == "ge.StatefulPartitionedCall")
      return inner(body(node, "f", 0), operands);
    if (op == "ge.While" || op == "ge.StatelessWhile")
      return runWhile(node, operands);
    if (op == "ge.For")
      return runFor(node, operands);
    if (op == "ge.Case") {
      // Out of range is the last one.
      auto count = int64_t(node->subgraphs().size());
      int64_t at = number(node, operandOf(node, operands, 0));
      return inner(*node->subgraphs()[size_t(at >= 0 && at < count ? at : count - 1)], rest);
    }
    throwError(ErrorKind::NotImplemented, shown(node),
               ": geGraphRun does not run the bodies of this operator");
  }

  Tensors runWhile(const Node *node, std::span<const TensorPtr> operands) const {
    const Graph &condition = body(node, "cond", 0), &step = body(node, "body", 1);
    Tensors values(operands.begin(), operands.end());
    while (true) {
      Tensors goesOn = inner(condition, values);
      if (goesOn.empty() || !truth(node, goesOn[0]))
        return values;
      values = inner(step, values);
    }
  }

  Tensors runFor(const Node *node, std::span<const TensorPtr> operands) const {
    int64_t bounds[3];
    for (size_t i = 0; i < 3; ++i)
      bounds[i] = number(node, operandOf(node, operands, i));
    auto [start, limit, delta] = bounds;
    if (delta == 0)
      fail(node, ": delta is 0");
    const Graph &step = body(node, "body", 0);
    Tensors values(operands.begin() + 3, operands.end());
    const Type *counter = operands[0]->type();
    for (int64_t i = start; delta > 0 ? i < limit : i > limit;) {
      values.insert(values.begin(), scalarOf(node->context(), counter->dtype(), i));
      values = inner(step, values);
      if (__builtin_add_overflow(i, delta, &i))
        break;
    }
    return values;
  }

  Tensors runLoop(const Node *node, std::span<const TensorPtr> operands) const {
    const Graph &step = body(node, "body", 0);
    auto isGiven = [&](size_t i) { return i < operands.size() && operands[i]; };
    int64_t most = isGiven(0) ? number(node, operands[0]) : INT64_MAX;
    bool goesOn = !isGiven(1) || truth(node, operands[1], true);
    std::span<const TensorPtr> states = operands.subspan(std::min<size_t>(2, operands.size()));
    Tensors values(states.begin(), states.end());
    const size_t count = values.size();
    if (step.numOutputs() < count + 1)
      fail(node, ": its body has ", step.numOutputs(), " outputs, and needs a condition and ",
           count, " values");
    std::vector<Tensors> scans(step.numOutputs() - count - 1);
    Context &context = node->context();
    for (int64_t turn = 0; goesOn && turn < most; ++turn) {
      Interrupt::look();
      values.insert(values.begin(),
                    {scalarOf(context, DType::I64, turn), scalarOf(context, DType::Bool, goesOn)});
      Tensors made = inner(step, values);
      goesOn = truth(node, made[0], true);
      values.assign(made.begin() + 1, made.begin() + 1 + ptrdiff_t(count));
      for (size_t i = 0; i < scans.size(); ++i)
        scans[i].push_back(made[1 + count + i]);
    }
    for (size_t i = 0; i < scans.size(); ++i)
      values.push_back(stackedFor(node, scans[i], 0, step.outputValue(uint32_t(1 + count + i))));
    return values;
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

  Tensors runScan(const Node *node, std::span<const TensorPtr> operands) const {
    const Graph &step = body(node, "body", 0);
    Attributes attributes = attributesOf(node);
    int64_t given = 0;
    for (const NamedAttribute &one : attributes)
      if (one.name->str() == "num_scan_inputs" && one.value.kind() == AttrKind::Int)
        given = one.value.intValue();
    if (given < 1 || size_t(given) > operands.size())
      fail(node, ": num_scan_inputs is ", given, ", and there are ", operands.size(), " operands");
    auto count = size_t(given);
    const size_t numStates = operands.size() - count;
    if (step.numOutputs() < numStates)
      fail(node, ": its body has ", step.numOutputs(), " outputs, and needs ", numStates,
           " states");
    const size_t numScans = step.numOutputs() - numStates;
    std::vector<int64_t> axes = integersOf(attributes, "scan_input_axes", count),
                         back = integersOf(attributes, "scan_input_directions", count),
                         outAxes = integersOf(attributes, "scan_output_axes", numScans),
                         outBack = integersOf(attributes, "scan_output_directions", numScans);
    std::optional<int64_t> length;
    for (size_t i = 0; i < count; ++i) {
      const TensorPtr &input = operandOf(node, operands, numStates + i);
      auto rank = int64_t(input->type()->shape().size());
      if (axes[i] < -rank || axes[i] >= rank)
        fail(node, ": scan input ", i, " of rank ", rank, " has no axis ", axes[i]);
      axes[i] += axes[i] < 0 ? rank : 0;
      int64_t own = input->type()->shape()[size_t(axes[i])].size;
      if (length.value_or(own) != own)
        fail(node, ": scan inputs have the lengths ", *length, " and ", own);
      length = own;
    }
    Tensors values(operands.begin(), operands.begin() + ptrdiff_t(numStates));
    std::vector<Tensors> scans(numScans);
    for (int64_t turn = 0; turn < *length; ++turn) {
      Interrupt::look();
      for (size_t i = 0; i < count; ++i)
        values.push_back(sliceOf(*operands[numStates + i], size_t(axes[i]),
                                 back[i] ? *length - 1 - turn : turn));
      Tensors made = inner(step, values);
      values.assign(made.begin(), made.begin() + ptrdiff_t(numStates));
      for (size_t i = 0; i < numScans; ++i)
        scans[i].push_back(made[numStates + i]);
    }
    for (size_t i = 0; i < numScans; ++i) {
      if (outBack[i])
        std::ranges::reverse(scans[i]);
      values.push_back(
          stackedFor(node, scans[i], outAxes[i], step.outputValue(uint32_t(numStates + i))));
    }
    return values;
  }

  static TensorPtr stackedFor(const Node *node, const Tensors &parts, int64_t axis,
                              const Value *output) {
    if (parts.empty())
      return emptyOf(node->context(), output ? output->type() : nullptr);
    for (const TensorPtr &part : parts)
      if (!part || part->type() != parts[0]->type())
        fail(node, ": its body gave ", parts[0] ? parts[0]->type()->str() : "nothing", " and ",
             part ? part->type()->str() : "nothing", " for one scan output");
    auto rank = int64_t(parts[0]->type()->shape().size()) + 1;
    if (axis < -rank || axis >= rank)
      fail(node, ": a scan output of rank ", rank, " has no axis ", axis);
    return stackOf(parts, size_t(axis < 0 ? axis + rank : axis));
  }

  Program &program_;
  const GraphRun *around_;
  const Attributes *given_;
  std::unordered_map<const Value *, TensorPtr> values_;
};

} // namespace

GeStatus geGraphRun(GeGraphRef *graph, uint32_t opset, GeTensor *const *inputs, size_t numInputs,
                    GeTensor **outputs, size_t numOutputs) {
  return interruptible([&] {
    Reading<Graph> g(graph, "graph");
    Context &context = g->context();
    std::vector<const Tensor *> tensors = tensorsIn(context, inputs, numInputs, "inputs");
    needArray(outputs, numOutputs, "outputs");
    std::fill_n(outputs, numOutputs, nullptr);
    if (numOutputs != g->numOutputs())
      throwError(ErrorKind::Value, g->describe(), " has ", g->numOutputs(), " outputs, not ",
                 numOutputs);
    Tensors held;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i])
        throwError(ErrorKind::Value, "input ", i, " is NULL");
      held.emplace_back(tensors[i]);
      if (i >= g->numInputs())
        continue; // said below
      const Type *type = g->input(uint32_t(i))->type();
      if (type->isTensor() && !meetTypes(type, tensors[i]->type()))
        throwError(ErrorKind::Value, "input '", g->input(uint32_t(i))->name(), "' is ", type->str(),
                   ", not ", tensors[i]->type()->str());
    }
    // Its functions are graphs of their own.
    std::optional<LiveModule<Access::Read>> list;
    std::optional<ModuleGraphs> graphs;
    if (Module *module = g->module()) {
      list.emplace(*module);
      graphs.emplace(*module);
    }
    Program program(*g.get(), opset);
    Tensors made = GraphRun(program, nullptr, nullptr).run(*g.get(), held);
    for (size_t i = 0; i < numOutputs; ++i)
      outputs[i] = wrap(made[i].take());
  });
}
