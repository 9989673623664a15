//===- InferGraph.h - types of all values of a graph ------------------------------------------===//
#ifndef GE_OPS_INFER_INFERGRAPH_H
#define GE_OPS_INFER_INFERGRAPH_H

#include "ge/Ops/Infer/Infer.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ge {

class Registry;

struct InferOptions {
  /// Where definitions come from; null: the global one.
  const Registry *registry = nullptr;
  /// Of ONNX's operators; 0: the attribute `opset` of graph or module, {onnx = 17}, else the
  /// newest.
  uint32_t opset = 0;
  /// An input with a default value counts as that value. ONNX before IR version 4 lists every
  /// weight and shape among the inputs, so nothing could be inferred there without.
  bool trustInputDefaults = true;
  /// A declared shape that contradicts the inferred one is replaced by it, with the diagnostic, but
  /// for inputs and outputs of graphs, which callers rely on. Else it stays.
  bool correctShapes = false;
  /// Of findTypeDisputes(): what agrees is marked as inferred, which needs write access.
  bool confirmTypes = true;
};

struct InferCounts {
  uint64_t nodes = 0;      ///< that have results
  uint64_t inferred = 0;   ///< all of whose results have a type of known rank afterwards
  uint64_t unknown = 0;    ///< the others
  uint64_t byFallback = 0; ///< whose types came from a foreign inferrer
  uint64_t changed = 0;    ///< values whose type was set
  /// Operators without inference, and how many nodes have them; sorted.
  std::vector<std::pair<std::string, uint64_t>> unknownOperators;
  /// Those of byFallback, likewise.
  std::vector<std::pair<std::string, uint64_t>> fallbackOperators;
  /// Wrong calls and contradictions with declared types.
  std::vector<Diagnostic> diagnostics;
};

/// Infers and sets types in topological order, into subgraphs, with the contents of small constants
/// and shapes. A type is only ever made more precise, or corrected where options say so. Needs
/// write access. A graph with a cycle is left as it is, with a diagnostic. O(nodes + edges), times
/// at most 3 for each of the first three levels of nested loops.
InferCounts inferTypes(Graph *graph, const InferOptions &options = {});

/// Declared types that inference contradicts.
struct TypeDisputes {
  /// With those that follow from them by inference, and are declared otherwise. What is wrong, a
  /// sentence each; empty beyond DiagnosticLimit::kMost.
  std::unordered_map<const Value *, std::string> values;
  bool isEmpty() const { return values.empty(); }
};

/// Compares declared types with inferred ones, natively, where that was not done since they were
/// set: what agrees counts as inferred from then on. No type is changed. Needs write access.
/// O(values) where nothing is open, else as inferTypes().
TypeDisputes findTypeDisputes(Graph *graph, const InferOptions &options = {});

/// The same for code that queries single values while it matches: nothing is compared before the
/// first query. Valid while the graph's nodes live.
class DisputedTypes {
public:
  /// Of the whole graph that `graph` is a part of. `mayConfirm`: with write access.
  DisputedTypes(Graph *graph, bool mayConfirm) : graph_(graph), mayConfirm_(mayConfirm) {}
  /// What contradicts the declared type of the value, as a sentence; null: nothing.
  const std::string *find(const Value *value);
  /// Of an operand or a result of the node.
  const std::string *find(const Node *node);
  /// What was found, once each, in the order of the questions.
  const std::vector<const std::string *> &found() const { return found_; }

private:
  Graph *graph_;
  bool mayConfirm_;
  std::optional<TypeDisputes> disputes_;
  std::vector<const std::string *> found_;
  std::unordered_set<const std::string *> isFound_;
};

/// The operator set of the domain that the graph's root or its module says, in the attribute
/// `opset` or in that of a model, `onnx.opset_imports`; 0 when none does.
uint32_t opsetOf(const Graph *graph, std::string_view domain);

} // namespace ge

#endif // GE_OPS_INFER_INFERGRAPH_H
