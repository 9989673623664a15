//===- Compose.h - the rules of compose, by what they make ------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_COMPOSE_H
#define GE_LIB_PASSES_BUILTIN_COMPOSE_H

#include "PassEditor.h"

namespace ge::builtin {

std::span<const RuleRow> activationRules(); ///< Gelu, HardSigmoid, HardSwish, Mish, Swish
std::span<const RuleRow> groupNormRules();  ///< GroupNormalization
std::span<const RuleRow> normRules();       ///< LayerNormalization, RMSNormalization

/// Returns whether an operator that computes in f32 is exact enough: a double would be normalized
/// as a float.
bool isNormalizable(DType dtype);

/// Returns whether the operator of the model's opset takes the element type of its first operand.
bool isDefinedFor(PassEditor &r, std::string_view type, Value *x);

/// A constant scalar near to `number`, as near as its element type writes it.
bool isNear(PassEditor &r, const Value *value, double number);
/// Of a commutative node: the operand that is not the constant `number`; null when none is.
Value *besides(PassEditor &r, const Node *node, double number);
/// d of d * d or d ** 2.
Value *rootOfSquare(PassEditor &r, const Value *value);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_COMPOSE_H
