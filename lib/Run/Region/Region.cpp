//===- Region.cpp - regions of graphs that a runner computes ------------------------------------===//
#include "ge/Run/Region/Region.h"

#include "NodeOrder.h"

#include "ge/IR/Analysis.h"
#include "ge/IR/InternScope.h"
#include "ge/IR/Root.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Run/Call/Call.h"
#include "ge/Support/InterruptPause.h"

#include <algorithm>
#include <list>
#include <unordered_map>

namespace ge {

namespace {

/// Compiled regions of graphs that ran, newest first. The hash preselects; equality with the copy
/// decides, which is in a context of its own and shares the bytes of weights.
struct Kept {
  uint64_t hash;
  std::string opsets;
  std::shared_ptr<Root> copy;
  size_t bytes;
  std::shared_ptr<const RegionRunner> runner;
  std::shared_ptr<CompiledRegion> region;
};

struct InstalledRunner {
  std::mutex lock;
  std::shared_ptr<const RegionRunner> runner;
  std::list<Kept> kept;
};

constexpr size_t kMostKept = 64, kMostBytes = size_t(1) << 30;

InstalledRunner &installed() {
  // Never destroyed: an installed table may belong to an interpreter that has ended by then.
  static InstalledRunner &only = *new InstalledRunner;
  return only;
}

Attribute opsetsOf(const Module &model) {
  const Identifier *key = model.context().identifier("onnx.opset_imports");
  return model.attributes().find(key->id());
}

std::string written(Attribute dict) {
  std::string text;
  for (size_t i = 0; dict.kind() == AttrKind::Dict && i != dict.size(); ++i)
    text += cat(dict.keys()[i]->str(), "=", dict.elements()[i].intValue(), " ");
  return text;
}

std::shared_ptr<Root> copyOf(const Graph *graph) {
  ContextPtr own(Context::create());
  own->release(); // the reference of create()
  return {clone(graph, own.get()), [](Root *root) { root->drop(); }};
}

size_t bytesOf(const Graph &graph) {
  size_t bytes = 0;
  for (const Node *node = graph.front(); node; node = node->next()) {
    const AttributeList &list = node->attributes();
    for (uint32_t i = 0; i < list.size(); ++i)
      if (list.at(i).kind() == AttrKind::Tensor)
        bytes += list.at(i).tensorValue()->bytes().size();
    for (const Graph *inner : node->subgraphs())
      bytes += bytesOf(*inner);
  }
  return bytes;
}

std::shared_ptr<CompiledRegion> findKept(const RegionRunner &runner, uint64_t hash,
                                         const std::string &opsets, const Graph *graph) {
  InstalledRunner &all = installed();
  std::vector<Kept> candidates; // compared without the lock: weights may be read
  {
    std::lock_guard guard(all.lock);
    for (const Kept &one : all.kept)
      if (one.hash == hash && one.opsets == opsets && one.runner.get() == &runner)
        candidates.push_back(one);
  }
  for (const Kept &one : candidates) {
    if (!isStructurallyEqual(one.copy->graph(), graph))
      continue;
    std::lock_guard guard(all.lock);
    auto found = std::ranges::find(all.kept, one.region, &Kept::region);
    if (found != all.kept.end())
      all.kept.splice(all.kept.begin(), all.kept, found);
    return one.region;
  }
  return nullptr;
}

void keep(Kept one) {
  std::list<Kept> gone; // released without the lock, because releasing may call anything
  InstalledRunner &all = installed();
  std::lock_guard guard(all.lock);
  if (one.runner != all.runner)
    return;
  all.kept.push_front(std::move(one));
  size_t bytes = 0, count = 0;
  for (auto it = all.kept.begin(); it != all.kept.end(); ++it) {
    bytes += it->bytes;
    ++count;
    if (count == 1 || (count <= kMostKept && bytes <= kMostBytes))
      continue;
    gone.splice(gone.begin(), all.kept, it, all.kept.end());
    break;
  }
}

/// Calls the runner; returns false if it does not run the region, and sets `refusal`.
template <typename F> bool answers(const F &call, const std::string &label, std::string &refusal) {
  try {
    InterruptPause pause;
    call();
    return true;
  } catch (const Error &error) {
    refusal = error.message();
    if (error.kind() == ErrorKind::NotImplemented)
      return false;
    bool isMemory = error.kind() == ErrorKind::Memory;
    throwError(isMemory ? ErrorKind::Memory : ErrorKind::General, label, ": ", refusal);
  }
}

/// Element type and rank of each input.
std::string keyOf(std::span<const TensorPtr> inputs) {
  std::string key;
  for (const TensorPtr &input : inputs)
    key += input ? cat(int(input->type()->dtype()), ":", input->type()->shape().size(), ",") : "-,";
  return key;
}

} // namespace

std::shared_ptr<const RegionRunner> regionRunner() {
  std::lock_guard guard(installed().lock);
  return installed().runner;
}

void setRegionRunner(std::shared_ptr<const RegionRunner> runner) {
  std::list<Kept> gone; // released without the lock, before the runner
  InstalledRunner &all = installed();
  std::lock_guard guard(all.lock);
  all.runner.swap(runner);
  all.kept.swap(gone);
}

// --- Runs

Region::~Region() = default;

std::vector<TensorPtr> Region::run(std::span<const TensorPtr> inputs) {
  if (isRefused_.load(std::memory_order_acquire))
    return runParts(inputs);
  std::shared_ptr<CompiledRegion> region = compiled(inputs);
  std::vector<TensorPtr> results(graph().numOutputs());
  if (region) {
    std::vector<TensorPtr> given;
    std::ranges::copy_if(inputs, std::back_inserter(given),
                         [](const TensorPtr &input) { return bool(input); });
    std::string refusal;
    if (answers([&] { region->run(model_->context(), given, results); }, label_, refusal)) {
      for (size_t i = 0; i < results.size(); ++i)
        if (!results[i])
          throwError(ErrorKind::General, label_, ": the region runner left output ", i, " out");
      return results;
    }
    std::lock_guard guard(lock_);
    refusal_ = refusal;
    isRefused_.store(true, std::memory_order_release);
  }
  return runParts(inputs);
}

std::shared_ptr<CompiledRegion> Region::compiled(std::span<const TensorPtr> inputs) {
  std::string key = keyOf(inputs);
  std::lock_guard guard(lock_);
  for (const auto &[one, region] : compiled_)
    if (one == key)
      return region;
  std::shared_ptr<const RegionRunner> runner = regionRunner();
  if (!runner)
    throwError(ErrorKind::NotImplemented, label_,
               ": the region runner was removed after the graph was prepared");
  InternScope scope(model_->context());
  ModulePtr model = modelFor(inputs);
  uint64_t hash = structuralHash(model->graph(0));
  std::string opsets = written(opsetsOf(*model));
  std::shared_ptr<CompiledRegion> region = findKept(*runner, hash, opsets, model->graph(0));
  if (!region) {
    std::shared_ptr<Root> copy = copyOf(model->graph(0)); // the runner may edit what it gets
    size_t bytes = bytesOf(*model->graph(0));
    if (!answers([&] { region = runner->compile(*model); }, label_, refusal_)) {
      isRefused_.store(true, std::memory_order_release);
      return nullptr;
    }
    keep({hash, std::move(opsets), std::move(copy), bytes, runner, region});
  }
  compiled_.emplace_back(std::move(key), region);
  return region;
}

/// Builds the model for inputs of these types, without absent ones.
ModulePtr Region::modelFor(std::span<const TensorPtr> inputs) const {
  Context &context = model_->context();
  ModulePtr model(model_->clone());
  Graph &graph = *model->graph(0);
  for (size_t i = inputs.size(); i-- > 0;) {
    Value *input = graph.input(uint32_t(i));
    if (!inputs[i]) {
      while (const Use *use = input->firstUse())
        Mutation::setOperand(use->owner(), use->index(), nullptr);
      Mutation::eraseInput(input->node());
      continue;
    }
    std::vector<Dim> shape(inputs[i]->type()->shape().size());
    TensorTypeSpec spec;
    spec.dtype = inputs[i]->type()->dtype();
    spec.shape = shape;
    Mutation::setType(input, context.tensorType(spec));
  }
  return model;
}

std::vector<TensorPtr> Region::runParts(std::span<const TensorPtr> inputs) {
  if (nodes_.size() == 1)
    return runNode(inputs);
  {
    std::lock_guard guard(lock_);
    if (parts_.empty())
      split();
  }
  std::unordered_map<const Value *, TensorPtr> known;
  for (uint32_t i = 0; i < graph().numInputs(); ++i)
    known.emplace(graph().input(i), inputs[i]);
  for (const std::unique_ptr<Region> &part : parts_) {
    std::vector<TensorPtr> given;
    for (const Value *input : part->inputs())
      given.push_back(known.at(input));
    std::vector<TensorPtr> made = part->run(given);
    for (size_t i = 0; i < made.size(); ++i)
      known[part->results()[i]] = std::move(made[i]);
  }
  std::vector<TensorPtr> results;
  for (uint32_t i = 0; i < graph().numOutputs(); ++i)
    results.push_back(known.at(graph().outputValue(i)));
  return results;
}

std::vector<TensorPtr> Region::runNode(std::span<const TensorPtr> inputs) const {
  const Node &node = *nodes_[0];
  auto fail = [&] { throwError(ErrorKind::General, label_, ": ", refusal_); };
  if (!node.subgraphs().empty())
    fail();
  std::vector<TensorPtr> held;
  std::vector<const Tensor *> operands;
  for (uint32_t i = 0; i < node.numOperands(); ++i) {
    const Value *value = node.operand(i);
    TensorPtr tensor;
    if (value && value->node()->isData())
      for (uint32_t k = 0; k < graph().numInputs(); ++k)
        tensor = graph().input(k) == value ? inputs[k] : tensor;
    else if (value)
      tensor = contentsOf(value);
    held.push_back(tensor);
    operands.push_back(held.back().get());
  }
  while (!operands.empty() && !operands.back())
    operands.pop_back();
  std::vector<NamedAttribute> attributes;
  const AttributeList &list = node.attributes();
  for (uint32_t i = 0; i < list.size(); ++i)
    attributes.push_back({node.context().identifierAt(list.nameIdAt(i)), list.at(i)});
  std::vector<TensorPtr> all(node.numResults()), results;
  uint32_t opset = opsetOf(&graph(), node.op()->domain());
  OpDefRef def = recordOf(node.op(), opset);
  try {
    runOp({node.context(), node.op(), def.get(), opset, operands, attributes, node.name(),
           node.operandSegments()},
          all);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::NotImplemented)
      throw;
    fail(); // the runner's error is the reason
  }
  for (uint32_t i = 0; i < graph().numOutputs(); ++i)
    results.push_back(all[graph().outputValue(i)->index()]);
  return results;
}

} // namespace ge
