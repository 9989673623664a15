//===- MutationImpl.h - the steps that primitives and their undo are made of ------------------===//

#ifndef GE_LIB_IR_MUTATIONIMPL_H
#define GE_LIB_IR_MUTATIONIMPL_H

#include "Journal.h"
#include "OrderLabels.h"

#include "ge/IR/Mutation.h"

namespace ge {

/// The memory layout of a node: the node, its results, its operands (or a pointer to them), and a
/// pointer to its list of origins if its flag kHasOriginPlace is set (see Node::Flags).
struct NodeBlock {
  static constexpr uint32_t kHasOriginPlace = 128;
  static size_t bytes(uint32_t results, uint32_t operands, bool hasOriginPlace) {
    return sizeof(Node) + results * sizeof(Value) +
           std::max<size_t>(operands * sizeof(Use), sizeof(void *)) +
           hasOriginPlace * sizeof(OriginList *);
  }
  static OriginList *&originPlace(const Node *node, uint32_t results, uint32_t operands) {
    auto *block = reinterpret_cast<char *>(const_cast<Node *>(node));
    return *reinterpret_cast<OriginList **>(block + bytes(results, operands, false));
  }
  /// `outside`: the operands have moved out of the node's block.
  static uint32_t inlineOperands(const Use *outside);
};

/// Each step changes one thing, updates the indexes, notifies listeners and records its undo. Steps
/// do not check arguments: a primitive checks them before its first step.
struct Mutation::Impl {
  template <typename E> static void record(Root &root, E entry) {
    ++root.changeCount_;
    if (Journal *journal = root.journal_.get()) [[unlikely]]
      journal->record(std::move(entry));
  }
  template <typename F> static void notify(Root &root, const F &tell) {
    for (MutationListener *listener : root.listeners_)
      tell(*listener);
  }

  // --- Nodes -------------------------------------------------------------------------------------
  static OriginList *&originPlace(const Node *node) {
    return NodeBlock::originPlace(node, node->numResults_, inlineOperands(node));
  }
  /// Those that have room in the node's own block.
  static uint32_t inlineOperands(const Node *node) {
    return node->flags_ & Node::kOperandsOutside ? NodeBlock::inlineOperands(node->uses())
                                                 : node->numOperands_;
  }
  /// In limbo, operands absent, no attributes, unnamed.
  static Node *allocate(Root &root, uint32_t op, uint32_t operands, uint32_t results);
  static Node *build(Root &root, const NodeSpec &spec); ///< not in a list yet
  static void created(Node *node);
  /// Requires: no uses, control edges and subgraphs; operands absent or parked; not in a list any
  /// more. It was in that of `from` before `before`, if in any.
  static void destroy(Node *node, Graph *from = nullptr, Node *before = nullptr);
  static void revive(Node *node);     ///< not in a list
  static void leaveNames(Node *node); ///< its own, and those of its results
  // Prefetches the memory that revive() reads, in three steps that depend on each other.
  static void loadNode(const Node *node);
  static void loadNames(const Node *node);
  static void loadPlaces(Root &root, const Node *node);
  static void uncreate(Node *node); ///< undo of created

  static void link(Node *node, Graph *graph, Node *before); ///< into a list; limbo's counts as none
  static void unlink(Node *node);                           ///< out of its list, into none
  // The same without the journal: whether there was something to undo, and its old place.
  static bool enter(Node *node, Graph *graph, Node *before);
  static Graph *leave(Node *node);
  static void moveCursors(Graph *graph, Node *node);

  static NodeExtra &extra(Node *node);
  static void dropExtraIfEmpty(Node *node);

  static OriginList *packOrigins(Root &root,
                                 std::span<const OriginView> origins); ///< null: none
  static void freeOrigins(Root &root, OriginList *list);
  static OriginList *originsOf(const Node *node); ///< null if it has none
  /// Exchanges the node's list of origins; returns the old one. Null: none.
  static OriginList *exchangeOrigins(Node *node, OriginList *list);
  static void popOrigin(Node *node);

  // --- Operands
  // ------------------------------------------------------------------------------------
  static void linkUse(Use &use, Value *value);
  static void linkUseAt(Use &use, Value *value, UsePlace place);
  static void unlinkUse(Use &use);
  static UsePlace placeOf(const Use &use);
  static void setOperand(Node *node, uint32_t index, Value *value);
  /// Keeps the first `count`; those beyond must be absent already; new ones are absent.
  static void resizeOperands(Node *node, uint32_t count);
  static void dropOperands(Node *node);
  /// Exchanges the stored lengths of lists, null for none, and returns the old ones.
  static std::unique_ptr<NodeSegments> exchangeSegments(Node *node,
                                                        std::unique_ptr<NodeSegments> segments);
  /// With journal. Stores only what the record does not imply.
  static void setSegments(Node *node, std::span<const int32_t> operands,
                          std::span<const int32_t> results);
  /// The lengths after the insertion of an operand; empty: none are stored.
  static std::vector<int32_t> segmentsAfterInsertion(const Node *node, uint32_t index,
                                                     uint32_t parameter);
  static void parkOperands(Node *node); ///< of a node that dies, and may come back
  static void restoreOperands(Node *node);

  // --- Names
  // ---------------------------------------------------------------------------------------
  static NameIndex &index(Root &root, bool ofValues) {
    return ofValues ? root.valueNames_ : root.nodeNames_;
  }
  static Name *makeName(Root &root, std::string_view text, uint32_t hash);
  static const Name *asName(uintptr_t word) {
    return (word & Link::kTags) ? nullptr : reinterpret_cast<const Name *>(word);
  }
  /// Makes the word for `text` unique and reserves it for `holder`, to be set later by setNameWord.
  // --- Where types come from: what was inferred from something else counts as declared
  static void forgetInference(Node *node);
  static void forgetUsers(Value *value);
  static void operandReplaced(Node *node, const Value *old, const Value *now);

  static void dropOriginalName(Node *node, uint32_t position);
  static uintptr_t claimName(Root &root, bool ofValues, std::string_view text, bool keepDuplicate);
  template <typename T> static void setNameWord(Root &root, T *holder, uintptr_t word);
  /// Moves the name of `from` to `to`, whose own name is dropped. `from` is unnamed afterwards.
  template <typename T> static void moveName(Root &root, T *from, T *to);
  template <typename T> static void enterName(Root &root, T *holder);
  template <typename T> static void leaveName(Root &root, T *holder);
  static void freeNameWord(Root &root, uintptr_t word);

  // --- Attributes
  // ----------------------------------------------------------------------------------
  static void reserveAttributes(Arena &arena, AttributeList &list, uint32_t capacity);
  /// Before an attribute is stored in `root`.
  static void useAttribute(Root &root, const Identifier *name, Attribute value);
  static void insertAttribute(Arena &arena, AttributeList &list, uint32_t position, uint32_t name,
                              Attribute value);
  /// Of a list that is empty.
  static void fillAttributes(Arena &arena, AttributeList &list,
                             std::span<const NamedAttribute> attributes);
  static void eraseAttribute(AttributeList &list, uint32_t position);
  static void freeAttributes(Arena &arena, AttributeList &list);
  /// With journal; an invalid value removes the attribute. Takes a reference of its own.
  template <typename T>
  static void setAttribute(Root &root, T *object, uint32_t name, Attribute value);
  static void changedAttribute(Root &root, Node *node, uint32_t name);
  static void changedAttribute(Root &, Graph *, uint32_t) {}

  // --- Control edges
  // -------------------------------------------------------------------------------
  static void linkControl(Node *from, Node *to, uint32_t outPosition, uint32_t inPosition);
  static void unlinkControl(Node *from, Node *to);
  static void dropControl(Node *node);
  static void moveControl(Node *node, const std::vector<Node *> &to);

  // --- Graphs
  // --------------------------------------------------------------------------------------
  static Graph *makeGraph(Root &root, std::string_view name, Node *parent, std::string_view slot);
  static void insertInput(Graph *graph, Node *node, uint32_t index);
  static void removeInput(Node *node);
  static void renumberInputs(Graph *graph, uint32_t from);
  static void setOutputNames(Graph *graph, std::vector<std::string> names);
  static void linkSubgraph(Node *node, Graph *graph, uint32_t index);
  static void unlinkSubgraph(Node *node, Graph *graph);
  static void reorder(Graph *graph, const std::vector<Node *> &order);
  static uint32_t depthOf(const Graph *graph);   ///< levels from it down, 1 for a leaf
  static uint32_t depthAround(const Node *node); ///< of its graph; 1 while detached
  static void setDepth(Graph *graph, uint32_t depth);
  static void eraseContents(Graph *graph);
  static void eraseNode(Node *node); ///< with all inside; uses left are dropped
  static void dropUses(Node *node);

  // --- Checks
  // --------------------------------------------------------------------------------------
  static void checkOperand(Root &root, const Value *value);
  static void checkContext(const Context &context, const Context *other, std::string_view what);
  static void checkSpec(Root &root, const NodeSpec &spec);
};

} // namespace ge

#endif // GE_LIB_IR_MUTATIONIMPL_H
