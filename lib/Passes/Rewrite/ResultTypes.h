//===- ResultTypes.h - types that inference gives single nodes --------------------------------===//
#ifndef GE_LIB_PASSES_REWRITE_RESULTTYPES_H
#define GE_LIB_PASSES_REWRITE_RESULTTYPES_H

#include "ge/Ops/Infer/Infer.h"

namespace ge {

/// Fills `results` with the types that the node's operands and attributes imply.
InferStatus inferResults(const Node *node, std::vector<const Type *> &results);

/// The type that native inference, which runs no user code, gives a value. Null if there is none.
const Type *inferredType(const Value *value);

/// The inferred type, with sizes that only the declared one has. If they contradict each other, the
/// inferred one.
const Type *preferInferred(const Type *inferred, const Type *declared);

/// CANN's builder creates inputs of DT_FLOAT and unknown shape; types inferred from these are
/// meaningless.
bool isGuess(const Value *value);

} // namespace ge

#endif // GE_LIB_PASSES_REWRITE_RESULTTYPES_H
