//===- Journal.h - what a transaction has to undo ---------------------------------------------===//

#ifndef GE_LIB_IR_JOURNAL_H
#define GE_LIB_IR_JOURNAL_H

#include "ge/IR/Mutation.h"
#include "ge/Support/BlockSequence.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ge {

/// A position in a use list, identified by the use before it: its owner and index, which stay valid
/// when operands move in memory. No owner: the front.
struct UsePlace {
  Node *owner = nullptr;
  uint32_t index = 0;
};

/// Node, value or graph of a renaming; node or graph of an attribute.
using NamedObject = std::variant<Node *, Value *, Graph *>;

namespace undo {
struct Created {
  Node *node;
};
/// Its operands are parked: each use keeps its value and place.
struct Destroyed {
  Node *node;
  Graph *graph; ///< the graph in whose list it was; null: none
  Node *before;
};
struct Inserted {
  Node *node;
};
struct Removed {
  Node *node;
  Graph *graph;
  Node *before;
};
struct OperandSet {
  Node *node;
  Value *old;
  Node *placeOwner; ///< UsePlace
  uint32_t index;
  uint32_t placeIndex;
};
struct OperandsResized {
  Node *node;
  uint32_t old;
};
struct TypeSet {
  Value *value;
  uint32_t old;
  TypeSource source;
};
struct AttributeSet {
  NamedObject object;
  AttrRef old;
  uint32_t name;
  uint32_t position;
};
struct AttributeAdded {
  NamedObject object;
  uint32_t name;
};
struct Renamed {
  NamedObject object;
  uintptr_t old;
};
struct GraphRenamed {
  Graph *graph;
  std::unique_ptr<std::string> old;
};
template <typename T> struct NameMoved {
  T *from;
  T *to;
  uintptr_t old; ///< of `to`
};
struct CounterSet {
  std::unique_ptr<std::string> base;
  uint32_t old;
  bool ofValues;
};
struct LocationSet {
  Node *node;
  uint32_t old;
};
struct OriginsSet {
  Node *node;
  OriginList *old;
};
struct OriginAdded {
  Node *node;
};
struct ControlAdded {
  Node *from;
  Node *to;
};
struct ControlRemoved {
  Node *from;
  Node *to;
  uint32_t outPosition;
  uint32_t inPosition;
};
struct InputInserted {
  Node *node;
};
struct InputRemoved {
  Node *node;
  Graph *graph;
  uint32_t index;
};
struct OutputNamesSet {
  Graph *graph;
  std::vector<std::string> old;
};
struct SubgraphAdded {
  Node *node;
  Graph *graph;
};
struct SubgraphRemoved {
  Node *node;
  Graph *graph;
  uint32_t index;
};
struct Reordered {
  Graph *graph;
  std::vector<Node *> old;
};
} // namespace undo

class Journal {
public:
  using Entry =
      std::variant<undo::Created, undo::Destroyed, undo::Inserted, undo::Removed, undo::OperandSet,
                   undo::OperandsResized, undo::TypeSet, undo::AttributeSet, undo::AttributeAdded,
                   undo::Renamed, undo::NameMoved<Node>, undo::NameMoved<Value>, undo::GraphRenamed,
                   undo::CounterSet, undo::LocationSet, undo::OriginsSet, undo::OriginAdded,
                   undo::ControlAdded, undo::ControlRemoved, undo::InputInserted,
                   undo::InputRemoved, undo::OutputNamesSet, undo::SubgraphAdded,
                   undo::SubgraphRemoved, undo::Reordered>;

  // Of a rewrite there are some: what is large and seldom is kept apart.
  static_assert(sizeof(Entry) == 40);

  template <typename E> void record(E entry) {
    if (!undoing_)
      entries_.emplaceBack(std::move(entry));
  }
  bool isUndoing() const { return undoing_; }
  /// Created last by the innermost transaction: undoing the creation reverts all later edits of it.
  bool justMade(const Node *node) const {
    if (entries_.empty() || !open.back()->hasEdits())
      return false;
    const auto *made = std::get_if<undo::Created>(&entries_.back());
    return made && made->node == node;
  }
  size_t size() const { return entries_.size(); }

  template <typename F> void forEachSince(size_t mark, F visit) const {
    entries_.forEachSpan(mark, [&](std::span<const Entry> entries) {
      for (const Entry &entry : entries)
        visitEntry(entry, visit, std::make_index_sequence<std::variant_size_v<Entry>>());
    });
  }

  /// Undoes entries down to `mark`, newest first.
  void undoTo(Root &root, size_t mark);
  /// The outermost transaction commits: what was erased is freed.
  void finish(Root &root);

  std::vector<Transaction *> open; ///< the innermost last
  std::vector<uint64_t> serials;   ///< the root's next creation number at the start of each level

private:
  /// What is visited is inlined; std::visit calls through a table.
  template <typename F, size_t... I>
  static void visitEntry(const Entry &entry, F &visit, std::index_sequence<I...>) {
    static_cast<void>(((entry.index() == I && (visit(*std::get_if<I>(&entry)), true)) || ...));
  }

  BlockSequence<Entry> entries_; // entries never move
  bool undoing_ = false;
};

} // namespace ge

#endif // GE_LIB_IR_JOURNAL_H
