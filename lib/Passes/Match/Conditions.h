//===- Conditions.h - comparing constants, attributes and types -------------------------------===//
#ifndef GE_LIB_PASSES_MATCH_CONDITIONS_H
#define GE_LIB_PASSES_MATCH_CONDITIONS_H

#include "ge/Passes/Match/Pattern.h"

namespace ge {

struct Constant;

/// Returns whether `tensor` equals the pattern's constant, predicates aside. O(elements).
bool constantMatches(const PatternValue &pattern, const Tensor &tensor);
/// Returns whether the attribute `value` of a node (invalid: absent, which counts as `absent`, if
/// not null) fulfils the condition, predicates and variables aside. Values are compared, not kinds:
/// docs/patterns.md has the rules.
bool attributeMatches(const PatternAttribute &pattern, const Node *node, Attribute value,
                      const Constant *absent);
/// Whether two values of the attribute are equal, by the same rules.
bool sameAttribute(const PatternAttribute &pattern, const Node *node, Attribute a, Attribute b);
/// The value that an absent attribute of the node has, in its graph's operator set; null if there
/// is none.
const Constant *defaultAttribute(const Node *node, std::string_view name);
/// The attribute for a default; invalid for None and complex numbers.
AttrRef defaultValue(Context &context, const Constant &constant);
/// Defaults that ONNX describes in words: strides and dilations of ones, pads of zeros, a reversed
/// perm, the kernel_shape of the weights. Null if there is none, or the rank is unknown.
AttrRef impliedValue(const Node *node, std::string_view name);
/// ", which is an operand in opset 13": for an attribute, or operand, of the pattern that is the
/// other of these in the node's opset; else empty.
std::string otherFormNote(const Node *node, std::string_view attribute);
std::string otherFormNote(const Node *node, uint32_t operand);
/// Explanation of a difference in the kinds of numbers only; else empty.
std::string mismatchNote(const PatternAttribute &pattern, Attribute value);

/// `1`, `[2, 2]`, `absent`, cut where it is long.
std::string shortText(Attribute attribute);
std::string shortText(const PatternAttribute &pattern);
std::string shortText(const Tensor &tensor);
/// `onnx.Relu 'relu3'`, `the input 'x'`.
std::string shortText(const Node *node);
std::string shortText(const PatternConstraint &constraint);

} // namespace ge

#endif // GE_LIB_PASSES_MATCH_CONDITIONS_H
