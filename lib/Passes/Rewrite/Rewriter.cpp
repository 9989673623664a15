//===- Rewriter.cpp - rules over a graph ------------------------------------------------------===//
#include "ge/Passes/Rewrite/Rewriter.h"

#include "Apply.h"

#include "../Manager/EditChecks.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Passes/Manager/Pass.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ge {

namespace {

/// Rules by the operators of their anchors.
class RuleTable {
public:
  explicit RuleTable(std::span<const RewriteRule> rules) {
    if (rules.size() == 1 && onlyAnchor(*rules[0].pattern)) { // needs no table
      all_.push_back(0);
      return;
    }
    std::vector<uint32_t> order(rules.size());
    for (uint32_t i = 0; i != order.size(); ++i)
      order[i] = i;
    std::ranges::stable_sort(
        order, [&](uint32_t a, uint32_t b) { return rules[a].benefit > rules[b].benefit; });
    for (uint32_t rule : order) {
      const Pattern &pattern = *rules[rule].pattern;
      for (const Pattern::Anchor &anchor : pattern.anchors()) {
        const PatternNode &node = pattern.nodes()[anchor.node];
        isOpen_ |= node.ops.empty() || !node.types.empty();
        for (const OperatorName *op : node.ops) {
          if (op->id() >= byOp_.size())
            byOp_.resize(op->id() + 1);
          if (byOp_[op->id()].empty() || byOp_[op->id()].back() != rule)
            byOp_[op->id()].push_back(rule);
        }
      }
      all_.push_back(rule);
    }
  }
  /// The rules that may be anchored at the node, in order of benefit.
  std::span<const uint32_t> of(const Node *node) const {
    if (onlyOp_ != kNone)
      return node->opId() == onlyOp_ ? std::span<const uint32_t>(all_)
                                     : std::span<const uint32_t>();
    if (isOpen_) [[unlikely]]
      return all_;
    if (node->opId() >= byOp_.size())
      return {};
    return byOp_[node->opId()];
  }

private:
  static constexpr uint32_t kNone = UINT32_MAX;
  /// Finds the operator of all anchors; returns whether there is only one.
  bool onlyAnchor(const Pattern &pattern) {
    const Pattern::Anchor &anchor = pattern.anchors().front();
    const PatternNode &node = pattern.nodes()[anchor.node];
    if (pattern.anchors().size() != 1 || node.ops.size() != 1 || !node.types.empty())
      return false;
    onlyOp_ = node.ops[0]->id();
    return true;
  }
  std::vector<std::vector<uint32_t>> byOp_;
  std::vector<uint32_t> all_;
  uint32_t onlyOp_ = kNone; ///< of the only rule, if it has one anchor with one operator
  bool isOpen_ = false;     ///< some rule can be anchored at any operator
};

class Driver final : public MutationListener {
public:
  Driver(Graph *graph, std::span<const RewriteRule> rules, const RewriteOptions &options)
      : graph_(graph), rules_(rules), options_(options), table_(rules), applier_(options),
        disputes_(graph, true) {
    counts_.perRule.resize(rules.size());
    MatchOptions match = options.match;
    match.disputes = &disputes_;
    for (const RewriteRule &rule : rules) {
      match.needsTypes = bool(rule.build);
      matchers_.emplace_back(rule.pattern, match);
    }
    backwards_ = std::ranges::any_of(
        rules, [](const RewriteRule &rule) { return rule.pattern->anchors().size() > 1; });
  }
  ~Driver() override {
    if (isListening_)
      graph_->root().removeListener(this);
  }

  RewriteCounts run() {
    for (uint32_t sweeps = 1;; ++sweeps) {
      uint64_t before = counts_.rewrites;
      sweepAll();
      if (!options_.fixpoint || counts_.rewrites == before)
        break;
      if (sweeps == kMaxSweeps)
        throwOscillation();
    }
    for (const Matcher &matcher : matchers_)
      counts_.exhausted += matcher.exhausted();
    if (PassContext *pass = PassContext::ofThread())
      for (const std::string *dispute : disputes_.found())
        pass->remarkOnce(cat(*dispute, "; what looks at that type does not match (infer-types, "
                                       "before this pass, corrects it)"));
    return std::move(counts_);
  }

  // A queued node must not be dereferenced after it was erased.
  void removed(Node *node, Graph *) override {
    if (!pending_.empty())
      std::erase(pending_, node);
  }
  void erased(Node *node) override { removed(node, nullptr); }

private:
  static constexpr uint32_t kMaxSweeps = 1000;
  /// The number of rewrites beyond the number of nodes after which rules that rewrite their own
  /// results, without making the graph smaller, are considered to make no progress.
  static constexpr uint64_t kSlack = 64;

  void sweepAll() {
    std::vector<Graph *> open = {graph_};
    while (!open.empty()) {
      Graph *graph = open.back();
      open.pop_back();
      sweep(graph);
      if (!options_.subgraphs)
        continue;
      size_t first = open.size();
      for (Node *node = graph->front(); node; node = node->next())
        if (node->extra())
          for (Graph *inner : node->subgraphs())
            open.push_back(inner);
      std::reverse(open.begin() + std::ptrdiff_t(first), open.end());
    }
  }

  void sweep(Graph *graph) {
    applier_.enter(graph);
    NodeCursor cursor(graph, backwards_);
    limit_ = graph->numNodes() + kSlack;
    while (Node *node = cursor.next()) {
      if (!visit(node))
        continue;
      // Visits the new nodes, and nodes that the rewrite may have enabled, before the sweep
      // continues.
      uint64_t steps = 0;
      uint32_t least = graph->numNodes();
      while (!pending_.empty()) {
        Node *next = pending_.back();
        pending_.pop_back();
        if (!visit(next))
          continue;
        if (graph->numNodes() < least) {
          least = graph->numNodes();
          steps = 0;
        } else if (++steps > limit_) {
          throwOscillation();
        }
      }
    }
  }

  bool visit(Node *node) {
    interrupt_.poll();
    std::span<const uint32_t> rules = table_.of(node);
    if (rules.empty() || (observer_ && !observer_->mayRewrite()))
      return false;
    for (uint32_t rule : rules) {
      if (!rules_[rule].pattern->anchorsAt(node))
        continue;
      const Match *match =
          matchers_[rule].match(node, rules_[rule].condition ? &rules_[rule].condition : nullptr);
      if (!match)
        continue;
      switch (applier_.apply(rules_[rule], *match)) {
      case Applier::Result::Skipped:
        continue;
      case Applier::Result::Cyclic:
        ++counts_.cyclic;
        continue;
      case Applier::Result::Replaced:
        break;
      }
      ++counts_.rewrites;
      ++counts_.perRule[rule];
      recent_[counts_.rewrites % recent_.size()] = rule;
      for (Node *made : applier_.newNodes())
        if (!table_.of(made).empty())
          await(made);
      return true;
    }
    return false;
  }

  void await(Node *node) {
    if (!isListening_) // no rule can be anchored at most new nodes
      graph_->root().addListener(this);
    isListening_ = true;
    pending_.push_back(node);
  }

  [[noreturn]] void throwOscillation() const {
    std::vector<uint32_t> rules;
    for (uint32_t rule : recent_)
      if (std::ranges::find(rules, rule) == rules.end())
        rules.push_back(rule);
    std::ranges::sort(rules);
    std::string names;
    for (uint32_t rule : rules)
      names += cat(names.empty() ? "'" : " and '", rules_[rule].name, "'");
    throwError(ErrorKind::Pass,
               rules.size() == 1 ? cat("rule ", names,
                                       " matches what it makes itself, again and "
                                       "again")
                                 : cat("rules ", names, " undo each other"),
               ": after ", counts_.rewrites, " rewrites of ", graph_->describe(),
               " nothing has become smaller; make the pattern narrower, or add a condition");
  }

  Interrupt interrupt_;
  Graph *graph_;
  std::span<const RewriteRule> rules_;
  const RewriteOptions &options_;
  RuleTable table_;
  Applier applier_;
  DisputedTypes disputes_;
  std::vector<Matcher> matchers_;
  RewriteObserver *observer_ = RewriteObserver::ofThread();
  std::vector<Node *> pending_;
  std::array<uint32_t, 8> recent_{};
  RewriteCounts counts_;
  uint64_t limit_ = 0;
  bool backwards_ = false;
  bool isListening_ = false;
};

} // namespace

/// Throws if rules outside of a pass left an invalid graph: a pass manager checks the same after
/// each pass.
static void checkEdits(const Graph *graph, const EditChecks &checks, const std::string &names) {
  const char *fault = " left an invalid graph in ";
  try {
    checks.checkStructure(false, KnownGraphs::State::Unknown);
    checks.checkDefinitions();
    fault = " left types that contradict each other in ";
    checks.checkTypes();
  } catch (const Error &error) {
    std::vector<Diagnostic> faults = error.diagnostics();
    faults.front().message = cat(names, fault, graph->describe(), ": ", faults.front().message,
                                 "; what they did is undone");
    throw Error(ErrorKind::Pass, std::move(faults));
  }
}

/// "rule 'a'" or "the rules 'a', 'b'": the rules that replaced something.
static std::string rulesText(std::span<const RewriteRule> rules,
                             std::span<const uint64_t> rewrites) {
  std::string names;
  size_t count = 0;
  for (size_t i = 0; i != rules.size(); ++i)
    if (i < rewrites.size() && rewrites[i] && ++count <= 5)
      names += cat(count == 1 ? "'" : ", '", rules[i].name, "'");
  return cat(count == 1 ? "rule " : "the rules ", names, count > 5 ? ", ..." : "");
}

RewriteCounts rewrite(Graph *graph, std::span<const RewriteRule> rules,
                      const RewriteOptions &options) {
  // Patterns of another context are read again in this one.
  std::vector<RewriteRule> here;
  auto isForeign = [&](const RewriteRule &rule) {
    return &rule.pattern->context() != &graph->context();
  };
  if (std::ranges::any_of(rules, isForeign)) {
    here.assign(rules.begin(), rules.end());
    for (RewriteRule &rule : here) {
      if (!isForeign(rule))
        continue;
      std::shared_ptr<const Pattern> pattern = Pattern::in(rule.pattern, graph->context());
      if (rule.replacement)
        rule.replacement =
            Template::create(rule.replacement->graph(), *pattern, rule.replacement->inputs());
      rule.pattern = std::move(pattern);
    }
    rules = here;
  }
  // Functions may throw, and rules that undo each other are detected late.
  Transaction transaction(graph->root());
  const bool isOwnRun = !RewriteObserver::ofThread(); // otherwise the pass manager checks the edits
  std::optional<EditChecks> checks;
  if (isOwnRun)
    checks.emplace(PassTarget{nullptr, graph});
  RewriteCounts counts = Driver(graph, rules, options).run();
  if (isOwnRun && counts.rewrites != 0)
    checkEdits(graph, *checks, rulesText(rules, counts.perRule));
  transaction.commit();
  return counts;
}

} // namespace ge
