//===- OpIndex.h - nodes by operator ----------------------------------------------------------===//

#ifndef GE_LIB_IR_OPINDEX_H
#define GE_LIB_IR_OPINDEX_H

#include "ge/IR/Mutation.h"

#include <unordered_map>
#include <vector>

namespace ge {

/// The nodes of a root and its subgraphs by operator, built at the first query and kept up to date
/// by listening.
class OpIndex final : public MutationListener {
public:
  OpIndex(const Graph *graph, const Graph *detached);
  /// In list order.
  std::vector<Node *> find(const Graph *graph, const OperatorName *op) const;

  void inserted(Node *node) override;
  void removed(Node *node, Graph *graph) override;

private:
  void addAll(const Graph *graph);
  /// Position of each node in the list of its operator: removal swaps the last one in.
  std::unordered_map<uint32_t, std::vector<Node *>> nodes_;
  std::unordered_map<const Node *, uint32_t> position_;
};

} // namespace ge

#endif // GE_LIB_IR_OPINDEX_H
