//===- Effects.h - which values operators write, by the alias sets of their schemas -----------===//
//
// `Tensor(a!) x` is written when its node runs; `Tensor(a)` and `Tensor(a!)` share the storage of
// every operand and result with the same set. Passes ask which values of a graph are in storage
// that any node writes: those are not merged, folded or replaced.
//
#ifndef GE_OPS_SCHEMA_EFFECTS_H
#define GE_OPS_SCHEMA_EFFECTS_H

#include "ge/IR/Graph.h"
#include "ge/Ops/Schema/OpDef.h"

#include <functional>
#include <unordered_set>

namespace ge {

/// Whether the set, or that of an element, has a '!'.
bool isWrite(const AliasInfo &alias);
/// Whether running it writes an operand, or an element of one.
bool writesOperands(const OpSpec &spec);

/// The values of `root` and its subgraphs that share storage with an operand that a node writes,
/// those operands included. A node with subgraphs in which anything is written passes that on: its
/// operands, its results and the inputs and outputs of its subgraphs count as one storage.
/// `definition` gives the record of a node's operator, null where it has none; operators without a
/// record are taken to write nothing. O(nodes + operands of operators with aliases).
std::unordered_set<const Value *>
writtenValues(const Graph &root, const std::function<const OpDef *(const Node *)> &definition);

} // namespace ge

#endif // GE_OPS_SCHEMA_EFFECTS_H
