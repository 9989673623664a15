//===- RegOpDocs.h - documentation of REG_OP prototypes ---------------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPDOCS_H
#define GE_LIB_OPS_IMPORT_REGOPDOCS_H

#include "ge/Ops/Schema/OpDef.h"

namespace ge::regop {

/// Fills the docs of `spec` and its slots from a `/** .. */` comment with @brief, @par Inputs, @li;
/// marks it deprecated when the comment says so. What the comment says about names that `spec` does
/// not have goes into the text of the operator. O(comment + slots).
void readDocs(std::string_view comment, OpSpec &spec);

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPDOCS_H
