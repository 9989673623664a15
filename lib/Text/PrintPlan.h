//===- PrintPlan.h - what must be known before a graph is printed -----------------------------===//
#ifndef GE_LIB_TEXT_PRINTPLAN_H
#define GE_LIB_TEXT_PRINTPLAN_H

#include "Reserved.h"

#include "ge/IR/Graph.h"
#include "ge/Support/Interrupt.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ge::text {

/// Maps objects to numbers by open addressing. Neighbours in memory are neighbours in the table,
/// because nodes usually lie in memory in the order in which they are printed.
class NumberMap {
public:
  void set(uintptr_t key, uint32_t number);
  /// UINT32_MAX when there is none.
  uint32_t at(uintptr_t key) const {
    if (slots_.empty())
      return UINT32_MAX;
    for (size_t i = home(key); slots_[i].key; i = (i + 1) & mask_)
      if (slots_[i].key == key)
        return slots_[i].number;
    return UINT32_MAX;
  }

private:
  struct Slot {
    uintptr_t key = 0;
    uint32_t number = 0;
  };
  size_t home(uintptr_t key) const {
    return (((key >> 3) & 0x1FFF) + size_t((key >> 16) * 0x9E3779B97F4A7C15ull >> 20)) & mask_;
  }
  void grow();
  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t count_ = 0;
};

/// Returns whether a control edge connects two nodes of one graph. A detached node keeps its edges,
/// which the text cannot express.
inline bool isShownControl(const Node *from, const Node *to) {
  return from->graph() == to->graph() && !from->isDetached() && !to->isDetached();
}
/// True when the node has a control result in the text. O(control outputs).
bool hasShownControl(const Node *node);

/// Order, visibility and SSA names of one printed graph with all inside. Nothing of it is kept in
/// the graph, which may be read by others at the same time.
class PrintPlan {
public:
  explicit PrintPlan(const Graph *graph);

  struct Entry {
    const Graph *graph;
    size_t first, count; ///< in order()
    bool usesNone;       ///< a node takes an absent operand
  };
  /// Graphs in the order of printing: each before those inside its nodes.
  const std::vector<Entry> &entries() const { return entries_; }
  Node *node(size_t i) const { return order_[i]; }
  /// Prints as a function: there is an order, and every use sees its definition.
  bool isFunction() const { return isFunction_; }
  /// Values of the graphs around a printed subgraph, in order of first use.
  const std::vector<Value *> &captures() const { return captures_; }
  /// Values that the text cannot express where they are used: of detached nodes, or from inside
  /// another subgraph.
  const std::vector<Value *> &unseen() const { return unseen_; }

  /// True when the value's name can be its SSA name.
  bool carriesName(const Value *value) const;
  bool isRepeated(const Node *node) const {
    return !repeatedNodes_.empty() && repeatedNodes_.contains(node->name());
  }
  bool isRepeated(const Value *value) const {
    return !repeatedValues_.empty() && repeatedValues_.contains(value->name());
  }
  uint32_t number(const Value *value) const { return numbers_.at(key(value)); }
  uint32_t controlNumber(const Node *node) const { return numbers_.at(key(node)); }
  bool inside(const Graph *graph) const { return graph && graph_->encloses(graph); }

private:
  using Counts = std::unordered_map<std::string_view, uint32_t>;
  static uintptr_t key(const Value *value) { return reinterpret_cast<uintptr_t>(value); }
  static uintptr_t key(const Node *node) { return reinterpret_cast<uintptr_t>(node) | 1; }

  void collect(const Graph *graph);
  void scanNode(const Graph *graph, const Node *node, Entry &entry);
  void listOrder();
  void findCaptures(const Graph *graph);
  void findRepeated();
  template <typename F> void forEachNode(F visit) const;
  void numberGraph(size_t &entry);
  void numberNode(const Node *node);
  void number(const Value *value) { numbers_.set(key(value), next_++); }
  void numberUnlessNamed(const Value *value) {
    if (!carriesName(value))
      number(value);
  }

  Interrupt interrupt_;
  const Graph *graph_;
  std::vector<Entry> entries_;
  std::vector<Node *> order_;
  std::vector<Value *> captures_, unseen_;
  std::unordered_set<std::string_view> repeatedNodes_, repeatedValues_;
  std::unordered_set<const Value *> outside_; ///< captures_ and unseen_
  NumberMap numbers_;
  uint32_t next_ = 0;
  bool isFunction_ = true;
  bool sawDuplicate_ = false;
};

} // namespace ge::text

#endif // GE_LIB_TEXT_PRINTPLAN_H
