//===- Pattern.h - what a matcher looks for ---------------------------------------------------===//
//
// A pattern is written as an ordinary graph and read once into the tables here. Inputs of the graph
// are wildcards, its outputs are what a match gives away, constants are compared, every other node
// is a node to find. Nodes of the domain `pattern` say what a plain graph cannot:
//
//   pattern.Op(x...)       {ops = ["onnx.Relu", "Gelu"]} one of these operators (a name without
//                          domain is of any); without `ops` any operator. opsets = [13, 20].
//   pattern.AnyOf(a, b...) the first of these that matches
//   pattern.Optional(x)    an operand that may be absent
//   pattern.Rest()         any number of operands, at most one in a list
//   pattern.Const()        any constant; tolerance, predicate
//   pattern.Where(x)       {dims = ["N", "...", 4], dtype = f32, rank = 2, predicate = 0,
//                          attributes = {axis = 1}}
//
// An attribute of a node in a pattern is a value to be equal to, or a dictionary of conditions:
// match.any, match.absent, match.one_of, match.min, match.max, match.predicate, match.bind,
// match.value with match.tolerance.
//
#ifndef GE_PASSES_MATCH_PATTERN_H
#define GE_PASSES_MATCH_PATTERN_H

#include "ge/IR/Mutation.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// Which attributes of a node must be those of the pattern's node.
enum class AttributeMatch : uint8_t {
  Given, ///< those that the pattern gives; one that is absent counts as its default
  None,  ///< none
  All,   ///< all, so that the node has no others
};

/// When a constant matches a constant of the pattern.
enum class ConstantMatch : uint8_t {
  Value, ///< equal numbers, with tolerance for floats; a scalar whatever its element type
  Any,   ///< always
  Exact, ///< same type and same bits
};

/// Asked about a value (attribute invalid), or an attribute (value null).
struct PatternPredicate {
  std::function<bool(Value *, Attribute)> test;
};

struct PatternOptions {
  AttributeMatch attributes = AttributeMatch::Given;
  ConstantMatch constants = ConstantMatch::Value;
  /// Operands of commutative operators match in the pattern's order only.
  bool keepsOrder = false;
  /// What `predicate = i` in the graph stands for.
  std::vector<PatternPredicate> predicates;
};

/// Relative tolerance of ConstantMatch::Value where the pattern says nothing.
inline constexpr double kConstantTolerance = 1e-5;

struct PatternDim {
  enum class Kind : uint8_t { Any, Size, Symbol, Rest };
  Kind kind = Kind::Any;
  int64_t size = 0;
  uint32_t symbol = 0; ///< index into Pattern::symbols
};

struct PatternConstraint {
  bool hasShape = false;
  std::vector<PatternDim> dims;
  std::vector<DType> dtypes; ///< empty: any
  int64_t minRank = -1, maxRank = -1;
  std::vector<uint32_t> predicates;
};

struct PatternAttribute {
  const Identifier *name = nullptr;
  AttrRef value;              ///< to be equal to; invalid: no such condition
  bool isPlain = false;       ///< `value` is the only condition
  std::vector<AttrRef> oneOf; ///< empty: no such condition
  bool present = false;       ///< must be there, or have a default
  bool absent = false;
  double tolerance = 0;
  double min = 0, max = 0;
  bool hasMin = false, hasMax = false;
  int32_t predicate = -1;
  int32_t variable = -1; ///< index into Pattern::variables
};

struct PatternNode {
  std::vector<const OperatorName *> ops; ///< one of these,
  std::vector<const Identifier *> types; ///< or of these types in any domain; both empty: any
  uint32_t minOpset = 0, maxOpset = UINT32_MAX;
  std::vector<uint32_t> operands; ///< values; kAbsent for one that must be absent
  int32_t rest = -1;              ///< position of a Rest among them
  uint32_t commuting = 0;         ///< so many of the first operands may be exchanged
  /// The length of each operand parameter, which a node must have, too; a Rest counts as one and
  /// stands for any number. Empty: any.
  std::vector<int32_t> segments;
  std::vector<PatternAttribute> attributes;
  bool allAttributes = false;
  std::string name; ///< empty: none
  bool accepts(const Node *node) const;
  std::string opText() const; ///< `onnx.Add`, `onnx.Relu or Gelu`, `any operator`

  static constexpr uint32_t kAbsent = UINT32_MAX;
};

struct PatternValue {
  enum class Kind : uint8_t { Wildcard, Result, Constant, AnyOf, Optional, Rest, Where };
  Kind kind = Kind::Wildcard;
  uint32_t node = 0;             ///< Result: whose
  uint32_t index = 0;            ///< Result: which; Wildcard: which input; Rest: which
  std::vector<uint32_t> choices; ///< AnyOf; of Optional and Where the one inside
  int32_t constraint = -1;       ///< Where
  TensorPtr tensor;              ///< Constant; null: any
  double tolerance = kConstantTolerance;
  ConstantMatch constants = ConstantMatch::Value;
  int32_t predicate = -1; ///< Constant
  std::string name;       ///< empty: none
};

/// A pattern with one output that is a tree of operators over wildcards, for a matcher that needs
/// no choices between places. Empty if the pattern is something else.
struct PatternTree {
  static constexpr uint32_t kWildcard = UINT32_MAX;
  struct Operand {
    uint32_t value; ///< index into Pattern::values
    uint32_t node;  ///< index into `nodes`; kWildcard: none
  };
  struct Node {
    uint32_t op;
    uint32_t index; ///< into Pattern::nodes
    uint32_t result;
    uint32_t firstOperand, numOperands;
    bool commutes; ///< its two operands
  };
  std::vector<Node> nodes; ///< the root first
  std::vector<Operand> operands;
  uint32_t root = 0;       ///< index into Pattern::values
  bool hasChoices = false; ///< it has nodes that commute
};

/// Immutable; any number of matchers may read it at the same time.
class Pattern {
public:
  /// Reads a copy of `graph`. Error(Value) where it cannot be a pattern: no outputs, a subgraph, no
  /// operator among the outputs; Error(Key) for an operator that a known namespace lacks, with near
  /// names. O(graph).
  static std::shared_ptr<const Pattern> create(const Graph *graph, PatternOptions options = {});
  /// This pattern for the graphs of a context: itself, or one made anew. O(pattern).
  static std::shared_ptr<const Pattern> in(const std::shared_ptr<const Pattern> &pattern,
                                           Context &context);
  ~Pattern();

  Context &context() const { return root_->context(); }
  const Graph *graph() const { return root_->graph(); } ///< the copy
  std::string_view name() const { return graph()->name(); }
  const PatternOptions &options() const { return options_; }

  const std::vector<PatternNode> &nodes() const { return nodes_; }
  const std::vector<PatternValue> &values() const { return values_; }
  const std::vector<PatternConstraint> &constraints() const { return constraints_; }
  /// Values that are inputs of the graph, in order.
  const std::vector<uint32_t> &inputs() const { return inputs_; }
  const std::vector<uint32_t> &outputs() const { return outputs_; }
  const std::vector<std::string> &variables() const { return variables_; }
  uint32_t numSymbols() const { return numSymbols_; }
  uint32_t numRests() const { return numRests_; }
  /// A value or node by its name; UINT32_MAX when there is none.
  uint32_t findValue(std::string_view name) const;
  uint32_t findNode(std::string_view name) const;

  /// Where a match begins: a result of one of these nodes is the anchoring output. More than one
  /// when alternatives may be the output.
  struct Anchor {
    uint32_t node;
    uint32_t result;
  };
  const std::vector<Anchor> &anchors() const { return anchors_; }
  uint32_t anchorOutput() const { return anchorOutput_; } ///< which output that is
  bool anchorsAt(const Node *node) const;                 ///< by the operator alone

  /// Nodes on the longest way from an output to an input.
  uint32_t depth() const { return depth_; }
  bool hasConstants() const { return hasConstants_; }
  const PatternTree &tree() const { return tree_; }
  /// Of so many nodes, the one that a match has bound is found by a linear search.
  static constexpr size_t kFewNodes = 24;
  bool hasPredicates() const { return !options_.predicates.empty(); }

private:
  friend class PatternReader;
  Pattern() = default;
  Root *root_ = nullptr;
  PatternOptions options_;
  std::vector<PatternNode> nodes_;
  std::vector<PatternValue> values_;
  std::vector<PatternConstraint> constraints_;
  std::vector<uint32_t> inputs_, outputs_;
  std::vector<std::string> variables_;
  std::vector<Anchor> anchors_;
  PatternTree tree_;
  uint32_t numSymbols_ = 0, numRests_ = 0, anchorOutput_ = 0, depth_ = 0;
  bool hasConstants_ = false;
};

} // namespace ge

#endif // GE_PASSES_MATCH_PATTERN_H
