//===- OrderLabels.h - list labelling: O(1) order queries, O(log n) amortised inserts ---------===//
//
// After Bender, Cole, Demaine, Farach-Colton, Zito, "Two simplified algorithms for maintaining
// order in a list" (ESA 2002): every node of a list has an integer label; where two neighbours
// leave no room, the smallest enclosing range of labels that is sparse enough is spread out evenly.
//

#ifndef GE_LIB_IR_ORDERLABELS_H
#define GE_LIB_IR_ORDERLABELS_H

#include "ge/IR/Node.h"

namespace ge {

class OrderLabels {
public:
  /// Gives `node`, which is in its list already, a label between its neighbours'.
  static void assign(Node *node);
  static uint64_t label(const Node *node) { return node->order_; }

private:
  static void relabelAround(Node *node);
};

} // namespace ge

#endif // GE_LIB_IR_ORDERLABELS_H
