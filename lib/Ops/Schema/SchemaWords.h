//===- SchemaWords.h - words that stand for values in schemas ---------------------------------===//
#ifndef GE_LIB_OPS_SCHEMA_SCHEMAWORDS_H
#define GE_LIB_OPS_SCHEMA_SCHEMAWORDS_H

#include "ge/IR/DType.h"
#include "ge/Ops/Schema/SchemaType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ge::schema {

/// PyTorch's number for a word that is a value of this type: `contiguous_format` of MemoryFormat,
/// `float` of ScalarType, `Mean` of int; -1 when PyTorch has none. Nullopt: no such word.
std::optional<int64_t> numberOfWord(std::string_view word, SchemaAtom type);
/// The words of a type, for messages; empty when there are many or none.
std::string wordsOf(SchemaAtom type);

std::optional<DType> dtypeOfWord(std::string_view word);
std::optional<DType> dtypeOfTorchNumber(int64_t number);

} // namespace ge::schema

#endif // GE_LIB_OPS_SCHEMA_SCHEMAWORDS_H
