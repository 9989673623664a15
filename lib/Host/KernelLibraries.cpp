//===- KernelLibraries.cpp - ge-c/Kernels.h: libraries of operators and kernels ---------------===//
#include "ElfFile.h"
#include "Failures.h"

#include "ge-c/Api.h"

#include <cctype>
#include <dlfcn.h>
#include <filesystem>
#include <optional>

using namespace ge::host;
namespace fs = std::filesystem;

namespace {

using LibraryInit = GeStatus (*)(const GeApi *api, GeLibrary *library);

/// The file's stem without `lib`; what cannot be in a namespace is '_', as in the names that
/// python/ge/ops/_load.py gives.
std::string namespaceOf(const fs::path &path) {
  std::string stem = path.filename().string();
  stem.resize(std::min(stem.size(), stem.find('.')));
  if (stem.starts_with("lib"))
    stem.erase(0, 3);
  for (char &c : stem)
    if (!std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80)
      c = '_';
  if (stem.empty() || (stem[0] >= '0' && stem[0] <= '9'))
    stem.insert(0, 1, '_');
  return stem;
}

} // namespace

GeStatus geLibraryLoad(GeRegistry *registry, GeStringRef file, GeStringRef ns, GeLibrary **out) {
  return guarded([&] {
    need(registry, "registry");
    need(out, "out");
    std::string given(view(file));
    auto refuse = [&](GeStatus status, std::string_view why) {
      throw Failure{status, "cannot load library '" + given + "': " + std::string(why)};
    };
    std::error_code error;
    fs::path path = fs::canonical(given, error);
    if (error || given.find('\0') != std::string::npos)
      refuse(GE_ERROR_OS, error ? error.message() : "the path contains a NUL byte");
    std::string bytes;
    if (geFileRead(stringRef(path.native()), false, append, &bytes) != GE_OK)
      refuse(geErrorStatus(), view(geErrorMessage()));
    Exports exports = findExport(bytes, "ge_library_init");
    bytes = {};
    if (exports == Exports::Missing)
      refuse(GE_ERROR_VALUE, "it does not export ge_library_init");
    if (exports != Exports::Found)
      refuse(GE_ERROR_VALUE, explain(exports));
    GeLibrary *library = nullptr;
    std::optional<SharedLibrary> opened; // unmapped after its kernels were released
    try {
      opened.emplace(path.native());
      auto init = reinterpret_cast<LibraryInit>(opened->symbol("ge_library_init"));
      if (!init)
        throw Failure{GE_ERROR_VALUE, "it does not export ge_library_init"};
      std::string space = ns.length ? std::string(view(ns)) : namespaceOf(path);
      check(geLibraryOpen(registry, GE_LIBRARY_FRAGMENT, stringRef(space), stringRef(path.native()),
                          0, &library));
      geErrorSet(GE_ERROR_GENERAL, stringRef("ge_library_init failed without a message"));
      GeStatus status = GE_OK;
      check(guarded([&] { status = init(geApiGet(), library); }));
      check(status);
      // For good: kernels, and what they made, may be in use when the library is closed.
      if (void *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE))
        dlclose(handle);
    } catch (const Failure &failure) {
      geLibraryRelease(library); // closes what it opened
      refuse(failure.status, failure.text);
    }
    *out = library;
  });
}
