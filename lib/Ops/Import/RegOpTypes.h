//===- RegOpTypes.h - element types and attribute types of REG_OP ------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPTYPES_H
#define GE_LIB_OPS_IMPORT_REGOPTYPES_H

#include "ge/IR/DType.h"
#include "ge/Ops/Schema/SchemaType.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ge::regop {

/// CANN's name of an element type, with the older spellings ("DT_FLOAT32"); nullopt for another
/// word.
std::optional<DType> elementType(std::string_view word);

/// The element types of `TensorType::NumberType()`; empty and `known` false for another word, empty
/// and `known` true for ALL, which constrains nothing.
std::span<const DType> typeFamily(std::string_view word, bool &known);

/// The type of an attribute that REG_OP calls so ("ListInt"); null for another word.
const SchemaType *attributeType(std::string_view word);
/// The word for one that is near; nullopt: none is.
std::optional<std::string_view> nearestAttributeType(std::string_view word);

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPTYPES_H
