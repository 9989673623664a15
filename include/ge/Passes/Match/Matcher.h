//===- Matcher.h - finding a pattern in a graph -----------------------------------------------===//
//
// A match starts at one node, the anchor, and follows operands. Outputs that this does not reach
// are found over users of values that are bound by then, the nearest output first, and an output
// that shares no value with the rest over the graph's index of operators. Choices (alternatives,
// the order of commutative operands, users of a value, nodes of the index) are kept on a stack, and
// revisited when a check fails; nothing recurses, and a budget bounds the work for one anchor.
// Values of a pattern are
// bound to values, so that results of one node are distinguished, and no two nodes of a pattern are
// bound to one node. Only constants may be shared.
//
#ifndef GE_PASSES_MATCH_MATCHER_H
#define GE_PASSES_MATCH_MATCHER_H

#include "ge/Passes/Match/Pattern.h"
#include "ge/Support/Stack.h"

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_set>

namespace ge {

/// Why a pattern did not match at some place, in the order in which a node, and then a match, is
/// checked: of two attempts that matched equally many nodes that with the later failure came
/// nearer.
enum class MatchFailure : uint8_t {
  None,
  Operator,
  Arity,
  Attribute,
  Constant,
  Type, ///< dtype, rank, shape, symbols
  Predicate,
  Binding,    ///< two places of the pattern are one here, or one is two
  OutsideUse, ///< a value that the match would take away has a use outside of the match
  Condition,
  Overlap, ///< another match took a node
  Budget,
};
/// "operator", "outside-use".
const char *matchFailureName(MatchFailure failure);

/// The farthest that an attempt came.
struct PartialMatch {
  Node *anchor = nullptr;
  MatchFailure failure = MatchFailure::None;
  uint32_t matched = 0; ///< nodes of the pattern
  const Node *at = nullptr;
  std::string expected, found;
  std::vector<const Node *> nodes; ///< the matched ones
};

class DisputedTypes;

struct MatchOptions {
  /// A value that is not an output of the pattern may be used outside the match.
  bool allowOutsideUses = false;
  /// Steps for one anchor.
  uint32_t budget = 1u << 16;
  /// Types that must not be relied on; null: declared types are trusted. Valid while the matcher is
  /// in use.
  DisputedTypes *disputes = nullptr;
  /// The replacement depends on types, so nodes with disputed types do not match.
  bool needsTypes = false;
};

class Matcher;

/// What is bound. Valid until the matcher goes on.
class Match {
public:
  const Pattern &pattern() const { return *pattern_; }
  /// Null: not bound (another alternative was taken), or an absent operand.
  Value *value(uint32_t patternValue) const { return values_[patternValue]; }
  Node *node(uint32_t patternNode) const { return nodes_[patternNode]; }
  Value *input(uint32_t i) const { return values_[pattern_->inputs()[i]]; }
  Value *output(uint32_t i) const { return values_[pattern_->outputs()[i]]; }
  std::span<Value *const> rest(uint32_t i) const { return rests_[i]; }
  Attribute variable(uint32_t i) const { return variables_[i]; }
  Node *anchor() const { return anchor_; }
  Graph *graph() const { return anchor_->graph(); }
  bool contains(const Node *node) const;
  /// In the order of the graph's list, without repetition; constants are not among them.
  std::vector<Node *> matchedNodes() const;
  void matchedNodes(std::vector<Node *> &out) const;
  std::vector<Value *> matchedConstants() const;
  /// Why a condition refused the match.
  void setReason(std::string reason) const { reason_ = std::move(reason); }
  const std::string &reason() const { return reason_; }

private:
  friend class Matcher;
  const Pattern *pattern_ = nullptr;
  Node *anchor_ = nullptr;
  std::vector<Value *> values_;
  std::vector<Node *> nodes_;
  std::vector<std::vector<Value *>> rests_;
  std::vector<Attribute> variables_; ///< of nodes that hold them
  mutable std::string reason_;
};

/// Matches one pattern, anchor after anchor. Needs read access to the graphs.
class Matcher {
public:
  explicit Matcher(std::shared_ptr<const Pattern> pattern, MatchOptions options = {});

  /// Called for each complete match; false: search for another match at this anchor.
  using Condition = std::function<bool(const Match &)>;
  /// The first match at `anchor` that `condition` accepts; null when there is none.
  const Match *match(Node *anchor, const Condition *condition = nullptr);
  /// Like match, and keeps the farthest attempt: the texts cost.
  const Match *explain(Node *anchor, const Condition *condition, PartialMatch &best);
  const Pattern &pattern() const { return *pattern_; }
  /// Anchors that were given up because the budget was spent.
  uint64_t exhausted() const { return exhausted_; }

private:
  enum class GoalKind : uint8_t {
    Value,   ///< `pattern` is `value`
    Assign,  ///< operand `position` of a commutative node
    Outputs, ///< all outputs are bound
    Reach,   ///< `pattern` is bound
    Climb,   ///< the node of `pattern` is bound to a user of the pattern's value `position`
    Adopt,   ///< `pattern`, an alternative, is bound to its choice number `position`
  };
  struct Goal {
    GoalKind kind;
    uint32_t pattern; ///< value; of Assign, node
    uint32_t next;    ///< goal
    uint32_t position;
    uint64_t used; ///< operands of a commutative node that are assigned
    Value *value;
  };
  enum class ChoiceKind : uint8_t { AnyOf, Assign, Climb, Scan, Alternative };
  struct Choice {
    ChoiceKind kind;
    uint32_t goals, trail, size; ///< to go back to
    Goal goal;                   ///< what is tried again
    uint32_t option;             ///< the next one
    const Use *use;
  };
  enum class Bound : uint8_t { Value, Node, Symbol, Variable, Rest };
  struct Undo {
    Bound kind;
    uint32_t index;
  };

  const Match *run(Node *anchor, const Condition *condition);
  // A pattern that is a tree of operators over wildcards is matched without goals: what is chosen
  // in one place has no effect on another.
  enum class Answer : uint8_t { Yes, No, Unknown };
  Answer matchTree(Node *anchor, const Condition *condition);
  bool bindTree(const PatternTree::Node &pattern, Value *value);
  bool bindOperand(const PatternTree::Operand &pattern, Value *value);
  bool begin(Node *anchor, const Pattern::Anchor &at);
  bool solve(const Condition *condition);
  bool step(const Goal &goal);
  bool stepValue(uint32_t pattern, Value *value);
  bool stepNode(uint32_t pattern, Node *node);
  bool stepOperands(const PatternNode &pattern, const Node *node);
  bool stepLists(const PatternNode &pattern, const Node *node);
  bool stepOperand(const PatternNode &pattern, uint32_t at, const Node *node, Value *value,
                   uint32_t from);
  bool bindWildcard(uint32_t pattern, Value *value);
  bool checkAbsent(const PatternNode &pattern, const Node *node, uint32_t operand,
                   const Value *value);
  bool stepAssign(const Goal &goal, uint32_t option);
  bool stepAnyOf(const Goal &goal, uint32_t option);
  bool bindRest(const PatternNode &pattern, const Node *node, std::vector<Value *> values);
  bool stepConstant(const PatternValue &pattern, Value *value);
  bool stepOutputs();
  bool stepReach(uint32_t pattern);
  bool reach(uint32_t pattern);
  bool stepClimb(uint32_t pattern, const Value *from, const Use *use);
  bool stepScan(uint32_t pattern, uint32_t position);
  bool stepAlternative(uint32_t pattern, uint32_t option);
  bool stepAdopt(uint32_t pattern, uint32_t option);
  Value *boundValue(uint32_t pattern) const;
  void measureDistances();
  uint32_t nearestOperand(const PatternNode &node) const;
  std::span<Node *const> candidates(uint32_t node);
  bool retry();
  bool exhaust();
  bool complete(const Condition *condition);
  bool checkOutsideUses();
  bool checkInputs();
  bool checkDisputes();
  bool checkType(const PatternConstraint &constraint, const Value *value);
  bool checkShape(const PatternConstraint &constraint, const Value *value, const Type *type);
  bool bindSymbol(uint32_t symbol, const Dim &dim);
  bool checkAttributes(const PatternNode &pattern, const Node *node);
  /// What an absent attribute counts as by the types of the node's operands; null: nothing.
  AttrRef impliedByType(const Node *node, std::string_view name);
  bool checkAttribute(const PatternNode &pattern, const PatternAttribute &attribute,
                      const Node *node);
  bool checkOpset(const PatternNode &pattern, const Node *node);
  bool isOutput(const Value *value) const;
  bool isTaken(const Node *node) const;

  void push(GoalKind kind, uint32_t pattern, Value *value, uint32_t position = 0,
            uint64_t used = 0);
  void bind(Bound kind, uint32_t index) { trail_.push({kind, index}); }
  void bindValue(uint32_t pattern, Value *value) {
    valueBound_[pattern] = 1;
    match_.values_[pattern] = value;
    bind(Bound::Value, pattern);
  }
  void charge(uint32_t steps) { left_ -= std::min(left_, steps); }
  void undo(size_t size);
  void prepare();
  void clear();

  /// Returns false; when an explanation is recorded, `describe(partial)` fills in the texts.
  template <typename F> bool fail(MatchFailure failure, const Node *at, const F &describe) {
    if (best_) [[unlikely]]
      if (PartialMatch *p = record(failure, at))
        describe(*p);
    return false;
  }
  PartialMatch *record(MatchFailure failure, const Node *at);

  std::shared_ptr<const Pattern> pattern_;
  MatchOptions options_;
  Match match_;
  std::vector<uint8_t> valueBound_, restBound_;
  std::vector<Dim> symbols_;
  std::vector<uint8_t> symbolBound_;
  std::vector<uint32_t> distances_; ///< of each value of the pattern: see measureDistances
  struct Candidates {
    const Graph *graph = nullptr;
    uint64_t changes = 0; ///< of the root when they were listed
    std::vector<Node *> nodes;
  };
  std::vector<Candidates> candidates_;     ///< for each node of the pattern, filled at first use
  Stack<uint32_t> boundNodes_;             ///< of the pattern, in order of binding
  std::unordered_set<const Node *> taken_; ///< the same in the graph, when the pattern is large
  Stack<Goal> goals_;
  Stack<Choice> choices_;
  Stack<Undo> trail_;
  uint32_t first_ = 0; ///< the goal to take next
  uint32_t left_ = 0;  ///< of the budget
  uint64_t exhausted_ = 0;
  PartialMatch *best_ = nullptr;
  bool isTreeBound_ = false;   ///< values and nodes were bound without the trail
  bool isTreeUnclear_ = false; ///< a node was met twice, or the budget is spent
};

/// Nodes of `graph` where the pattern may be anchored, in list order, or from the back when the
/// output is a choice, so that the larger alternative is tried first.
std::vector<Node *> matchCandidates(const Pattern &pattern, const Graph *graph);

} // namespace ge

#endif // GE_PASSES_MATCH_MATCHER_H
