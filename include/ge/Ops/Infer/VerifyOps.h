//===- VerifyOps.h - nodes against the definitions of their operators -------------------------===//
#ifndef GE_OPS_INFER_VERIFYOPS_H
#define GE_OPS_INFER_VERIFYOPS_H

#include "ge/IR/VerifyEdits.h"
#include "ge/Ops/Infer/Infer.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ge {

class Registry;

struct VerifyOptions {
  const Registry *registry = nullptr; ///< null: the global one
  uint32_t opset = 0;                 ///< as InferOptions::opset
};

struct VerifyResult {
  std::vector<Diagnostic> diagnostics; ///< what is wrong; empty when nothing is
  uint64_t checked = 0;                ///< nodes whose operator is defined
  uint64_t unknown = 0;                ///< nodes whose operator is not
  /// Operators without a definition, and how many nodes have them; sorted. No fault.
  std::vector<std::pair<std::string, uint64_t>> unknownOperators;
};

/// Checks each node, into subgraphs, against its definition: number of operands and results,
/// required ones present, names and kinds of attributes, required attributes, choices and ranges,
/// subgraphs, operators newer than the opset that is imported, constants' values, element types
/// allowed and equal where one type variable stands. Unknown types fit everything. Deprecated
/// operators are warnings. What is wrong with the graph itself is verify()'s (ge/IR/Analysis.h).
/// Needs read access. O(nodes
/// * parameters + edges).
VerifyResult verifyDefinitions(const Graph *graph, const VerifyOptions &options = {});

/// What is wrong with one node by its definition, as verifyDefinitions says it: the first error;
/// empty when there is none, or the operator is not defined. Does not look into subgraphs.
/// O(parameters + edges of the node). `opset`: as InferOptions::opset.
std::string definitionFault(const Node *node, uint32_t opset = 0);

/// The same of the structure of a new node alone: not of types, nor of what hooks of definitions
/// say. A name that a domain with definitions does not have is a fault, unless a node of the model
/// that is none of `made` has it. Asks the domain loader.
std::string structureFault(const Node *node, std::span<Node *const> made);

/// The structure of nodes that were made since the marks, with names of operators that the domain
/// does not have and no node had before; attributes that were set or removed since
/// then, and constants whose value or type was set and that do not fit each other. O(edits).
std::vector<Diagnostic> definitionFaultsOfEdits(std::span<const EditMark> marks);

} // namespace ge

#endif // GE_OPS_INFER_VERIFYOPS_H
