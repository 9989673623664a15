//===- Builtin.h - one call for each file of built-in passes ----------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_BUILTIN_H
#define GE_LIB_PASSES_BUILTIN_BUILTIN_H

#include "ge/Passes/PassRegistry.h"

namespace ge {

void registerBasicPasses(PassRegistry &registry); ///< verify, sort, infer-types

} // namespace ge

#endif // GE_LIB_PASSES_BUILTIN_BUILTIN_H
