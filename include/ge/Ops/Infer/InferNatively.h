//===- InferNatively.h - types of results without foreign inferrers ---------------------------===//
#ifndef GE_OPS_INFER_INFERNATIVELY_H
#define GE_OPS_INFER_INFERNATIVELY_H

#include "ge/Ops/Infer/Infer.h"

namespace ge {

/// As infer(), by the operator's hook and the native table alone; null where nothing is known.
/// False: the call is wrong.
bool inferNatively(const InferArgs &args, std::span<const Type *> results);

} // namespace ge

#endif // GE_OPS_INFER_INFERNATIVELY_H
