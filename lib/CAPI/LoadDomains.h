//===- LoadDomains.h - the domain loader, called for what was just read -----------------------===//
#ifndef GE_LIB_CAPI_LOADDOMAINS_H
#define GE_LIB_CAPI_LOADDOMAINS_H

#include "Live.h"

#include "ge/Ops/Registry/DomainLoader.h"

namespace ge::capi {

/// Loads the packages that define the operators of a graph or module that no other thread has yet.
/// Costs nothing without a loader.
template <typename T> void loadDomainsOf(const T &object) {
  if (hasDomainLoader())
    loadDomains(unmetDomains(object));
}

/// Returns the module after loading the packages that define its operators.
inline GeModule *withDomains(Module *module) {
  try {
    loadDomainsOf(*module);
  } catch (...) {
    module->release();
    throw;
  }
  return wrap(module);
}

} // namespace ge::capi

#endif // GE_LIB_CAPI_LOADDOMAINS_H
