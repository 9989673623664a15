//===- UnknownAttributes.cpp - attributes whose value a graph does not know --------------------===//
#include "ge/IR/UnknownAttributes.h"

namespace ge {

bool hasOpaque(const AttributeList &attributes) {
  for (uint32_t i = 0, n = attributes.size(); i != n; ++i)
    if (isOpaque(attributes.at(i)))
      return true;
  return false;
}

bool hasUnknown(const AttributeList &attributes) {
  for (uint32_t i = 0, n = attributes.size(); i != n; ++i)
    if (isOpaque(attributes.at(i)) || isReference(attributes.at(i)))
      return true;
  return false;
}

} // namespace ge
