//===- TypeEdits.h - contradictions of types that edits made --------------------------------------===//
#ifndef GE_OPS_INFER_TYPEEDITS_H
#define GE_OPS_INFER_TYPEEDITS_H

#include "ge/IR/VerifyEdits.h"

#include <span>

namespace ge {

/// Nodes that were edited since the marks and fit their operands no longer, and results whose
/// declared type native inference contradicts; not where it was so before. O(edits).
std::vector<Diagnostic> typeFaultsOfEdits(std::span<const EditMark> marks);

/// Whether a declared type is what CANN's builder gives a result of which nothing is known.
bool isGuessedType(const Node *node, const Type *declared);
/// Whether an operand is in another layout than the result is declared in, so that their sizes are
/// in different orders. Engines have kernels that do that; inference knows nothing of them.
bool changesLayout(std::span<const Type *const> operands, const Type *declared);

} // namespace ge

#endif // GE_OPS_INFER_TYPEEDITS_H
