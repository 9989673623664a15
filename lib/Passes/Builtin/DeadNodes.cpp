//===- DeadNodes.cpp - dce: what no output needs ----------------------------------------------===//
//
// Not the matcher: what is needed is found over the whole graph.
//
#include "Builtin.h"
#include "Functions.h"
#include "PassEditor.h"

#include <unordered_set>

namespace ge::builtin {

namespace {

/// Marks what is needed, from the roots to producers; unmarked nodes are erased. The outputs of a
/// nested graph are needed if its node is.
class Marker {
public:
  explicit Marker(PassEditor &rewriter) : rewriter_(rewriter) {}

  void run(Graph &root) {
    enter(root);
    while (!work_.empty()) {
      rewriter_.poll();
      Node *node = work_.back();
      work_.pop_back();
      for (uint32_t i = 0; i != node->numOperands(); ++i)
        if (Value *operand = node->operand(i))
          need(operand->node());
      for (Node *input : node->controlInputs())
        need(input);
      for (Graph *inner : node->subgraphs())
        enter(*inner);
    }
  }
  bool isNeeded(const Node *node) const { return needed_.contains(node); }

private:
  void enter(Graph &graph) {
    need(graph.output());
    for (Node *node = graph.front(); node; node = node->next()) {
      rewriter_.poll();
      if (!rewriter_.isRemovable(node) || !node->controlOutputs().empty())
        need(node);
    }
  }
  void need(Node *node) {
    if (needed_.insert(node).second)
      work_.push_back(node);
  }

  PassEditor &rewriter_;
  std::unordered_set<const Node *> needed_;
  std::vector<Node *> work_;
};

uint64_t eraseUnneeded(Graph &graph, const Marker &marker) {
  uint64_t erased = 0;
  // Users mostly follow their producers in the list.
  NodeCursor cursor(&graph, true);
  Interrupt interrupt;
  while (Node *node = cursor.next()) {
    interrupt.poll();
    if (!marker.isNeeded(node)) {
      Mutation::erase(node, true);
      ++erased;
      continue;
    }
    for (Graph *inner : node->subgraphs())
      erased += eraseUnneeded(*inner, marker);
  }
  return erased;
}

/// In models before IR version 4, weights are inputs, too.
uint64_t eraseUnusedDefaults(PassEditor &rewriter, Graph &graph) {
  uint64_t erased = 0;
  for (uint32_t i = graph.numInputs(); i-- > 0;) {
    Node *input = graph.inputNodes()[i];
    if (!input->attribute("value") || input->hasUses() || !input->controlOutputs().empty() ||
        rewriter.isAnnotationParameter(input->result(0)))
      continue;
    Mutation::eraseInput(input);
    ++erased;
  }
  return erased;
}

class DeadNodes final : public Pass {
public:
  std::string_view name() const override { return "dce"; }
  void run(Graph &root, PassContext &context) override {
    eraseFrom(root, context);
    // The parameters of annotations whose tensors are gone are unused now.
    if (size_t stale = eraseStaleAnnotations(root)) {
      context.count("erased-annotations", stale);
      eraseFrom(root, context);
    }
    PassEditor rewriter(root, context);
    if (rewriter.trustsDefaults() && root.isRoot())
      if (uint64_t erased = eraseUnusedDefaults(rewriter, root))
        context.count("erased-inputs", erased);
  }
  void run(Module &module, PassContext &context) override {
    Pass::run(module, context);
    for (Graph *function : Functions(module).uncalled()) {
      context.eraseLater(function);
      context.count("erased-functions");
    }
  }

private:
  static void eraseFrom(Graph &root, PassContext &context) {
    PassEditor rewriter(root, context);
    Marker marker(rewriter);
    marker.run(root);
    if (uint64_t erased = eraseUnneeded(root, marker))
      context.count("erased", erased);
  }
};

} // namespace

void registerDeadNodes(PassRegistry &registry) {
  PassInfo info{"dce",
                "Erases nodes that no output needs, in subgraphs too, unused weights, and "
                "functions without calls. Not: unregistered operators, and nodes with control "
                "edges.",
                {},
                [](const PassOptions &) { return std::make_unique<DeadNodes>(); }};
  info.exactness = Exactness::Exact;
  registry.add(std::move(info));
}

} // namespace ge::builtin
