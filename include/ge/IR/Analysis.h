//===- Analysis.h - verification, structural comparison, copies -------------------------------===//

#ifndef GE_IR_ANALYSIS_H
#define GE_IR_ANALYSIS_H

#include "ge/IR/Mutation.h"

#include <vector>

namespace ge {

/// What is wrong with a graph and all inside it: cycles (as a path of names), values used where
/// they cannot be seen, detached operands, absent outputs, repeated names, unknown graph symbols
/// (with a module). Empty when it is well formed. O(nodes + edges).
std::vector<Diagnostic> verify(const Graph *graph);
std::vector<Diagnostic> verify(const Module &module);

/// Same operators, attributes, types, edges, subgraphs, input and output order; names, locations,
/// node order and trailing absent operands do not count. Errors never. O(nodes + edges).
bool isStructurallyEqual(const Graph *a, const Graph *b);
bool isStructurallyEqual(const Module &a, const Module &b);
/// Two nodes: operator, attributes, result types, subgraphs, and equal operands (the same values
/// when both are of one root, else structurally).
bool isStructurallyEqual(const Node *a, const Node *b);
/// Agrees with the above and is the same in every process.
uint64_t structuralHash(const Graph *graph);
uint64_t structuralHash(const Node *node);

/// A copy as a new root, held once by the caller, in `context` or its own one. Tensors are shared.
/// Captured values of graphs around a subgraph become inputs with their names, in order of first
/// use.
Root *clone(const Graph *graph, Context *context = nullptr);
/// Copies inputs, nodes, outputs and attributes into an empty graph; `prefix` goes before all
/// names.
void cloneInto(const Graph *from, Graph *to, std::string_view prefix);
/// A detached copy with the same operands (of the same root); names get `_1`. Subgraphs are copied.
Node *cloneNode(Node *node);

/// Bit i: the type of result i counts as inferred, in list order, results of inputs first and inner
/// graphs after their node. Empty when none does. O(nodes).
std::string typeSources(const Graph *graph);
/// Of a graph with the same nodes, as one that was read from its text. O(nodes).
void setTypeSources(Graph *graph, std::string_view bits);

} // namespace ge

#endif // GE_IR_ANALYSIS_H
