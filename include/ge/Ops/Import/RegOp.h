//===- RegOp.h - records from CANN's REG_OP prototypes ---------------------------------------===//
#ifndef GE_OPS_IMPORT_REGOP_H
#define GE_OPS_IMPORT_REGOP_H

#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <string_view>
#include <vector>

namespace ge {

struct RegOps {
  std::vector<OpSpec> specs; ///< in the order of the text; ns is empty
  /// An error for each prototype that was left out and each part of the text that could not be
  /// read; a warning for each type that means nothing.
  std::vector<Diagnostic> diagnostics;
};

/// Reads the prototypes of C++ header text; everything between them is passed over, preprocessor
/// lines too, so both branches of an `#if` count.
///
///   REG_OP(Name) .INPUT(x, TensorType({DT_FLOAT, ..})) .ATTR(axis, Int, 0) ..
///       .OP_END_FACTORY_REG(Name)
///
/// Parameters come as CANN's builders want them: operands, subgraphs, attributes (keyword-only). A
/// list of types becomes a TypeVar of the operand's name, DATATYPE one of the symbol's; a result
/// with an operand's name is that operand, written to. The comment before the prototype becomes
/// docs (@brief, @par Inputs, ..). An optional operand has the default None where nothing required
/// follows it.
///
/// An unterminated comment or string is an error that says how often REG_OP is in what it hides.
/// What is not understood is an error, and reading goes on with the next prototype; after
/// kMaxRegOpDiagnostics it ends with one that says so. But an operand of unknown type may
/// have any: that is a warning. Never throws but for memory. O(text).
RegOps readRegOps(std::string_view text, const SchemaSource &source = {});
constexpr size_t kMaxRegOpDiagnostics = 100;

} // namespace ge

#endif // GE_OPS_IMPORT_REGOP_H
