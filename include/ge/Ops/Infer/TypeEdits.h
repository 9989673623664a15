//===- TypeEdits.h - contradictions of types that edits made --------------------------------------===//
#ifndef GE_OPS_INFER_TYPEEDITS_H
#define GE_OPS_INFER_TYPEEDITS_H

#include "ge/IR/VerifyEdits.h"

#include <span>

namespace ge {

/// Nodes that were edited since the marks and fit their operands no longer, and results whose
/// declared type native inference contradicts; not where it was so before. O(edits).
std::vector<Diagnostic> typeFaultsOfEdits(std::span<const EditMark> marks);

} // namespace ge

#endif // GE_OPS_INFER_TYPEEDITS_H
