//===- Evaluate.h - native evaluation of operators on constants of any size -------------------===//
//
// What constant-fold computes itself, so that it need not start a runtime for a transposed weight.
// Results are bit for bit those of the operator: only correctly rounded arithmetic is here.
//
#ifndef GE_LIB_PASSES_BUILTIN_EVALUATE_H
#define GE_LIB_PASSES_BUILTIN_EVALUATE_H

#include "Rewriter.h"

namespace ge::builtin {

/// `operands`: null where absent. Fills `results`, as many as the node has, and returns true; false
/// when it cannot. The result types, which must be there with static shapes, are what it makes.
using EvaluateFunction = bool (*)(const Node *node, std::span<const TensorPtr> operands,
                                  std::span<TensorPtr> results);

/// Null: none. Of layout (what is gathered among it), and of arithmetic.
EvaluateFunction evaluateLayout(const Node *node);
EvaluateFunction evaluateGather(const Node *node);
EvaluateFunction evaluateArithmetic(const Node *node);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_EVALUATE_H
