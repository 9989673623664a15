//===- Graph.h - graphs, their roots and iteration --------------------------------------------===//

#ifndef GE_IR_GRAPH_H
#define GE_IR_GRAPH_H

#include "ge/IR/Node.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

class Journal;
class Module;
class NodeCursor;
class Root;

/// A dataflow graph: an ordered list of nodes, its Data nodes, its one NetOutput. Root of its own,
/// a member of a module, or a subgraph of a node.
class Graph {
public:
  Root &root() const { return *root_; }
  Context &context() const;
  bool isRoot() const;
  Node *parentNode() const { return parent_; } ///< null for a root
  Graph *parentGraph() const;                  ///< the graph around; null for a root
  std::string_view slot() const {
    return slot_;
  } ///< a subgraph's role: "then_branch"; may be empty
  std::string_view name() const { return name_; }
  Module *module() const; ///< of the root; may be null

  std::span<Node *const> inputNodes() const { return inputs_; } ///< Data nodes, in order
  Node *output() const { return output_; }                      ///< the NetOutput node
  uint32_t numInputs() const { return uint32_t(inputs_.size()); }
  Value *input(uint32_t i) const { return inputs_[i]->result(0); }
  uint32_t numOutputs() const { return output_->numOperands(); }
  Value *outputValue(uint32_t i) const { return output_->operand(i); }
  /// The names of NetOutput's operands: unique, never changed by rewriting. An output that was
  /// never named shows its value's name, else `output_<i>`; where that is taken, with `_1`.
  /// O(outputs).
  std::vector<std::string> outputNames() const;
  /// One of them. O(1) over many calls where nodeAt is, else O(outputs).
  std::string outputName(uint32_t i) const;
  bool hasOutputName(uint32_t i) const {
    return i < outputNames_.size() && !outputNames_[i].empty();
  }

  uint32_t numNodes() const { return numNodes_; } ///< without Data and NetOutput
  Node *front() const { return first_; }
  Node *back() const { return last_; }
  /// O(distance from the last position asked for).
  Node *nodeAt(uint32_t index) const;

  const AttributeList &attributes() const { return attrs_; }
  uint32_t depth() const { return depth_; } ///< 1 for a root; at most kMaxDepth
  /// True when `inner` is this graph or inside it.
  bool encloses(const Graph *inner) const;
  /// `graph 'main'`.
  std::string describe() const;

  /// A stable topological order of the listed nodes: an order in which every operand, control input
  /// and captured value comes first, and otherwise the list's. Empty result with `cycle` filled (a
  /// path of nodes, the first repeated at the end) when there is none. O(nodes + edges), also of
  /// nested graphs.
  bool topologicalOrder(std::vector<Node *> &order, std::vector<Node *> *cycle = nullptr) const;
  /// That order. Error(Verify) that shows the cycle when there is none.
  std::vector<Node *> sortedNodes() const;
  /// "a -> b -> a", by name, of what topologicalOrder() found.
  static std::string cycleText(std::span<Node *const> cycle);

  static constexpr uint32_t kMaxDepth = 256;

private:
  /// Reading may write memory of its own: calls come one at a time, no native reader beside them.
  bool remembersReads() const;
  friend class Absorber;
  friend class Journal;
  friend class Mutation;
  friend class Root;
  friend class NodeCursor;
  friend struct HandleRecord;
  friend HandleRecord *acquireHandle(Graph *);
  friend class HandleTable;
  friend class Node;
  friend class Module;
  Root *root_ = nullptr;
  Node *parent_ = nullptr;
  Node *first_ = nullptr;
  Node *last_ = nullptr;
  Node *output_ = nullptr;
  std::vector<Node *> inputs_;
  std::vector<std::string> outputNames_;
  std::string name_;
  std::string slot_;
  AttributeList attrs_;
  Link link_;
  NodeCursor *cursors_ = nullptr;
  uint32_t numNodes_ = 0;
  uint32_t depth_ = 1;
  /// outputName's memory of outputNames(), void when the root changes.
  mutable std::vector<std::string> shownNames_;
  mutable uint64_t shownAt_ = UINT64_MAX;
  mutable Node *lastAt_ = nullptr; ///< nodeAt's memory, void when the list changes
  mutable uint32_t lastIndex_ = 0;
};

/// A place in a graph's node list that stays right under every edit: erasing or moving the current
/// node is safe; nodes inserted ahead of it are visited, others are not. Needs read access while
/// made, used and destroyed; see Root::abandon for who has none.
class NodeCursor {
public:
  explicit NodeCursor(Graph *graph, bool reverse = false);
  virtual ~NodeCursor();
  NodeCursor(const NodeCursor &) = delete;
  NodeCursor &operator=(const NodeCursor &) = delete;
  Node *next(); ///< null at the end, and from then on; also when the graph was erased
  Graph *graph() const { return graph_; }

private:
  friend class Absorber;
  friend class Mutation;
  friend class Root;
  static void detachAll(Graph *graph); ///< the graph dies, its cursors are at their end
  Graph *graph_;
  Node *at_ = nullptr; ///< the last visited, or the node before it when that left
  NodeCursor *nextCursor_ = nullptr;
  NodeCursor **link_ = nullptr;
  NodeCursor *nextAbandoned_ = nullptr;
  bool reverse_;
  bool done_ = false;
};

} // namespace ge

#endif // GE_IR_GRAPH_H
