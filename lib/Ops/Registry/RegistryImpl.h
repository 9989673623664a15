//===- RegistryImpl.h - the tables of a registry ----------------------------------------------===//
#ifndef GE_LIB_OPS_REGISTRY_REGISTRYIMPL_H
#define GE_LIB_OPS_REGISTRY_REGISTRYIMPL_H

#include "ge/Ops/Registry/Registry.h"
#include "ge/Support/StringUtil.h"

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ge {

template <typename T>
using StringMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;

struct RegisteredVersion {
  uint32_t since;
  OpDefRef def; ///< null: not created yet
  std::shared_ptr<const OpProvider> provider;
  size_t index; ///< of the provider's entries
  const Library *owner;
};

struct RegisteredOp {
  std::string name;
  std::string overload;
  std::vector<RegisteredVersion> versions; ///< by since; never empty

  const RegisteredVersion *newest(uint32_t opset) const;
};

struct PendingProvider {
  std::shared_ptr<const OpProvider> provider;
  const Library *owner;
};

struct RegisteredKernel {
  std::shared_ptr<const Kernel> kernel;
  const Library *owner;
  uint64_t order; ///< generation of its registration
};

struct NamespaceTable {
  const Library *owner = nullptr; ///< the open DEF library
  size_t openLibraries = 0;
  StringMap<std::vector<RegisteredOp>> names; ///< overloads in registration order; never empty
  std::vector<PendingProvider> pending;       ///< whose entries are not in `names` yet

  RegisteredOp *findOp(std::string_view name, std::string_view overload);
  bool insert(std::string_view name, std::string_view overload, RegisteredVersion version,
              std::string *conflict);
  void removeOwned(const Library *owner);
};

struct Registry::Impl {
  mutable std::shared_mutex lock; ///< guards all but `generation`
  std::atomic<uint64_t> generation{1};
  StringMap<std::unique_ptr<NamespaceTable>> namespaces; ///< tables stay: they never move
  std::vector<std::unique_ptr<Library>> kept;
  /// Kernels by qualified operator name, in order of registration: a later one for the same backend
  /// overrides an earlier one. No entry is empty.
  StringMap<std::vector<RegisteredKernel>> kernels;

  NamespaceTable *findNamespace(std::string_view ns) const; ///< under the lock
  NamespaceTable &makeNamespace(std::string_view ns);       ///< under the exclusive lock
  /// Registers the pending entries of a namespace. Takes the lock.
  void index(std::string_view ns);
  /// Removes the kernels of a library; requires the exclusive lock. The caller destroys the
  /// returned kernels without the lock, because their release functions may call anything.
  std::vector<std::shared_ptr<const Kernel>> takeKernels(const Library *owner);
  /// Creates the record of a version. Takes the lock, but not during the creation.
  OpDefRef made(std::string_view ns, const std::string &name, const std::string &overload,
                const RegisteredVersion &version);
};

std::string describe(const RegisteredOp &op, std::string_view ns);

} // namespace ge

#endif // GE_LIB_OPS_REGISTRY_REGISTRYIMPL_H
