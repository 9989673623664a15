//===- Conditions.h - comparing constants, attributes and types -------------------------------===//
#ifndef GE_LIB_PASSES_MATCH_CONDITIONS_H
#define GE_LIB_PASSES_MATCH_CONDITIONS_H

#include "ge/Passes/Match/Pattern.h"

namespace ge {

struct Constant;

/// Whether `tensor` is what the pattern's constant asks for, predicates aside. O(elements).
bool constantMatches(const PatternValue &pattern, const Tensor &tensor);
/// Whether a node with `value` (invalid: absent) for the attribute is what is asked for, predicates
/// aside. `def` is of the node's operator, null when it is not registered.
bool attributeMatches(const PatternAttribute &pattern, Attribute value, const Constant *absent);
/// What an absent attribute of the node counts as, in its graph's operator set; null: nothing.
const Constant *defaultAttribute(const Node *node, std::string_view name);

/// `1`, `[2, 2]`, `absent`, cut where it is long.
std::string shortText(Attribute attribute);
std::string shortText(const PatternAttribute &pattern);
std::string shortText(const Tensor &tensor);
/// `onnx.Relu 'relu3'`, `the input 'x'`.
std::string shortText(const Node *node);
std::string shortText(const PatternConstraint &constraint);

} // namespace ge

#endif // GE_LIB_PASSES_MATCH_CONDITIONS_H
