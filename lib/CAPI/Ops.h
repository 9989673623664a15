//===- Ops.h - the objects of ge-c/Ops.h ------------------------------------------------------===//
#ifndef GE_LIB_CAPI_OPS_H
#define GE_LIB_CAPI_OPS_H

#include "Guard.h"

#include "ge-c/Ops.h"
#include "ge/Ops/Registry/Registry.h"

#include <atomic>
#include <memory>
#include <vector>

// A registry handle with its count; the global registry is never released.
struct GeRegistry {
  ge::Registry *registry;
  std::unique_ptr<ge::Registry> owned; ///< null: the global one
  std::atomic<int64_t> refs{1};
};

struct GeLibrary {
  GeRegistry *registry; ///< a reference
  std::unique_ptr<ge::Library> library;
  std::vector<GeLibrary *> children;
  std::vector<uint64_t> inferrers; ///< tokens
  std::vector<std::string> remarks;

  GeLibrary() = default;
  GeLibrary(const GeLibrary &) = delete;
  ~GeLibrary();
  /// Objects that are released before the library: children in reverse order, and inferrers.
  void closeParts() noexcept;
};

struct GeOpSpec {
  ge::OpSpec spec;
};

namespace ge::capi {

/// geOpsAddInferrer for one operator by its qualified name; empty for all operators.
uint64_t addInferrer(const GeInferrer &inferrer, std::string op);

inline const OpDef *unwrap(GeOpDef op) { return reinterpret_cast<const OpDef *>(op); }
inline const SchemaType *unwrap(GeSchemaType t) { return reinterpret_cast<const SchemaType *>(t); }
inline const Constant *unwrap(GeConstant c) { return reinterpret_cast<const Constant *>(c); }
inline const AliasInfo *unwrap(GeAlias a) { return reinterpret_cast<const AliasInfo *>(a); }

inline GeOpDef wrap(const OpDef *op) { return reinterpret_cast<GeOpDef>(op); }
inline GeSchemaType wrap(const SchemaType *t) { return reinterpret_cast<GeSchemaType>(t); }
inline GeConstant wrap(const Constant *c) { return reinterpret_cast<GeConstant>(c); }
inline GeAlias wrap(const AliasInfo *a) { return reinterpret_cast<GeAlias>(a); }

// Guard.h's need() does not see the functions above: they are declared after it.
template <typename C> auto needObject(C argument, const char *what) {
  auto *object = unwrap(argument);
  if (!object) [[unlikely]]
    throwNull(what);
  return object;
}
inline const OpDef *need(GeOpDef op, const char *what) { return needObject(op, what); }
inline const SchemaType *need(GeSchemaType type, const char *what) {
  return needObject(type, what);
}
inline const Constant *need(GeConstant c, const char *what) { return needObject(c, what); }

inline Registry &registryOf(GeRegistry *registry) {
  if (!registry)
    throwNull("registry");
  return *registry->registry;
}

/// A new reference for C.
inline GeOpDef give(OpDefRef &&def) { return wrap(def.take()); }

inline SchemaSource sourceOf(GeStringRef file, uint32_t line) {
  std::string_view name = text(file, "file");
  return {name.empty() ? std::string_view("<schema>") : name, line ? line : 1};
}

} // namespace ge::capi

#endif // GE_LIB_CAPI_OPS_H
