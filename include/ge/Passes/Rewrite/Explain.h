//===- Explain.h - why a pattern does not match -----------------------------------------------===//
#ifndef GE_PASSES_REWRITE_EXPLAIN_H
#define GE_PASSES_REWRITE_EXPLAIN_H

#include "ge/Passes/Rewrite/Rewriter.h"

namespace ge {

struct Explanation {
  std::string pattern;
  uint32_t numNodes = 0; ///< of the pattern
  uint64_t matches = 0;  ///< anchors that match
  /// The nearest misses first: by nodes that matched, then by how late the failing check comes
  /// (operator, arity, ..., outside uses, condition), then in list order.
  std::vector<PartialMatch> attempts;
  /// Operators of the graph that are near to what none of its nodes has: name and how many.
  std::vector<std::pair<std::string, uint64_t>> nearOperators;

  /// `matmul_add: 2 of 3 nodes match at onnx.Add 'add1'` and so on, in lines.
  std::string text() const;
};

struct ExplainOptions {
  /// Only attempts that begin at this node or take it in.
  const Node *node = nullptr;
  size_t most = 5; ///< attempts
  MatchOptions match;
};

/// Runs the matcher of `rule` over the graph and those inside it with a recorder. Matches that an
/// earlier one overlaps are explained as such. Needs read access. O(nodes) expected.
Explanation explain(const RewriteRule &rule, Graph *graph, const ExplainOptions &options = {});

} // namespace ge

#endif // GE_PASSES_REWRITE_EXPLAIN_H
