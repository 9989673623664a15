//===- Functions.h - the functions of a model -------------------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_FUNCTIONS_H
#define GE_LIB_PASSES_BUILTIN_FUNCTIONS_H

#include "ge/IR/Module.h"
#include "ge/IR/Node.h"

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ge::builtin {

/// A graph of a module that defines an operator.
bool isFunction(const Graph &graph);

/// The functions of a module by the operator that calls them.
class Functions {
public:
  explicit Functions(const Module &module); ///< needs read access to it and its graphs

  /// All of that operator: more than one in a wrong model. Empty: it is no function's.
  std::span<Graph *const> of(const OperatorName *op) const;
  /// Those that no other graph calls, not even through functions; in the order of the module.
  std::vector<Graph *> uncalled() const;

private:
  const Module &module_;
  std::unordered_map<const OperatorName *, std::vector<Graph *>> byOperator_;
  std::unordered_set<const Graph *> named_;
};

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_FUNCTIONS_H
