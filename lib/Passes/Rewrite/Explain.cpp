//===- Explain.cpp - why a pattern does not match ---------------------------------------------===//
#include "ge/Passes/Rewrite/Explain.h"

#include "../Match/Conditions.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ge {

namespace {

/// Changes of single letters between two words, up to `most`.
size_t editDistance(std::string_view a, std::string_view b, size_t most) {
  if (a.size() > b.size())
    std::swap(a, b);
  if (b.size() - a.size() > most || b.size() > 256)
    return most + 1;
  std::vector<size_t> row(a.size() + 1);
  for (size_t i = 0; i != row.size(); ++i)
    row[i] = i;
  for (size_t k = 1; k <= b.size(); ++k) {
    size_t diagonal = std::exchange(row[0], k);
    for (size_t i = 1; i <= a.size(); ++i) {
      size_t above = row[i];
      row[i] = std::min({above + 1, row[i - 1] + 1, diagonal + (a[i - 1] != b[k - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

bool isNear(std::string_view wanted, std::string_view found) {
  if (wanted == found)
    return true;
  size_t most = std::max<size_t>(1, wanted.size() / 3);
  bool isPart = wanted.size() > 2 && found.size() > 2 &&
                (found.find(wanted) != found.npos || wanted.find(found) != wanted.npos);
  return isPart || editDistance(wanted, found, most) <= most;
}

/// Orders attempts by nearness: those that matched more nodes come first, then those that failed at
/// a later check. A match that another one overlaps comes after those that a final check rejected.
bool isNearer(const PartialMatch &a, const PartialMatch &b) {
  auto rank = [](const PartialMatch &attempt) {
    return std::pair(attempt.matched,
                     attempt.failure < MatchFailure::Overlap ? int(attempt.failure) : 0);
  };
  return rank(a) > rank(b);
}

class Explainer {
public:
  Explainer(const RewriteRule &rule, Graph *graph, const ExplainOptions &options)
      : rule_(rule), options_(options), disputes_(graph, false),
        matcher_(rule.pattern, matchOptions()) {
    out_.pattern = rule.name.empty() ? std::string(rule.pattern->name()) : rule.name;
    out_.numNodes = uint32_t(rule.pattern->nodes().size());
  }

  Explanation run(Graph *graph) {
    std::vector<Graph *> open = {graph};
    while (!open.empty()) {
      Graph *at = open.back();
      open.pop_back();
      look(at);
      size_t first = open.size();
      for (Node *node = at->front(); node; node = node->next()) {
        ++operators_[node->op()];
        for (Graph *inner : node->subgraphs())
          open.push_back(inner);
      }
      std::reverse(open.begin() + std::ptrdiff_t(first), open.end());
    }
    std::ranges::stable_sort(out_.attempts, isNearer);
    if (out_.attempts.size() > options_.most)
      out_.attempts.resize(options_.most);
    findNear();
    return std::move(out_);
  }

private:
  MatchOptions matchOptions() {
    MatchOptions match = options_.match;
    match.disputes = &disputes_;
    match.needsTypes = bool(rule_.build);
    return match;
  }

  void look(Graph *graph) {
    const Matcher::Condition *condition = rule_.condition ? &rule_.condition : nullptr;
    Interrupt interrupt;
    for (Node *anchor : matchCandidates(*rule_.pattern, graph)) {
      interrupt.poll();
      PartialMatch best;
      if (const Match *match = matcher_.explain(anchor, condition, best)) {
        ++out_.matches;
        overlap(*match);
        continue;
      }
      if (isWanted(best))
        add(std::move(best));
    }
    // A node at which no match starts, and which no attempt includes.
    if (options_.node && out_.attempts.empty() && options_.node->graph() == graph &&
        !taken_.contains(options_.node)) {
      PartialMatch best;
      auto *node = const_cast<Node *>(options_.node);
      if (!matcher_.explain(node, condition, best))
        add(std::move(best));
    }
  }

  bool isWanted(const PartialMatch &attempt) const {
    return !options_.node || attempt.anchor == options_.node || attempt.at == options_.node ||
           std::ranges::find(attempt.nodes, options_.node) != attempt.nodes.end();
  }

  void add(PartialMatch attempt) {
    // Bounded: the worst attempts are dropped when there are twice too many.
    out_.attempts.push_back(std::move(attempt));
    if (out_.attempts.size() < 2 * options_.most + 16)
      return;
    std::ranges::stable_sort(out_.attempts, isNearer);
    out_.attempts.resize(options_.most);
  }

  /// Of two matches that share a node, the first is replaced.
  void overlap(const Match &match) {
    std::vector<Node *> nodes = match.matchedNodes();
    for (Node *node : nodes)
      if (auto earlier = taken_.find(node); earlier != taken_.end()) {
        PartialMatch lost;
        lost.anchor = match.anchor();
        lost.failure = MatchFailure::Overlap;
        lost.matched = out_.numNodes;
        lost.at = node;
        lost.nodes.assign(nodes.begin(), nodes.end());
        lost.expected = cat(shortText(node), " for this match alone");
        lost.found = cat("the match at ", shortText(earlier->second), " takes it first");
        if (isWanted(lost))
          add(std::move(lost));
        return;
      }
    for (Node *node : nodes)
      taken_.emplace(node, match.anchor());
  }

  /// Operators that the pattern names and the graph does not have.
  void findNear() {
    std::map<std::string, uint64_t> near;
    for (const PatternNode &node : rule_.pattern->nodes()) {
      auto look = [&](std::string_view wanted, const OperatorName *exact) {
        for (const auto &[op, count] : operators_)
          if (exact ? op == exact : op->type() == wanted)
            return;
        for (const auto &[op, count] : operators_)
          if ((op->domain() != "ge" || op->type() != "Const") && isNear(wanted, op->type()))
            near[std::string(op->str())] = count;
      };
      for (const OperatorName *op : node.ops)
        look(op->type(), op);
      for (const Identifier *type : node.types)
        look(type->str(), nullptr);
    }
    out_.nearOperators.assign(near.begin(), near.end());
  }

  const RewriteRule &rule_;
  const ExplainOptions &options_;
  DisputedTypes disputes_;
  Matcher matcher_;
  Explanation out_;
  std::unordered_map<const OperatorName *, uint64_t> operators_;
  std::unordered_map<const Node *, const Node *> taken_; ///< node to the anchor of its match
};

std::string nameOf(const Node *node) {
  std::string name;
  node->appendName(name);
  return name;
}

} // namespace

Explanation explain(const RewriteRule &rule, Graph *graph, const ExplainOptions &options) {
  RewriteRule here = rule;
  here.pattern = Pattern::in(rule.pattern, graph->context());
  return Explainer(here, graph, options).run(graph);
}

std::string Explanation::text() const {
  std::string out = cat(pattern, ": ", matches, matches == 1 ? " match" : " matches", "\n");
  if (attempts.empty() && matches == 0)
    out += "  no node of the graph has an operator that the pattern ends in\n";
  for (const auto &[op, count] : nearOperators)
    out += cat("  near: ", op, ", ", count, " in this graph\n");
  for (const PartialMatch &attempt : attempts) {
    out += cat("  at ", shortText(attempt.anchor), ": ", attempt.matched, " of ", numNodes,
               numNodes == 1 ? " node matches, then " : " nodes match, then ",
               matchFailureName(attempt.failure));
    if (attempt.at && attempt.at != attempt.anchor)
      out += cat(" at ", shortText(attempt.at));
    out += cat("\n    expected: ", attempt.expected, "\n    found:    ", attempt.found, "\n");
    if (!attempt.nodes.empty()) {
      out += "    matched: ";
      for (size_t i = 0; i != attempt.nodes.size() && i != 8; ++i)
        out += cat(i ? ", " : " ", nameOf(attempt.nodes[i]));
      out += attempt.nodes.size() > 8 ? ", ...\n" : "\n";
    }
  }
  return out;
}

} // namespace ge
