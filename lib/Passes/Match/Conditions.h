//===- Conditions.h - comparing constants, attributes and types -------------------------------===//
#ifndef GE_LIB_PASSES_MATCH_CONDITIONS_H
#define GE_LIB_PASSES_MATCH_CONDITIONS_H

#include "ge/Passes/Match/Pattern.h"

namespace ge {

struct Constant;

/// Whether `tensor` is what the pattern's constant asks for, predicates aside. O(elements).
bool constantMatches(const PatternValue &pattern, const Tensor &tensor);
/// Whether a node with `value` (invalid: absent, which counts as `absent`, if not null) for the
/// attribute is what is asked for, predicates and variables aside. Values are compared, not kinds:
/// docs/patterns.md has the rules.
bool attributeMatches(const PatternAttribute &pattern, const Node *node, Attribute value,
                      const Constant *absent);
/// Whether two values of the attribute are equal, by the same rules.
bool sameAttribute(const PatternAttribute &pattern, const Node *node, Attribute a, Attribute b);
/// What an absent attribute of the node counts as, in its graph's operator set; null: nothing.
const Constant *defaultAttribute(const Node *node, std::string_view name);
/// The attribute that a default stands for; invalid for None and complex numbers.
AttrRef defaultValue(Context &context, const Constant &constant);
/// What ONNX says in words instead of a default: strides and dilations of ones, pads of zeros, a
/// reversed perm, the kernel_shape of the weights. Null: nothing, or the rank is not known.
AttrRef impliedValue(const Node *node, std::string_view name);
/// ", which is an operand in opset 13": where an attribute, or an operand, that a pattern has is
/// the other in the form of the node's opset; else empty.
std::string otherFormNote(const Node *node, std::string_view attribute);
std::string otherFormNote(const Node *node, uint32_t operand);
/// Where only the kinds of numbers differ, what to know about them; else empty.
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
