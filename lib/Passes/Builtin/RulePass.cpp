//===- RulePass.cpp - the two forms that built-in passes have ---------------------------------===//
//
// Calls the rules of other files, so it needs no matcher.
//
#include "PassEditor.h"

#include <algorithm>

namespace ge::builtin {

void refuseCycles(Graph &root) {
  for (const Graph *graph : allGraphs(root))
    graph->sortedNodes();
}

namespace {

class RulePass final : public Pass {
public:
  RulePass(std::string_view name, std::span<const RuleRow> rows, Exactness allowed, uint64_t bytes)
      : name_(name), bytes_(bytes) {
    for (const RuleRow &row : rows)
      if (row.exactness <= allowed)
        (row.op.empty() ? any_ : byOp_[row.op]).push_back(row.rule);
  }
  std::string_view name() const override { return name_; }
  using Pass::run;
  void run(Graph &root, PassContext &context) override {
    refuseCycles(root);
    PassEditor rewriter(root, context);
    rewriter.setByteBudget(bytes_);
    // A chain is merged in one sweep along it; each edit leaves less to do in later rounds.
    while (sweep(rewriter, root)) {
    }
  }

private:
  bool sweep(PassEditor &rewriter, Graph &graph) {
    bool changed = false;
    NodeCursor cursor(&graph);
    while (Node *node = cursor.next()) {
      rewriter.poll();
      std::string name = rewriter.nameFor(node);
      if (rewriter.mayRewrite() && apply(rewriter, node)) {
        changed = true; // the node may be erased
        rewriter.rewrote("rewritten", name);
        continue;
      }
      for (size_t i = 0; i < node->subgraphs().size(); ++i)
        changed |= sweep(rewriter, *node->subgraphs()[i]);
    }
    return changed;
  }
  bool apply(PassEditor &rewriter, Node *node) const {
    auto fires = [&](Rule rule) { return rule(rewriter, node); };
    if (!isFree(node) || node->numResults() == 0)
      return false;
    if ((!any_.empty() || byOp_.contains(node->op()->type())) && rewriter.isDisputed(node))
      return false;
    if (node->op()->domain() == "onnx")
      if (auto rules = byOp_.find(node->op()->type());
          rules != byOp_.end() && std::ranges::any_of(rules->second, fires))
        return true;
    return std::ranges::any_of(any_, fires);
  }

  std::string_view name_;
  uint64_t bytes_;
  std::unordered_map<std::string_view, std::vector<Rule>> byOp_;
  std::vector<Rule> any_;
};

class FunctionPass final : public Pass {
public:
  FunctionPass(std::string_view name, void (*work)(PassEditor &)) : name_(name), work_(work) {}
  std::string_view name() const override { return name_; }
  using Pass::run;
  void run(Graph &root, PassContext &context) override {
    refuseCycles(root);
    PassEditor rewriter(root, context);
    work_(rewriter);
  }

private:
  std::string_view name_;
  void (*work_)(PassEditor &);
};

} // namespace

PassOption exactnessOption() {
  return {"exactness", std::string(exactnessName(Exactness::Reassociating)),
          "allowed class of rewrites: exact, reassociating or approximate"};
}

PassInfo rulePass(std::string_view name, std::string_view doc, std::span<const RuleRow> rows) {
  PassInfo info{std::string(name), std::string(doc), {}, [name, rows](const PassOptions &options) {
                  return std::make_unique<RulePass>(
                      name, rows, options.exactness("exactness", Exactness::Reassociating),
                      options.size("bytes", 0));
                }};
  info.exactness = std::ranges::min(rows, {}, &RuleRow::exactness).exactness;
  for (const RuleRow &row : rows)
    if (row.exactness != info.exactness &&
        std::ranges::find(info.rewrites, row.what, &PassRewrite::what) == info.rewrites.end())
      info.rewrites.push_back({std::string(row.what), row.exactness});
  if (info.exactness != Exactness::Exact || !info.rewrites.empty())
    info.options.push_back(exactnessOption());
  return info;
}

PassInfo chargedRulePass(std::string_view name, std::string_view doc,
                         std::span<const RuleRow> rows) {
  PassInfo info = rulePass(name, doc, rows);
  info.options.push_back(bytesOption());
  return info;
}

PassInfo functionPass(std::string_view name, std::string_view doc, void (*run)(PassEditor &)) {
  PassInfo info{std::string(name), std::string(doc), {}, [name, run](const PassOptions &) {
                  return std::make_unique<FunctionPass>(name, run);
                }};
  info.exactness = Exactness::Exact;
  return info;
}

} // namespace ge::builtin
