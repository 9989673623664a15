//===- Builtin.cpp - the list of built-in passes ----------------------------------------------===//
#include "ge/Passes/PassRegistry.h"

namespace ge {

void registerBuiltinPasses([[maybe_unused]] PassRegistry &registry) {}

} // namespace ge
