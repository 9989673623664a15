//===- OpsRegistry.cpp - ge-c/Ops.h: registries and libraries ---------------------------------===//

#include "Ops.h"

#include "ge/Ops/Import/RegOp.h"

using namespace ge;
using namespace ge::capi;

static_assert(int(LibraryKind::Impl) == GE_LIBRARY_IMPL);
static_assert(Registry::kNewest == GE_OPSET_NEWEST);

namespace {

Library &libraryOf(GeLibrary *library) {
  if (!library)
    throwNull("library");
  return *library->library;
}

void giveAll(std::vector<OpDefRef> &&defs, GeOpDef *out, size_t capacity, size_t *count) {
  size_t &all = result(count, "count");
  needArray(out, capacity, "out");
  for (size_t i = 0; i < defs.size() && i < capacity; ++i)
    out[i] = give(std::move(defs[i]));
  all = defs.size();
}

SourcePlace placeOf(GeStringRef file, uint32_t line) {
  std::string_view name = text(file, "file");
  return {std::string(name.empty() ? "<unknown>" : name), name.empty() ? 0 : line};
}

} // namespace

// --- Registry

GeRegistry *geRegistryGlobal(void) {
  return guardedOr(static_cast<GeRegistry *>(nullptr), [] {
    // Never destroyed, like the registry itself.
    static GeRegistry *global = new GeRegistry{&Registry::global(), nullptr};
    return global;
  });
}

GeStatus geRegistryCreate(GeRegistry **out) {
  return guarded([&] {
    GeRegistry *&made = result(out);
    auto handle = std::make_unique<GeRegistry>();
    handle->owned = std::make_unique<Registry>();
    handle->registry = handle->owned.get();
    made = handle.release();
  });
}
void geRegistryRetain(GeRegistry *registry) {
  if (registry)
    registry->refs.fetch_add(1, std::memory_order_relaxed);
}
void geRegistryRelease(GeRegistry *registry) {
  // The global registry is never destroyed.
  if (!registry || registry == geRegistryGlobal())
    return;
  if (registry->refs.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  delete registry;
}
uint64_t geRegistryGeneration(GeRegistry *registry) {
  return registry ? registry->registry->generation() : 0;
}

GeStatus geRegistryFind(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                        GeStringRef overload, uint32_t opset, GeOpDef *out) {
  return guarded([&] {
    GeOpDef &found = result(out);
    found = give(registryOf(registry).find(text(ns, "ns"), text(name, "name"),
                                           text(overload, "overload"), opset));
  });
}
GeStatus geRegistryGet(GeRegistry *registry, GeStringRef qualifiedName, uint32_t opset,
                       GeOpDef *out) {
  return guarded([&] {
    GeOpDef &found = result(out);
    found = give(registryOf(registry).get(text(qualifiedName, "qualifiedName"), opset));
  });
}
GeStatus geRegistryOverloads(GeRegistry *registry, GeStringRef ns, GeStringRef name, uint32_t opset,
                             GeOpDef *out, size_t capacity, size_t *count) {
  return guarded([&] {
    giveAll(registryOf(registry).overloads(text(ns, "ns"), text(name, "name"), opset), out,
            capacity, count);
  });
}
GeStatus geRegistryVersions(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                            GeStringRef overload, GeOpDef *out, size_t capacity, size_t *count) {
  return guarded([&] {
    giveAll(registryOf(registry).versions(text(ns, "ns"), text(name, "name"),
                                          text(overload, "overload")),
            out, capacity, count);
  });
}

GeStatus geRegistryList(GeRegistry *registry, GeStringRef ns,
                        void (*callback)(const GeOpKey *key, void *userData), void *userData) {
  return guarded([&] {
    if (!callback)
      throwNull("callback");
    for (const Registry::Listed &listed : registryOf(registry).list(text(ns, "ns"))) {
      GeOpKey key = {sizeof key, stringRef(listed.ns), stringRef(listed.name),
                     stringRef(listed.overload), listed.since};
      callback(&key, userData);
    }
  });
}
GeStatus geRegistryNamespaces(GeRegistry *registry, GeStringCallback callback, void *userData) {
  return guarded([&] {
    for (const std::string &ns : registryOf(registry).namespaces())
      give(ns, callback, userData);
  });
}
GeStatus geRegistrySuggestions(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                               GeStringCallback callback, void *userData) {
  return guarded([&] {
    for (const std::string &near :
         registryOf(registry).suggestions(text(ns, "ns"), text(name, "name")))
      give(near, callback, userData);
  });
}

// --- Libraries

GeStatus geLibraryOpen(GeRegistry *registry, GeLibraryKind kind, GeStringRef ns, GeStringRef file,
                       uint32_t line, GeLibrary **out) {
  return guarded([&] {
    GeLibrary *&made = result(out);
    Registry &r = registryOf(registry);
    int number = numberOf(kind);
    if (number < GE_LIBRARY_DEF || number > GE_LIBRARY_IMPL)
      throwError(ErrorKind::Value, "there is no kind ", number, " of libraries");
    std::string_view space = text(ns, "ns");
    auto library = std::make_unique<GeLibrary>();
    library->library = r.open(LibraryKind(number), space, placeOf(file, line));
    library->registry = registry;
    geRegistryRetain(registry);
    made = library.release();
  });
}
GeStatus geLibraryClose(GeLibrary *library) {
  return guarded([&] {
    Library &own = libraryOf(library);
    library->closeParts();
    own.close();
  });
}
void geLibraryRelease(GeLibrary *library) {
  if (!library)
    return;
  GeRegistry *registry = library->registry;
  static_cast<void>(guarded([&] { delete library; }));
  geRegistryRelease(registry);
}
bool geLibraryIsClosed(GeLibrary *library) { return !library || library->library->isClosed(); }
GeLibraryKind geLibraryGetKind(GeLibrary *library) {
  return library ? static_cast<GeLibraryKind>(library->library->kind()) : GE_LIBRARY_DEF;
}
GeStringRef geLibraryGetNamespace(GeLibrary *library) {
  return stringRef(library ? library->library->ns() : std::string_view());
}

GeStatus geLibraryDefine(GeLibrary *library, GeStringRef schema, GeStringRef doc, GeStringRef file,
                         uint32_t line, GeOpDef *out) {
  return guarded([&] {
    OpDefRef def = libraryOf(library).define(text(schema, "schema"), sourceOf(file, line),
                                             std::string(text(doc, "doc")));
    if (out)
      *out = give(std::move(def));
  });
}
GeStatus geLibraryDefineSpec(GeLibrary *library, GeOpSpec *spec, GeOpDef *out) {
  std::unique_ptr<GeOpSpec> owned(spec);
  return guarded([&] {
    if (!spec)
      throwNull("spec");
    OpDefRef def = libraryOf(library).define(std::move(spec->spec));
    if (out)
      *out = give(std::move(def));
  });
}

GeStatus geLibraryDefineRegOps(GeLibrary *library, GeStringRef source, GeStringRef file,
                               void (*report)(const GeDiagnostic *diagnostic, void *userData),
                               void *userData, size_t *defined) {
  return guarded([&] {
    size_t &count = result(defined, "defined");
    Library &lib = libraryOf(library);
    RegOps ops = readRegOps(text(source, "text"), sourceOf(file, 1));
    size_t done = 0;
    for (OpSpec &spec : ops.specs) {
      Diagnostic diagnostic;
      diagnostic.file = spec.source.file;
      diagnostic.line = spec.source.line;
      try {
        lib.define(std::move(spec));
        ++done;
      } catch (const Error &error) {
        diagnostic.message = error.message();
        ops.diagnostics.push_back(std::move(diagnostic));
      }
    }
    count = done;
    for (const Diagnostic &diagnostic : ops.diagnostics) {
      GeDiagnostic seen = view(diagnostic);
      if (report)
        report(&seen, userData);
    }
  });
}
