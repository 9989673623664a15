//===- TensorEvaluation.h - native evaluation of operators on constants of any size -----------===//
//
// Functions with which the core computes results itself, so that it need not start a runtime for a
// transposed weight. Results are bit for bit those of the operator: only correctly rounded
// arithmetic is implemented.
//
#ifndef GE_OPS_EVAL_TENSOREVALUATION_H
#define GE_OPS_EVAL_TENSOREVALUATION_H

#include "ge/IR/Mutation.h"
#include "ge/IR/Node.h"
#include "ge/IR/Tensor.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ge {

struct Contents;

using Ints = std::vector<int64_t>;

/// What a function reads of the call: a node, or an operator with attributes and result types.
class ConstantCall {
public:
  ConstantCall(const Node *node) : node_(node), op_(node->op()) {}
  ConstantCall(const OperatorName *op, std::span<const NamedAttribute> attributes,
               std::span<const Type *const> resultTypes)
      : op_(op), attributes_(attributes), resultTypes_(resultTypes) {}

  const OperatorName *op() const { return op_; }
  bool isOnnx(std::string_view type) const;
  /// Invalid if it has none of that name.
  Attribute attribute(std::string_view name) const;
  int64_t intAttr(std::string_view name, int64_t otherwise) const;
  std::optional<Ints> intsAttr(std::string_view name) const;
  /// Null when there is no such result, or nothing is known of it.
  const Type *resultType(uint32_t index) const;

private:
  bool isOpaque() const;
  const Node *node_ = nullptr;
  const OperatorName *op_;
  std::span<const NamedAttribute> attributes_;
  std::span<const Type *const> resultTypes_;
};

/// `operands`: null where absent. Fills `results`, as many as the call has, and returns true; false
/// when it cannot. The result types, which must be there with static shapes, are what it makes.
/// Allocates no more than the elements that results and operands have; a result whose elements are
/// all one number is a splat, however large it is.
using EvaluateFunction = bool (*)(const ConstantCall &call, std::span<const TensorPtr> operands,
                                  std::span<TensorPtr> results);

/// The function that evaluates the call; null: none. Of layout (what is gathered among it), else of
/// arithmetic.
EvaluateFunction nativeEvaluation(const ConstantCall &call);
EvaluateFunction evaluateLayout(const ConstantCall &call);
EvaluateFunction evaluateGather(const ConstantCall &call);
EvaluateFunction evaluateArithmetic(const ConstantCall &call);

/// Whether one number is the value of all elements: a splat or a single element. Not of strings.
bool isUniform(const Tensor &tensor);
/// The number that all elements of a uniform tensor are, in the form of Tensor::copyElements().
std::vector<char> elementOf(const Tensor &uniform);
/// A tensor of `type` whose elements all are that of `uniform`.
TensorPtr filled(const Type *type, const Tensor &uniform);
/// Computes results from uniform operands. A native function that moves elements has a uniform
/// result if the moved operand is uniform; an elementwise one if all operands are; Concat if all
/// are the same number.
bool keepsUniform(const ConstantCall &call, std::span<const TensorPtr> operands);

/// The axis of a Concat whose operands have these types and whose result has its declared one;
/// nullopt when that is not so, or a type is not static.
std::optional<size_t> concatAxis(const ConstantCall &call, std::span<const Type *const> operands);
/// Parts one after the other, which concatAxis() has checked.
TensorPtr concatenate(const Type *type, size_t axis, std::span<const TensorPtr> parts);

/// Nullopt when it is no tensor of a static shape.
std::optional<Ints> staticShape(const Type *type);
/// As a number; exact but for 64-bit integers. Not of strings or complex numbers.
double elementAt(const Tensor &tensor, int64_t index);

/// Whole numbers as a tensor of that element type; null when it holds others.
TensorPtr tensorOf(Context &context, DType dtype, const Contents &contents);

} // namespace ge

#endif // GE_OPS_EVAL_TENSOREVALUATION_H
