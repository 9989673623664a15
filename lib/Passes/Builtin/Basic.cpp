//===- Basic.cpp - verify, sort, infer-types --------------------------------------------------===//
//
// These passes process whole graphs, so they need no matcher.
//
#include "Builtin.h"
#include "PassEditor.h"

#include "ge/IR/Analysis.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Ops/Registry/DomainLoader.h"

namespace ge {

namespace {

/// The loader may run while the run has access to the graph: its edits belong to the pass.
void loadDomainsOf(const Graph &graph) {
  if (hasDomainLoader())
    loadDomains(unmetDomains(graph));
}

class Verify final : public Pass {
public:
  explicit Verify(const PassOptions &options) : definitions_(options.flag("definitions", true)) {}
  std::string_view name() const override { return "verify"; }
  void run(Graph &graph, PassContext &context) override {
    std::vector<Diagnostic> wrong = verify(&graph);
    if (wrong.empty() && definitions_) {
      loadDomainsOf(graph);
      VerifyResult result = verifyDefinitions(&graph);
      for (Diagnostic &diagnostic : result.diagnostics) {
        if (diagnostic.severity == Severity::Error)
          wrong.push_back(std::move(diagnostic));
        else
          context.remark(std::move(diagnostic));
      }
      context.count("checked", result.checked);
      context.count("unknown", result.unknown);
    }
    if (!wrong.empty())
      throw Error(ErrorKind::Verify, std::move(wrong));
  }

private:
  bool definitions_;
};

class Sort final : public Pass {
public:
  std::string_view name() const override { return "sort"; }
  void run(Graph &graph, PassContext &context) override {
    std::vector<Node *> order;
    if (!graph.topologicalOrder(order) || !isListed(graph, order)) {
      Mutation::sort(&graph); // throws with the cycle, if there is one
      context.count("sorted");
    }
    for (Node *node = graph.front(); node; node = node->next())
      for (Graph *body : node->subgraphs())
        run(*body, context);
  }

private:
  static bool isListed(const Graph &graph, const std::vector<Node *> &order) {
    const Node *node = graph.front();
    for (const Node *wanted : order) {
      if (node != wanted)
        return false;
      node = node->next();
    }
    return !node;
  }
};

class InferTypes final : public Pass {
public:
  explicit InferTypes(const PassOptions &options) : strict_(options.flag("strict", false)) {}
  std::string_view name() const override { return "infer-types"; }
  void run(Graph &graph, PassContext &context) override {
    loadDomainsOf(graph);
    InferOptions options;
    // The value of an input that a caller may override is unknown.
    options.trustInputDefaults = builtin::PassEditor(graph, context).trustsDefaults();
    // Later passes rely on types.
    options.correctShapes = true;
    InferCounts counts = inferTypes(&graph, options);
    context.count("inferred", counts.inferred);
    context.count("unknown", counts.unknown);
    context.count("changed", counts.changed);
    if (strict_ && !counts.diagnostics.empty())
      throw Error(ErrorKind::Verify, std::move(counts.diagnostics));
    for (Diagnostic &diagnostic : counts.diagnostics) {
      diagnostic.severity = Severity::Warning;
      context.remark(std::move(diagnostic));
    }
  }

private:
  bool strict_;
};

} // namespace

void registerBasicPasses(PassRegistry &registry) {
  registry.add({.name = "verify",
                .doc = "Checks graphs, and nodes against the definitions of their operators.",
                .options = {{"definitions", "true", "check against definitions, too"}},
                .create = [](const PassOptions &o) { return std::make_unique<Verify>(o); },
                .exactness = Exactness::Exact});
  registry.add({.name = "sort",
                .doc = "Sorts nodes in a stable topological order, also in bodies.",
                .options = {},
                .create = [](const PassOptions &) { return std::make_unique<Sort>(); },
                .exactness = Exactness::Exact});
  registry.add({.name = "infer-types",
                .doc = "Infers the types of all values, also in bodies. A declared shape of an "
                       "inner value that contradicts "
                       "the inferred one is replaced by it, with a warning.",
                .options = {{"strict", "false", "contradictions are failures, not warnings"}},
                .create = [](const PassOptions &o) { return std::make_unique<InferTypes>(o); },
                .exactness = Exactness::Exact});
}

} // namespace ge
