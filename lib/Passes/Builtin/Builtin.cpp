//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
#include "Builtin.h"

namespace ge {

void registerBuiltinPasses(PassRegistry &registry) { registerBasicPasses(registry); }

} // namespace ge
