//===- NewSubgraphs.h - the subgraphs of a GeNodeSpec -----------------------------------------===//
#ifndef GE_LIB_CAPI_NEWSUBGRAPHS_H
#define GE_LIB_CAPI_NEWSUBGRAPHS_H

#include "Live.h"

#include "ge/IR/Subgraphs.h"

#include <deque>
#include <optional>

namespace ge::capi {

/// Checked before the node is created, so that nothing has changed if one of them is invalid.
class NewSubgraphs {
public:
  /// For a node of `graph`, or (null) a detached one of `root`, to which the caller has access.
  NewSubgraphs(Root &root, const Graph *graph, const GeNodeSpec &spec) : spec_(spec) {
    if (!spec.numSubgraphs) [[likely]]
      return;
    needArray(spec.subgraphs, spec.numSubgraphs, "subgraphs");
    for (size_t i = 0; i < spec.numSubgraphs; ++i) {
      std::string_view name = slot(i);
      std::optional<Writing<Graph>> &live = graphs_.emplace_back();
      if (!spec.subgraphs[i]) {
        checkSubgraph(root, graph, name, nullptr);
        continue;
      }
      live.emplace(spec.subgraphs[i], "subgraphs");
      if (!(*live)->isRoot())
        throwError(ErrorKind::Value, (*live)->describe(), " is a subgraph already; clone it");
      for (size_t k = 0; k < i; ++k)
        if (graphs_[k] && &graphs_[k]->root() == &live->root())
          throwError(ErrorKind::Value, (*live)->describe(), " is given twice; clone it");
      checkSubgraph(root, graph, name, &live->root());
    }
  }

  /// Without memory for the references, the node is erased again.
  Node *moveInto(Node *node) {
    try {
      for (size_t i = 0; i < graphs_.size(); ++i)
        if (graphs_[i])
          Mutation::addSubgraph(node, slot(i), graphs_[i]->root());
        else
          Mutation::addSubgraph(node, slot(i), std::string_view());
    } catch (...) {
      Mutation::erase(node, true);
      throw;
    }
    return node;
  }

private:
  std::string_view slot(size_t i) const {
    return spec_.slots ? text(spec_.slots[i], "slots") : std::string_view();
  }
  const GeNodeSpec &spec_;
  std::deque<std::optional<Writing<Graph>>> graphs_;
};

} // namespace ge::capi

#endif // GE_LIB_CAPI_NEWSUBGRAPHS_H
