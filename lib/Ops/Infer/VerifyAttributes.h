//===- VerifyAttributes.h - an attribute against its parameter --------------------------------===//
#ifndef GE_LIB_OPS_INFER_VERIFYATTRIBUTES_H
#define GE_LIB_OPS_INFER_VERIFYATTRIBUTES_H

#include "ge/IR/Attributes.h"
#include "ge/Ops/Schema/OpDef.h"

#include <string>

namespace ge {

/// Why `value` cannot be that parameter's, to be read after "attribute 'k' "; empty when it can.
std::string attributeFault(Attribute value, const Param &param);

} // namespace ge

#endif // GE_LIB_OPS_INFER_VERIFYATTRIBUTES_H
