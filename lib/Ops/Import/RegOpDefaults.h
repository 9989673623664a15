//===- RegOpDefaults.h - defaults of attributes of REG_OP --------------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPDEFAULTS_H
#define GE_LIB_OPS_IMPORT_REGOPDEFAULTS_H

#include "RegOpCursor.h"

#include "ge/Ops/Schema/OpDef.h"

namespace ge::regop {

/// Whether a value of the type is written as a call of a constructor (tensors, dictionaries), which
/// is skipped.
bool hasNoLiteral(const SchemaType *type);
/// Skips a value, up to the comma or bracket after it.
void skipDefault(RegOpCursor &cursor);
/// Reads a value of the type, which must have literals. Recurses as deep as the type.
Constant readDefault(RegOpCursor &cursor, const SchemaType *type);

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPDEFAULTS_H
