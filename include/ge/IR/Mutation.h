//===- Mutation.h - the primitives: all that may change a graph -------------------------------===//
//
// Each primitive first checks its arguments, and throws without having changed anything; then it
// makes the change and notifies handles, name index, operator index, listeners and the journal.
// Callers hold write access.
//

#ifndef GE_IR_MUTATION_H
#define GE_IR_MUTATION_H

#include "ge/IR/Module.h"
#include "ge/IR/Root.h"

#include <span>
#include <string_view>
#include <utility>

namespace ge {

/// Notified after each change. A listener may read everything; it must not change anything or
/// throw.
class MutationListener {
public:
  virtual ~MutationListener() = default;
  virtual void created(Node *) {}          ///< also when a rollback brings it back; still detached
  virtual void inserted(Node *) {}         ///< into its graph
  virtual void removed(Node *, Graph *) {} ///< from that graph (detached, moved or being erased)
  virtual void erased(Node *) {} ///< last chance to look; its operands are dropped already
  virtual void operandChanged(Node *, uint32_t, Value *) {
  } ///< the old value; UINT32_MAX: all of them
  virtual void typeChanged(Value *, const Type *) {}
  virtual void attributeChanged(Node *, const Identifier *) {}
  virtual void renamed(Node *) {}
  virtual void controlChanged(Node *, Node *) {}
  virtual void subgraphAdded(Node *, Graph *) {}
  virtual void reordered(Graph *) {}
};

struct NamedAttribute {
  const Identifier *name;
  Attribute value;
};

/// What Mutation::create takes; everything is copied.
struct NodeSpec {
  const OperatorName *op = nullptr;
  std::span<Value *const> operands;           ///< null for absent
  std::span<const Type *const> resultTypes;   ///< none for an absent result
  std::span<const NamedAttribute> attributes; ///< a repeated name is Error(Value)
  std::string_view name;                      ///< empty: unnamed
  const Location *location = nullptr;         ///< null: unknown
  TypeSource typeSource = TypeSource::Declared;
  bool keepDuplicateName = false; ///< a clash keeps the name, flagged; else `_1` is added
  /// The length of each operand parameter and of each result of the record (Segments.h); empty:
  /// implied by the record, or unknown. Error(Value) unless they add up.
  std::span<const int32_t> operandSegments;
  std::span<const int32_t> resultSegments;
};

class Mutation {
public:
  // --- Nodes -------------------------------------------------------------------------------------
  /// A detached node of `root`. Operands must be of that root.
  static Node *create(Root &root, const NodeSpec &spec);
  /// create and insert before `before` (null: at the end) of `graph`.
  static Node *create(Graph *graph, Node *before, const NodeSpec &spec);
  /// Puts a node (detached, or listed anywhere in the same root) before `before`, or at the end.
  /// Error(Value) for Data, NetOutput, another root, or a graph inside the node.
  static void insert(Node *node, Graph *graph, Node *before);
  static void detach(Node *node);
  /// Error(Value), naming users, while a result is used; `force` drops the uses (operands become
  /// absent). Control edges go with it. Its subgraphs and all inside die.
  static void erase(Node *node, bool force = false);
  /// Replaces the uses of its results by `values` (as many as results; null only for unused ones),
  /// moves control edges to the producers of `values` and names of node and results to unnamed
  /// producers and values, records origins, then erases the node.
  static void replace(Node *node, std::span<Value *const> values);

  static void setOperand(Node *node, uint32_t index, Value *value);
  /// `segments`: the new lengths of the operand lists. Without them stored lengths stay; it is
  /// Error(Value) when they do not add up to the new number of operands.
  static void setOperands(Node *node, std::span<Value *const> values,
                          std::span<const int32_t> segments = {});
  static constexpr uint32_t kAnyParameter = UINT32_MAX;
  /// `parameter`: the operand parameter whose list becomes longer. Error(Value) when the place is
  /// not in its list, or when none is given and the place belongs to several.
  static void insertOperand(Node *node, uint32_t index, Value *value,
                            uint32_t parameter = kAnyParameter);
  static void eraseOperand(Node *node, uint32_t index); ///< its list becomes shorter
  /// The length of each operand parameter (result); nothing is stored where the record implies
  /// them. Empty: forgets them. Error(Value) unless they add up.
  static void setOperandSegments(Node *node, std::span<const int32_t> lengths);
  static void setResultSegments(Node *node, std::span<const int32_t> lengths);
  /// All uses of `from` but those by nodes in `except`. O(uses).
  static void replaceAllUses(Value *from, Value *to, std::span<Node *const> except = {});

  static void setType(Value *value, const Type *type, TypeSource source = TypeSource::Declared);
  /// The type stays and counts as inferred. Not an edit: nothing is journaled or counted.
  static void confirmType(Value *value);
  /// Whether types that were inferred from `a` may differ for `b` in its place.
  static bool mayInferOtherwise(const Value *a, const Value *b);
  /// An invalid attribute removes. `index` of a Data node is kept by addInput and cannot be set.
  static void setAttribute(Node *node, const Identifier *name, Attribute value);
  static void setAttribute(Graph *graph, const Identifier *name, Attribute value);
  /// Gives the name, or `name_1`, ... when it is taken. Empty: unnamed.
  static void rename(Node *node, std::string_view name, bool keepDuplicate = false);
  static void rename(Value *value, std::string_view name, bool keepDuplicate = false);
  /// What a file called the node, then each result, where it has another name now; empty: the same.
  static void setOriginalNames(Node *node, std::span<const std::string> names);
  /// Announces a number of new names of nodes and values, so that the indexes grow once.
  static void reserveNames(Root &root, size_t nodes, size_t values);
  /// The name goes to `to`, of the same root; nothing when `from` has none or `to` has one. O(1).
  static void moveName(Node *from, Node *to);
  static void moveName(Value *from, Value *to);
  /// Begin to load what moveName() from a node reads: its name, and later, when that has arrived,
  /// the place of the name in the index.
  static void loadName(const Node *from);
  static void loadNamePlace(const Node *from);
  static void setLocation(Node *node, const Location *location);
  /// The origin that replace() records for an erased node: its name and operator, and the current
  /// EditScope.
  static Origin originFrom(const Node *node);
  static void addOrigin(Node *node, const OriginView &origin); ///< amortised O(1)
  static void setOrigins(Node *node, std::span<const OriginView> origins);
  static void setOrigins(Node *node, const std::vector<Origin> &origins);

  /// Both in the same graph, NetOutput and Data included; an edge that exists is kept once.
  static void addControlEdge(Node *from, Node *to);
  static void removeControlEdge(Node *from, Node *to); ///< Error(Value) when there is none

  // --- Graphs ------------------------------------------------------------------------------------
  /// A Data node at `index` (UINT32_MAX: last). `op` names a variant (RefData, ...), null for
  /// ge.Data. The name names the node and its value alike.
  static Node *addInput(Graph *graph, std::string_view name, const Type *type,
                        const OperatorName *op = nullptr, uint32_t index = UINT32_MAX);
  /// The general form: names of node and value apart, attributes (without `index`).
  static Node *addInput(Graph *graph, const NodeSpec &spec, std::string_view valueName,
                        uint32_t index = UINT32_MAX);
  static void eraseInput(Node *node, bool force = false); ///< later ones move up. O(inputs)
  static void moveInput(Node *node, uint32_t index);
  static void setOutputs(Graph *graph,
                         std::span<Value *const> values); ///< names stay with positions
  static void setOutputName(Graph *graph, uint32_t index,
                            std::string_view name); ///< Error(Value) when taken
  /// All at once; empty ones and those that `names` is too short for are none. Error(Value) on
  /// repetitions. O(names).
  static void setOutputNames(Graph *graph, std::vector<std::string> names);
  static void setName(Graph *graph,
                      std::string_view name); ///< Error(Value) when taken in its module
  /// A new empty subgraph at the end. Error(Value) past Graph::kMaxDepth.
  static Graph *addSubgraph(Node *node, std::string_view slot, std::string_view name);
  /// Moves a whole root graph in as a subgraph: its handles stay alive, clashing names get `_1`.
  /// Error(Value) when it is in a module, in a transaction, the node's own root, or of another
  /// context. O(its nodes).
  static Graph *addSubgraph(Node *node, std::string_view slot, Root &graph);
  static void eraseSubgraph(Graph *graph);
  /// Makes a stable topological order the list order. Error(Verify) with the cycle's path. O(nodes
  /// + edges).
  static void sort(Graph *graph);
  /// Erases nodes without uses, control users and side effects on outputs, repeatedly; returns how
  /// many. O(nodes).
  static uint32_t eraseDeadNodes(Graph *graph);

private:
  friend class Absorber;
  friend class Journal;
  friend class Module;
  friend class NodeCursor;
  friend class Root;
  struct Impl;
};

/// Undo of all edits of one root while it is open. Nested transactions must be closed first, else
/// Error(Value). Closing twice is Error(Value).
class Transaction {
public:
  explicit Transaction(Root &root); ///< needs write access, as commit and rollback do
  ~Transaction();                   ///< an open one is rolled back
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  void commit();
  void rollback();
  void rollbackAll(); ///< the inner ones that are open first; nothing when it is closed
  bool isOpen() const { return open_; }
  bool isInnermost() const;
  /// Whether there is something to undo: false after inner transactions that were rolled back. Only
  /// for an open transaction.
  bool hasEdits() const;
  Root &root() const { return *root_; }

private:
  Root *root_;
  size_t mark_ = 0; ///< journal length at the start
  bool open_ = true;
};

} // namespace ge

#endif // GE_IR_MUTATION_H
