//===- Evaluate.h - native evaluation of operators on constants of any size -------------------===//
//
// Functions with which constant-fold computes results itself, so that it need not start a runtime
// for a transposed weight. Results are bit for bit those of the operator: only correctly rounded
// arithmetic is implemented.
//
#ifndef GE_LIB_PASSES_BUILTIN_EVALUATE_H
#define GE_LIB_PASSES_BUILTIN_EVALUATE_H

#include "PassEditor.h"

namespace ge::builtin {

/// `operands`: null where absent. Fills `results`, as many as the node has, and returns true; false
/// when it cannot. The result types, which must be there with static shapes, are what it makes.
/// Allocates no more than the elements that results and operands have; a result whose elements are
/// all one number is a splat, however large it is.
using EvaluateFunction = bool (*)(const Node *node, std::span<const TensorPtr> operands,
                                  std::span<TensorPtr> results);

/// Null: none. Of layout (what is gathered among it), and of arithmetic.
EvaluateFunction evaluateLayout(const Node *node);
EvaluateFunction evaluateGather(const Node *node);
EvaluateFunction evaluateArithmetic(const Node *node);

/// Whether one number is the value of all elements: a splat or a single element. Not of strings.
bool isUniform(const Tensor &tensor);
/// The number that all elements of a uniform tensor are, in the form of Tensor::copyElements().
std::vector<char> elementOf(const Tensor &uniform);
/// A tensor of `type` whose elements all are that of `uniform`.
TensorPtr filled(const Type *type, const Tensor &uniform);
/// Computes results from uniform operands. A native function that moves elements has a uniform
/// result if the moved operand is uniform; an elementwise one if all operands are; Concat if all
/// are the same number.
bool keepsUniform(const Node *node, std::span<const TensorPtr> operands);

/// The axis of a Concat whose operands have these types and whose result has its declared one;
/// nullopt when that is not so, or a type is not static.
std::optional<size_t> concatAxis(const Node *node, std::span<const Type *const> operands);
/// Parts one after the other, which concatAxis() has checked.
TensorPtr concatenate(const Type *type, size_t axis, std::span<const TensorPtr> parts);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_EVALUATE_H
