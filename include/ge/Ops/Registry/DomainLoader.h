//===- DomainLoader.h - operators that are defined when their domain is met -------------------===//
//
// A host of the core may know packages that define operators. They are loaded when a graph has an
// unregistered operator and not earlier, because searching for packages costs more than most
// operations.
//
#ifndef GE_OPS_REGISTRY_DOMAINLOADER_H
#define GE_OPS_REGISTRY_DOMAINLOADER_H

#include "ge/IR/Module.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// Called once for each domain, and by each thread that needs the domain while it is being loaded:
/// that call returns when the first one has finished. May define operators; may call anything.
using DomainLoader = std::function<void(std::string_view domain)>;

/// Replaces the loader of the process; an empty one: none. Domains may be asked for again then.
void setDomainLoader(DomainLoader loader);
bool hasDomainLoader(); ///< no lock
/// Whether the loader is still to be asked for the domain; false for the core's own domains.
bool mayLoadDomain(std::string_view domain);

/// Domains of operators in the graph and its subgraphs that have no record and have not been asked
/// for. Needs read access. O(nodes).
std::vector<std::string> unmetDomains(const Graph &graph);
std::vector<std::string> unmetDomains(const Module &module); ///< of all its graphs

/// Calls the loader for each domain for which it has not been called meanwhile. Call it without a
/// lock and, except in a pass, without access to a graph. Exceptions of the loader propagate.
void loadDomains(std::span<const std::string> domains);

} // namespace ge

#endif // GE_OPS_REGISTRY_DOMAINLOADER_H
