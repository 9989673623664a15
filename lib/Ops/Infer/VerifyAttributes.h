//===- VerifyAttributes.h - an attribute against its parameter --------------------------------===//
#ifndef GE_LIB_OPS_INFER_VERIFYATTRIBUTES_H
#define GE_LIB_OPS_INFER_VERIFYATTRIBUTES_H

#include "ge/IR/Attributes.h"
#include "ge/Ops/Schema/OpDef.h"

#include <string>

namespace ge {

/// The reason why `value` is not valid for the parameter, to follow "attribute 'k' "; empty if it
/// is valid.
std::string attributeFault(Attribute value, const Param &param);

} // namespace ge

#endif // GE_LIB_OPS_INFER_VERIFYATTRIBUTES_H
