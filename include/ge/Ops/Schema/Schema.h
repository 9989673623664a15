//===- Schema.h - the schema language: parser and printer -------------------------------------===//
//
// PyTorch's language; docs/schema.md has the grammar and the table of deliberate differences.
//
//   ns::op.overload(Tensor x, Tensor(a!) y, int[2] k=[1, 1], *, bool flag=False) -> (Tensor, int n)
//
#ifndef GE_OPS_SCHEMA_SCHEMA_H
#define GE_OPS_SCHEMA_SCHEMA_H

#include "ge/IR/DType.h"
#include "ge/Ops/Schema/OpDef.h"

#include <string>
#include <string_view>
#include <variant>

namespace ge {

/// Where the text stands, for diagnostics and OpSpec::source.
struct SchemaSource {
  std::string_view file = "<schema>";
  uint32_t line = 1; ///< of the first character
};

/// `ns::name.overload` alone; parts that are missing are empty.
struct OpNameParts {
  std::string ns;
  std::string name;
  std::string overload;
};

/// One schema, all of `text`; white space and `#` comments around it are allowed. Throws
/// Error(OpSchema) with a diagnostic that has place, line and caret. O(text).
OpSpec parseSchema(std::string_view text, const SchemaSource &source = {});
/// A schema, or a name without parentheses.
std::variant<OpNameParts, OpSpec> parseSchemaOrName(std::string_view text,
                                                    const SchemaSource &source = {});
/// A type alone; an alias annotation is refused.
const SchemaType *parseSchemaType(std::string_view text, const SchemaSource &source = {});
/// A default value of `type`, as it stands after `=`: "[1, 1]", "1e-05", "'text'".
Constant parseSchemaConstant(std::string_view text, const SchemaType *type,
                             const SchemaSource &source = {});

enum class SchemaStyle : uint8_t {
  Canonical, ///< a fixpoint: parsing it and printing again gives the same text
  Torch,     ///< as PyTorch prints a schema that it has parsed; it cannot always read that back
};

/// Appends. O(text).
void printSchema(const OpSpec &spec, std::string &out, SchemaStyle style = SchemaStyle::Canonical);
void printConstant(const Constant &value, std::string &out);
/// `int[2] k=[1, 1]`: one parameter as it stands in the schema.
void printParam(const Param &param, std::string &out, SchemaStyle style = SchemaStyle::Canonical);
inline std::string schemaText(const OpSpec &spec, SchemaStyle style = SchemaStyle::Canonical) {
  std::string out;
  printSchema(spec, out, style);
  return out;
}

/// The element type that a constant of type ScalarType means: a word (PyTorch's "float", ours,
/// NumPy's or CANN's) or PyTorch's number; nullopt for another constant, and for what only PyTorch
/// has.
std::optional<DType> constantDType(const Constant &value);

/// Why `value` cannot be the default of a parameter of `type`; empty when it can.
std::string defaultMismatch(const Constant &value, const SchemaType *type);

} // namespace ge

#endif // GE_OPS_SCHEMA_SCHEMA_H
