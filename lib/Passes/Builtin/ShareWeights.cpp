//===- ShareWeights.cpp - share-weights: equal constants are one ------------------------------===//
//
// Not the matcher: constants are compared with one another, over the whole graph.
//
#include "Builtin.h"
#include "PassEditor.h"

#include "ge/IR/TensorBytes.h"

#include <algorithm>
#include <unordered_map>

namespace ge::builtin {

namespace {

struct Weight {
  Node *node;
  const Tensor *tensor;
};

/// Constants of one type whose ends are the same. The whole is read when there are two; when there
/// are more, a few times, for a hash of the contents.
class Alike {
public:
  const Weight *find(const Tensor *tensor) {
    if (weights_.size() == 1)
      return isSame(weights_.front(), tensor) ? &weights_.front() : nullptr;
    for (; numHashed_ != weights_.size(); ++numHashed_)
      byContent_.emplace(contentHash(*weights_[numHashed_].tensor), numHashed_);
    auto [begin, end] = byContent_.equal_range(contentHash(*tensor));
    for (auto at = begin; at != end; ++at)
      if (isSame(weights_[at->second], tensor))
        return &weights_[at->second];
    return nullptr;
  }
  void add(const Weight &weight) { weights_.push_back(weight); }

private:
  static bool isSame(const Weight &weight, const Tensor *tensor) {
    return weight.tensor == tensor || weight.tensor->equals(*tensor);
  }
  std::vector<Weight> weights_;
  std::unordered_multimap<uint64_t, size_t> byContent_;
  size_t numHashed_ = 0;
};

/// Constants of one graph and of its enclosing graphs. Their ends are read when two have the same
/// type.
struct WeightScope {
  WeightScope *outer;
  std::unordered_map<const Type *, std::vector<Weight>> byType;
  std::unordered_map<const Type *, std::unordered_map<uint64_t, Alike>> byHash;

  const Weight *find(const Type *type, const Tensor *tensor) {
    // An empty constant of a body stays: it saves nothing, and onnx's inference, which sees no
    // contents of outer constants, would take it for one with elements.
    const bool looksOutside = tensor->numElements() != 0;
    for (WeightScope *scope = this; scope; scope = looksOutside ? scope->outer : nullptr) {
      auto waiting = scope->byType.find(type);
      if (waiting == scope->byType.end())
        continue;
      auto &known = scope->byHash[type];
      for (const Weight &weight : waiting->second)
        known[weight.tensor->hash()].add(weight);
      waiting->second.clear();
      if (auto alike = known.find(tensor->hash()); alike != known.end())
        if (const Weight *found = alike->second.find(tensor))
          return found;
    }
    return nullptr;
  }
};

class Sharer {
public:
  explicit Sharer(PassEditor &rewriter) : rewriter_(rewriter) {}

  void run(Graph &graph, WeightScope *outer) {
    WeightScope scope{outer, {}, {}};
    if (rewriter_.trustsDefaults() && graph.isRoot())
      for (Node *input : graph.inputNodes())
        if (const Tensor *tensor = constantTensor(input->result(0));
            tensor && !share(scope, input, tensor))
          add(scope, input, tensor);
    std::vector<Node *> holders;
    NodeCursor cursor(&graph);
    while (Node *node = cursor.next()) {
      rewriter_.poll();
      if (!node->subgraphs().empty())
        holders.push_back(node);
      if (node->numResults() != 1 || !isFree(node))
        continue;
      const Tensor *tensor = constantTensor(node->result(0));
      if (tensor && !share(scope, node, tensor))
        add(scope, node, tensor);
    }
    // Constants depend on nothing, so those of this graph are visible in all nested graphs.
    for (Node *holder : holders)
      for (Graph *inner : holder->subgraphs())
        run(*inner, &scope);
  }

private:
  /// The type of the value, which may have a layout; that makes it another type.
  void add(WeightScope &scope, Node *node, const Tensor *tensor) {
    if (rewriter_.isWritten(node->result(0)))
      return;
    scope.byType[node->result(0)->type()].push_back({node, tensor});
  }
  bool share(WeightScope &scope, Node *node, const Tensor *tensor) {
    Value *value = node->result(0);
    if (!value->hasUses() || isOutput(value) || rewriter_.isWritten(value) ||
        rewriter_.isAnnotationParameter(value))
      return false;
    const Weight *first = scope.find(value->type(), tensor);
    if (!first)
      return false;
    Value *shared = first->node->result(0);
    rewriter_.statistics().count("shared");
    // Before the node, and perhaps the tensor, dies.
    rewriter_.statistics().count("bytes", tensor->denseSize());
    Mutation::replaceAllUses(value, shared);
    if (!node->isData())
      Mutation::erase(node);
    return true;
  }
  PassEditor &rewriter_;
};

} // namespace

void registerShareWeights(PassRegistry &registry) {
  registry.add(
      functionPass("share-weights",
                   "Merges constants with the same type and bytes. Not: constants that are "
                   "outputs, empty ones of different graphs.",
                   [](PassEditor &rewriter) { Sharer(rewriter).run(rewriter.root(), nullptr); }));
}

} // namespace ge::builtin
