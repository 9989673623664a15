//===- UnknownAttributes.h - attributes whose value a graph does not know ----------------------===//
//
// Two kinds of attributes have a dictionary in the place of their value. A reference,
// {ref_attr_name = "alpha"}, is an attribute of a function's node that each call sets. An opaque
// attribute, {onnx.opaque = bytes}, is part of a file that the IR has no form for; it is written as
// it was read. Nothing may be concluded from either, not even that an operator's default holds.
//
#ifndef GE_IR_UNKNOWNATTRIBUTES_H
#define GE_IR_UNKNOWNATTRIBUTES_H

#include "ge/IR/Node.h"

namespace ge {

/// Key of the dictionary of an opaque attribute. Also the attribute of a node that keeps parts of a
/// file that belong to no attribute of their own: fields that the reader does not know, attributes
/// without a name or with the name of another one.
inline constexpr std::string_view kOpaque = "onnx.opaque";
/// Key of the dictionary of a reference.
inline constexpr std::string_view kReference = "ref_attr_name";

/// The attribute of each call of the function has the value.
inline bool isReference(Attribute attribute) {
  return attribute.kind() == AttrKind::Dict && attribute.entry(kReference);
}
/// The IR has no form for the value.
inline bool isOpaque(Attribute attribute) {
  return attribute.kind() == AttrKind::Dict && attribute.entry(kOpaque);
}

bool hasOpaque(const AttributeList &attributes);
/// References or opaque attributes.
bool hasUnknown(const AttributeList &attributes);

/// The node keeps something of its file that the IR cannot represent: it is kept as it is, no pass
/// looks into it, and no pattern matches it. O(attributes).
inline bool isOpaque(const Node *node) { return hasOpaque(node->attributes()); }

} // namespace ge

#endif // GE_IR_UNKNOWNATTRIBUTES_H
