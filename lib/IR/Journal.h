//===- Journal.h - what a transaction has to undo ---------------------------------------------===//

#ifndef GE_LIB_IR_JOURNAL_H
#define GE_LIB_IR_JOURNAL_H

#include "ge/IR/Mutation.h"
#include "ge/Support/BlockSequence.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
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
/// Its operands are parked: each use keeps its value and place. Nodes without memory outside of the
/// arena are recorded by recordParked().
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
struct SegmentsSet {
  Node *node;
  std::unique_ptr<NodeSegments> old; ///< null: none
};
struct Reordered {
  Graph *graph;
  std::vector<Node *> old;
};
} // namespace undo

/// Records of rare edits are Entries. The records of each rewrite are a few words, because touching
/// new memory costs more than the edits themselves.
class Journal {
public:
  using Entry =
      std::variant<undo::Created, undo::Destroyed, undo::Inserted, undo::Removed, undo::OperandSet,
                   undo::OperandsResized, undo::TypeSet, undo::AttributeSet, undo::AttributeAdded,
                   undo::Renamed, undo::NameMoved<Node>, undo::NameMoved<Value>, undo::GraphRenamed,
                   undo::CounterSet, undo::LocationSet, undo::OriginsSet, undo::OriginAdded,
                   undo::ControlAdded, undo::ControlRemoved, undo::InputInserted,
                   undo::InputRemoved, undo::OutputNamesSet, undo::SubgraphAdded,
                   undo::SubgraphRemoved, undo::SegmentsSet, undo::Reordered>;
  static_assert(sizeof(Entry) == 40);

  template <typename E> void record(E entry) {
    if (undoing_)
      return;
    if constexpr (std::is_same_v<E, undo::Created>)
      push(Tag::Created, entry.node);
    else if constexpr (std::is_same_v<E, undo::OperandSet>)
      recordOperand(entry);
    else if constexpr (std::is_same_v<E, undo::NameMoved<Node>>)
      push(Tag::NodeName, entry.from, entry.old, entry.to);
    else if constexpr (std::is_same_v<E, undo::NameMoved<Value>>)
      push(Tag::ValueName, entry.from, entry.old, entry.to);
    else
      recordEntry(std::move(entry));
  }
  /// Records the destruction of a node without memory outside of the arena. The node itself stores
  /// the data for undoing it.
  void recordParked(Node *node, Graph *graph, Node *before);

  bool isUndoing() const { return undoing_; }
  /// Created last by the innermost transaction: undoing the creation reverts all later edits of it.
  bool justMade(const Node *node) const {
    return !words_.empty() && open.back()->hasEdits() && words_.back() == word(Tag::Created, node);
  }
  /// Grows with each record.
  size_t size() const { return words_.size(); }

  /// Calls `visit` with each record since `mark`, oldest first, as one of undo's structs. The
  /// struct of a destroyed node may lack its former position, because the node's memory is not
  /// read.
  template <typename F> void forEachSince(size_t mark, F visit) const {
    Words words(words_, mark);
    std::optional<BlockSequence<Entry>::Reader> entries;
    while (!words.atEnd()) {
      uint64_t first = words.next();
      switch (tagOf(first)) {
      case Tag::Created:
        visit(undo::Created{pointer<Node>(first)});
        break;
      case Tag::Parked:
        visit(undo::Destroyed{pointer<Node>(first), nullptr, nullptr});
        break;
      case Tag::Operand: {
        auto *old = pointer<Value>(words.next());
        visit(undo::OperandSet{pointer<Node>(first), old, nullptr, low(words.next()), 0});
        break;
      }
      case Tag::OperandAt: {
        auto *old = pointer<Value>(words.next());
        auto *owner = pointer<Node>(words.next());
        uint64_t places = words.next();
        visit(undo::OperandSet{pointer<Node>(first), old, owner, low(places), high(places)});
        break;
      }
      case Tag::NodeName: {
        uintptr_t old = words.next();
        visit(undo::NameMoved<Node>{pointer<Node>(first), pointer<Node>(words.next()), old});
        break;
      }
      case Tag::ValueName: {
        uintptr_t old = words.next();
        visit(undo::NameMoved<Value>{pointer<Value>(first), pointer<Value>(words.next()), old});
        break;
      }
      case Tag::Entry:
        if (!entries)
          entries.emplace(entries_, first >> kTagBits);
        visitEntry(entries->next(), visit, std::make_index_sequence<std::variant_size_v<Entry>>());
        break;
      }
    }
  }

  /// Undoes entries down to `mark`, newest first.
  void undoTo(Root &root, size_t mark);
  /// Called when the outermost transaction commits: frees erased nodes, now or when memory is
  /// needed.
  void finish(Root &root);

  std::vector<Transaction *> open; ///< the innermost last
  std::vector<uint64_t> serials;   ///< the root's next creation number at the start of each level

private:
  /// In the low bits of the first and the last word of a record.
  enum class Tag : uint8_t {
    Created,   ///< node
    Parked,    ///< node
    Operand,   ///< node; old value; index: the use was the value's first
    OperandAt, ///< node; old value; owner of the use before it; index and that one's index
    NodeName,  ///< from; old; to
    ValueName,
    Entry, ///< its index in entries_
  };
  static constexpr uint32_t kTagBits = 3, kIndexBits = 30;
  using Words = BlockSequence<uint64_t>::Reader;

  static uint64_t word(Tag tag, const void *object) {
    return reinterpret_cast<uintptr_t>(object) | uint64_t(tag);
  }
  static Tag tagOf(uint64_t word) { return Tag(word & ((1u << kTagBits) - 1)); }
  template <typename T> static T *pointer(uint64_t word) {
    return reinterpret_cast<T *>(word >> kTagBits << kTagBits); // NOLINT(performance-no-int-to-ptr)
  }
  static uint64_t indices(Tag tag, uint32_t low, uint32_t high) {
    return (uint64_t(high) << kIndexBits | low) << kTagBits | uint64_t(tag);
  }
  static uint32_t low(uint64_t word) {
    return uint32_t(word >> kTagBits & ((uint64_t(1) << kIndexBits) - 1));
  }
  static uint32_t high(uint64_t word) { return uint32_t(word >> (kTagBits + kIndexBits)); }
  static size_t lengthOf(Tag tag) {
    constexpr uint8_t kLengths[] = {1, 1, 3, 4, 3, 3, 1};
    return kLengths[size_t(tag)];
  }

  void push(Tag tag, const void *object) { words_.emplaceBack(word(tag, object)); }
  void push(Tag tag, const void *first, uint64_t second, const void *third) {
    words_.append({word(tag, first), second, word(tag, third)});
  }
  void recordOperand(const undo::OperandSet &entry) {
    if ((entry.index | entry.placeIndex) >> kIndexBits) [[unlikely]]
      return recordEntry(entry);
    auto old = uint64_t(reinterpret_cast<uintptr_t>(entry.old));
    if (!entry.placeOwner)
      return words_.append(
          {word(Tag::Operand, entry.node), old, indices(Tag::Operand, entry.index, 0)});
    words_.append({word(Tag::OperandAt, entry.node), old,
                   uint64_t(reinterpret_cast<uintptr_t>(entry.placeOwner)),
                   indices(Tag::OperandAt, entry.index, entry.placeIndex)});
  }
  template <typename E> void recordEntry(E &&entry) {
    size_t index = entries_.size();
    entries_.emplaceBack(std::forward<E>(entry));
    words_.emplaceBack(uint64_t(index) << kTagBits | uint64_t(Tag::Entry));
  }
  uint64_t popWord() {
    uint64_t last = words_.back();
    words_.popBack();
    return last;
  }
  undo::Destroyed unpark(Node *node); ///< the last one
  template <typename F> void undoLast(F &undo);
  class LookAhead;

  /// What is visited is inlined; std::visit calls through a table.
  template <typename F, size_t... I>
  static void visitEntry(const Entry &entry, F &visit, std::index_sequence<I...>) {
    static_cast<void>(((entry.index() == I && (visit(*std::get_if<I>(&entry)), true)) || ...));
  }

  BlockSequence<uint64_t> words_;
  BlockSequence<Entry> entries_;
  Node *firstParked_ = nullptr, *lastParked_ = nullptr; ///< a chain through `prev_`, newest first
  bool undoing_ = false;
};

} // namespace ge

#endif // GE_LIB_IR_JOURNAL_H
