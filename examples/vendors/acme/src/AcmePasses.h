//===- AcmePasses.h - passes in C++ of the vendor's own build -------------------------------------===//
#ifndef ACME_PASSES_H
#define ACME_PASSES_H

#include "ge-c/Passes.h"

namespace acme {

/// Registers the passes in the vendor's C library; once, when the module is loaded.
GeStatus registerPasses();

} // namespace acme

#endif // ACME_PASSES_H
