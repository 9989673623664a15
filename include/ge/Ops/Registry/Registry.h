//===- Registry.h - operators by namespace, name, overload and version ------------------------===//
#ifndef GE_OPS_REGISTRY_REGISTRY_H
#define GE_OPS_REGISTRY_REGISTRY_H

#include "ge/Ops/Schema/Schema.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// A source of records that are created when they are first looked up, so that nothing is parsed at
/// import. Its functions may be called from several threads at once. Immutable.
class OpProvider {
public:
  struct Entry {
    std::string_view name;
    std::string_view overload;
    uint32_t since;
  };
  virtual ~OpProvider() = default;
  /// All records of the namespace it was added for, in the order in which overloads are tried.
  /// Asked for once, at the first look-up in the namespace. Views live as long as the provider.
  virtual std::vector<Entry> entries() const = 0;
  /// The record of entries()[index], whose ns, name, overload and since it has. Asked for at the
  /// first look-up of that one (twice, if two threads come at once). What it throws is what the
  /// look-up throws.
  virtual OpSpec make(size_t index) const = 0;
};

enum class LibraryKind : uint8_t {
  Def,      ///< the home of a namespace: one for each
  Fragment, ///< adds to a namespace that another library may own
  Impl,     ///< kernels only: defines nothing
};

class Registry;
class Kernel;
struct KernelSpec;

/// The operators that one author adds to a namespace; closing it removes them. Created by
/// Registry::open. Not copyable; its functions may be called from any thread. The registry must
/// outlive it.
class Library {
public:
  ~Library() { close(); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  LibraryKind kind() const { return kind_; }
  std::string_view ns() const { return ns_; }
  const SourcePlace &source() const { return source_; }

  /// Registers. An empty spec.ns becomes ns(), another one is an error, as are a second record with
  /// the same name, overload and since (both places are named), kind Impl and a closed library:
  /// Error(OpSchema).
  OpDefRef define(OpSpec spec);
  /// The same from schema text.
  OpDefRef define(std::string_view schema, const SchemaSource &source = {}, std::string doc = {});
  /// Records made on demand. One that is there already is an error at the first look-up in the
  /// namespace, once; then the older one stays.
  void provide(std::shared_ptr<const OpProvider> provider);
  /// Registers a kernel (Kernels.h), also for an operator that is not defined yet.
  /// Error(OpSchema) when the backend has one already and the new one does not override it, and for
  /// a closed library; Error(Value) for another backend word.
  std::shared_ptr<const Kernel> impl(KernelSpec spec);
  /// Takes out all that it added; idempotent. References to its records and kernels stay valid.
  void close();
  bool isClosed() const { return closed_.load(std::memory_order_acquire); }

private:
  friend class Registry;
  Library(Registry &registry, LibraryKind kind, std::string_view ns, SourcePlace source)
      : registry_(&registry), kind_(kind), ns_(ns), source_(std::move(source)) {}
  Registry *registry_;
  LibraryKind kind_;
  std::string ns_;
  SourcePlace source_;
  std::atomic<bool> closed_{false};
};

/// Reads come from any number of threads at once, and do not wait but for changes.
class Registry {
public:
  static constexpr uint32_t kNewest = std::numeric_limits<uint32_t>::max();

  Registry();
  ~Registry(); ///< closes the libraries it keeps; others must be gone
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;
  /// The process's own, which has the operators that ship with GE. Never destroyed.
  static Registry &global();

  /// Error(OpSchema) for a second Def of a namespace (it names both places), and for what is no
  /// namespace.
  std::unique_ptr<Library> open(LibraryKind kind, std::string_view ns, SourcePlace source);

  /// Keeps a library open as long as the registry lives.
  void keep(std::unique_ptr<Library> library);

  /// "onnx" is also called "" and "ai.onnx", and "onnx.ml" "ai.onnx.ml", here and below. The newest
  /// record whose since <= opset; null when there is none. Expected O(1).
  OpDefRef find(std::string_view ns, std::string_view name, std::string_view overload = {},
                uint32_t opset = kNewest) const;
  /// "ns::name" or "ns::name.overload" (also "ns.Name", as node names are written). A name without
  /// overload that has only overloads gives the only one. Throws Error(Key) with what is near, or
  /// which versions and overloads there are.
  OpDefRef get(std::string_view qualifiedName, uint32_t opset = kNewest) const;
  /// All overloads at that opset, in registration order: what overload resolution tries.
  std::vector<OpDefRef> overloads(std::string_view ns, std::string_view name,
                                  uint32_t opset = kNewest) const;
  /// Every version of one, oldest first.
  std::vector<OpDefRef> versions(std::string_view ns, std::string_view name,
                                 std::string_view overload = {}) const;

  /// Identity of a registered record, without making it.
  struct Listed {
    std::string ns, name, overload;
    uint32_t since;
  };
  /// Those of a namespace, or of all when empty; sorted by ns, name, overload, since. O(all log
  /// all).
  std::vector<Listed> list(std::string_view ns = {}) const;
  /// Sorted; those with a record or an open library.
  std::vector<std::string> namespaces() const;
  /// Whether it is one of them. O(1).
  bool hasNamespace(std::string_view ns) const;
  /// Qualified names near to one that was not found, nearest first.
  std::vector<std::string> suggestions(std::string_view ns, std::string_view name) const;

  /// The kernel of an operator ("acme::scale.out") for exactly this backend or rank; null: none.
  std::shared_ptr<const Kernel> findKernel(std::string_view op, std::string_view backend) const;
  /// Those in use, by backend in order of registration; a kernel that another overrides is left
  /// out, and so are those of a rank.
  std::vector<std::shared_ptr<const Kernel>> kernels(std::string_view op) const;

  /// Grows with every change; caches of look-ups compare it. No lock.
  uint64_t generation() const;

private:
  friend class Library;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Adds the operators that ship with GE (ONNX's and CANN's) to `registry` as lazy providers; called
/// for the global one when it is first asked for. Nothing is parsed or made. In
/// lib/Ops/Registry/Builtin.cpp.
void addBuiltinOps(Registry &registry);

} // namespace ge

#endif // GE_OPS_REGISTRY_REGISTRY_H
