//===- SchemaFile.h - operators from a text file with documentation ---------------------------===//
//
// One schema a line; the `#` lines directly above it, without a blank line between, are its
// documentation:
//
//   # Adds two tensors.
//   # x1: The first operand.
//   #   More about it: a line that begins with two spaces goes on.
//   # traits: pure, elementwise, commutative
//   # same: x1, y
//   math::Add(Tensor x1, Tensor x2) -> (Tensor y)
//
// `name: text` is about the parameter or result of that name, both if there are both. Other words:
// `traits:` (opTraitName), `same:` (slots of one type: a TypeVar), `deprecated:` (what to use
// instead). Everything else is the operator's own text. A `#` line without a schema below is a
// comment.
//
#ifndef GE_OPS_SCHEMA_SCHEMAFILE_H
#define GE_OPS_SCHEMA_SCHEMAFILE_H

#include "ge/Ops/Schema/OpDef.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// An index of such a text. Making it parses nothing: O(text) and a fraction of a millisecond for
/// the operators that ship with GE. Immutable.
class SchemaFile {
public:
  /// `text` and `file` are kept as they are: they must live as long as this.
  SchemaFile(std::string_view text, std::string_view file);

  struct Entry {
    std::string_view ns, name, overload;
    uint32_t docs;   ///< offset of the first line above that belongs to it
    uint32_t schema; ///< offset of the schema
    uint32_t end;
    uint32_t line; ///< of the schema, from 1
  };
  /// In the order of the file. A line that is not a schema has an entry, too: make() says what is
  /// wrong with it.
  const std::vector<Entry> &entries() const { return entries_; }
  /// Throws Error(OpSchema) with place and caret.
  OpSpec make(const Entry &entry) const;

private:
  std::string_view text_;
  std::string_view file_;
  std::vector<Entry> entries_;
};

} // namespace ge

#endif // GE_OPS_SCHEMA_SCHEMAFILE_H
