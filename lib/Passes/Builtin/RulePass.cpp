//===- RulePass.cpp - the two forms that built-in passes have ---------------------------------===//
#include "Rewriter.h"

#include <algorithm>

namespace ge::builtin {

void refuseCycles(Graph &root) {
  for (const Graph *graph : allGraphs(root))
    graph->sortedNodes();
}

namespace {

class RulePass final : public Pass {
public:
  RulePass(std::string_view name, std::span<const RuleRow> rows, uint64_t bytes)
      : name_(name), rows_(rows), bytes_(bytes) {
    for (const RuleRow &row : rows)
      (row.op.empty() ? any_ : byOp_[row.op]).push_back(row.rule);
  }
  std::string_view name() const override { return name_; }
  using Pass::run;
  void run(Graph &root, PassContext &context) override {
    refuseCycles(root);
    Rewriter rewriter(root, context);
    rewriter.setByteBudget(bytes_);
    // A chain is merged in one sweep along it; each edit leaves less to do.
    while (sweep(rewriter, root)) {
    }
  }

private:
  bool sweep(Rewriter &rewriter, Graph &graph) {
    bool changed = false;
    NodeCursor cursor(&graph);
    while (Node *node = cursor.next()) {
      rewriter.poll();
      std::string name = rewriter.nameFor(node);
      if (rewriter.mayRewrite() && apply(rewriter, node)) {
        changed = true; // and the node may be gone
        rewriter.rewrote("rewritten", name);
        continue;
      }
      for (size_t i = 0; i < node->subgraphs().size(); ++i)
        changed |= sweep(rewriter, *node->subgraphs()[i]);
    }
    return changed;
  }
  bool apply(Rewriter &rewriter, Node *node) const {
    auto fires = [&](Rule rule) { return rule(rewriter, node); };
    if (!isFree(node) || node->numResults() == 0)
      return false;
    if (node->op()->domain() == "onnx")
      if (auto rules = byOp_.find(node->op()->type());
          rules != byOp_.end() && std::ranges::any_of(rules->second, fires))
        return true;
    return std::ranges::any_of(any_, fires);
  }

  std::string_view name_;
  std::span<const RuleRow> rows_;
  uint64_t bytes_;
  std::unordered_map<std::string_view, std::vector<Rule>> byOp_;
  std::vector<Rule> any_;
};

class FunctionPass final : public Pass {
public:
  FunctionPass(std::string_view name, void (*work)(Rewriter &)) : name_(name), work_(work) {}
  std::string_view name() const override { return name_; }
  using Pass::run;
  void run(Graph &root, PassContext &context) override {
    refuseCycles(root);
    Rewriter rewriter(root, context);
    work_(rewriter);
  }

private:
  std::string_view name_;
  void (*work_)(Rewriter &);
};

} // namespace

PassInfo rulePass(std::string_view name, std::string_view doc, std::span<const RuleRow> rows) {
  return {std::string(name), std::string(doc), {}, [name, rows](const PassOptions &) {
            return std::make_unique<RulePass>(name, rows, 0);
          }};
}

PassInfo chargedRulePass(std::string_view name, std::string_view doc,
                         std::span<const RuleRow> rows) {
  return {std::string(name),
          std::string(doc),
          {bytesOption()},
          [name, rows](const PassOptions &options) {
            return std::make_unique<RulePass>(name, rows, options.size("bytes", 0));
          }};
}

PassInfo functionPass(std::string_view name, std::string_view doc, void (*run)(Rewriter &)) {
  return {std::string(name), std::string(doc), {}, [name, run](const PassOptions &) {
            return std::make_unique<FunctionPass>(name, run);
          }};
}

} // namespace ge::builtin
