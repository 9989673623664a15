//===- ShareWeights.cpp - share-weights: equal constants are one ------------------------------===//
//
// Not the matcher: constants are compared with one another, over the whole graph.
//
#include "Builtin.h"
#include "PassEditor.h"

#include <algorithm>
#include <unordered_map>

namespace ge::builtin {

namespace {

struct Weight {
  Node *node;
  const Tensor *tensor;
};

/// Constants of one graph and of its enclosing graphs. Bytes are read only if two have the same
/// type, and once: the hash is stored with the tensor.
struct WeightScope {
  WeightScope *outer;
  std::unordered_map<const Type *, std::vector<Weight>> byType;
  std::unordered_map<const Type *, std::unordered_multimap<uint64_t, Weight>> byHash;

  const Weight *find(const Type *type, const Tensor *tensor) {
    for (WeightScope *scope = this; scope; scope = scope->outer) {
      auto waiting = scope->byType.find(type);
      if (waiting == scope->byType.end())
        continue;
      auto &known = scope->byHash[type];
      for (const Weight &weight : waiting->second)
        known.emplace(weight.tensor->hash(), weight);
      waiting->second.clear();
      auto [begin, end] = known.equal_range(tensor->hash());
      for (auto at = begin; at != end; ++at)
        if (at->second.tensor == tensor || at->second.tensor->equals(*tensor))
          return &at->second;
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
  registry.add(functionPass(
      "share-weights",
      "Merges constants with the same type and bytes. Not: constants that are outputs.",
      [](PassEditor &rewriter) { Sharer(rewriter).run(rewriter.root(), nullptr); }));
}

} // namespace ge::builtin
