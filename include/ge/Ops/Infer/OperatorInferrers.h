//===- OperatorInferrers.h - foreign inferrers of one operator ----------------------------------===//
#ifndef GE_OPS_INFER_OPERATORINFERRERS_H
#define GE_OPS_INFER_OPERATORINFERRERS_H

#include "ge/Ops/Infer/Infer.h"

#include <memory>
#include <string>

namespace ge {

/// registerInferrer for the operator of that qualified name alone: others do not pay for it.
uint64_t registerInferrerOf(std::string op, std::shared_ptr<ForeignInferrer> inferrer);

} // namespace ge

#endif // GE_OPS_INFER_OPERATORINFERRERS_H
