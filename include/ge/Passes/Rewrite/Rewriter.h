//===- Rewriter.h - matches replaced by something else ----------------------------------------===//
//
// A rule is a pattern and its replacement: a template, instantiated natively, or a function that
// builds the replacement in place. The rewriter keeps output names, types, control edges and
// origins, inserts at a legal position, and skips replacements that would create a cycle.
//
#ifndef GE_PASSES_REWRITE_REWRITER_H
#define GE_PASSES_REWRITE_REWRITER_H

#include "ge/Passes/Match/Matcher.h"

#include <functional>
#include <span>
#include <unordered_map>

namespace ge {

/// A replacement as a graph, read once. Its inputs are values of a pattern; attributes may be
/// {match.bind = "name"}, the attribute that the pattern bound under that name. Nodes may have
/// subgraphs, whose contents are copied for each match.
class Template {
public:
  /// `inputs[i]` is the value of `pattern` that input i stands for (a Rest: all of its operands).
  /// Empty: its inputs in order. Error(Value) when `graph` does not fit. `graph` must outlive the
  /// template.
  Template(const Graph *graph, const Pattern &pattern, std::span<const uint32_t> inputs = {});
  /// The same with a copy of its own.
  static std::shared_ptr<const Template> create(const Graph *graph, const Pattern &pattern,
                                                std::span<const uint32_t> inputs = {});
  ~Template();
  Template(const Template &) = delete;
  Template &operator=(const Template &) = delete;

  const Graph *graph() const { return graph_; }
  const std::vector<uint32_t> &inputs() const { return inputs_; }

  struct Stamped {
    std::vector<Node *> nodes;
    std::vector<Value *> outputs;
    // For one node after the other, so that their memory is used again.
    std::vector<Value *> operands;
    std::vector<const Type *> types;
    std::vector<NamedAttribute> attributes;
  };
  /// New nodes before `before` (null: at the end). What outputs replace gives their types.
  void stamp(const Match &match, Graph *into, Node *before, Stamped &out) const;

private:
  struct Ref {
    enum class Kind : uint8_t { Absent, Input, Result } kind = Kind::Absent;
    uint32_t index = 0;  ///< input, or node
    uint32_t result = 0; ///< of the node
  };
  struct Made {
    const Node *source;
    const OperatorName *op;
    std::vector<Ref> operands;
    std::vector<NamedAttribute> attributes;
    std::vector<std::pair<uint32_t, uint32_t>> variables; ///< attribute, variable
    std::vector<const Type *> types;
    std::vector<int32_t> outputs; ///< of each result the output that it is, -1: none
    bool hasRest = false;         ///< an operand stands for several
    std::vector<std::pair<const Value *, Ref>> captures; ///< what its subgraphs take from around it
  };
  using Refs = std::unordered_map<const Value *, Ref>;
  void readSubgraphs(const Pattern &pattern, const Node *node, const Refs &refs, Made &out) const;
  void read(const Pattern &pattern, std::span<const uint32_t> inputs);
  const Graph *graph_;
  Root *owned_ = nullptr;
  std::vector<uint32_t> inputs_;
  std::vector<Made> nodes_;
  std::vector<Ref> outputs_;
};

/// What a replacement function gives.
struct Replacement {
  bool skip = false;             ///< leave this match
  std::vector<Value *> values;   ///< for each output of the pattern; null where it is not used
  const Graph *graph = nullptr;  ///< or this, to be stamped; borrowed for the moment
  std::function<void()> release; ///< after it was stamped; may be empty
};

struct RewriteRule {
  std::string name;
  std::shared_ptr<const Pattern> pattern;
  std::shared_ptr<const Template> replacement; ///< null: `build`
  Matcher::Condition condition;                ///< empty: none
  /// Builds new nodes of `match.graph()` before the given node (null: at its end).
  std::function<Replacement(const Match &match, Node *before)> build;
  int32_t benefit = 0; ///< of rules with the same anchor the greatest first, then the first given
};

struct RewriteOptions {
  /// Repeats until nothing matches; otherwise each node is visited once, new nodes included.
  bool fixpoint = false;
  bool subgraphs = true; ///< bodies of If, Loop, ... too
  MatchOptions match;
};

struct RewriteCounts {
  uint64_t rewrites = 0;
  uint64_t cyclic = 0;    ///< matches skipped, because the replacement would create a cycle
  uint64_t exhausted = 0; ///< anchors skipped, because the budget was spent
  std::vector<uint64_t> perRule;
};

/// Rewrites `graph` and the graphs inside it. Needs write access. All or nothing: an exception of a
/// function is rethrown after everything was undone; so are Error(Pass) for rules that undo each
/// other, and for a replacement with another element type. Expected O(nodes) for each sweep.
RewriteCounts rewrite(Graph *graph, std::span<const RewriteRule> rules,
                      const RewriteOptions &options = {});

} // namespace ge

#endif // GE_PASSES_REWRITE_REWRITER_H
