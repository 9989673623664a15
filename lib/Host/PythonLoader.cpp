//===- PythonLoader.cpp ---------------------------------------------------------------------------===//
#include "PythonLoader.h"

#include "ge-c/Host.h"

#include <dlfcn.h>

namespace ge::host {

GeStatus fail(GeStatus status, const std::string &text) {
  geErrorSet(status, {text.data(), text.size()});
  return status;
}

/// Without its last component.
static std::string parent(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

const GePythonBridgeApi *PythonLoader::open() {
  std::lock_guard lock(mutex_);
  if (const GePythonBridgeApi *api = opened_)
    return api;
  // The one that was built with this library, wherever both were put.
  std::string path = parent(geLibraryPath()) + "/libge_python_bridge.so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(GE_ERROR_STATE,
         std::string(
             "passes in Python were requested, but the bridge to Python cannot be loaded: ") +
             dlerror());
    return nullptr;
  }
  auto get = reinterpret_cast<GeGetPythonBridgeApi>(dlsym(library, "geGetPythonBridgeApi"));
  const GePythonBridgeApi *api = get ? get() : nullptr;
  if (!api || api->abiVersion != GE_PYTHON_BRIDGE_ABI || api->size < sizeof(GePythonBridgeApi)) {
    fail(GE_ERROR_STATE,
         path + " was built for another version of GE; reinstall the package that ships both");
    dlclose(library);
    return nullptr;
  }
  library_ = library;
  opened_ = api;
  return api;
}

GeStatus PythonLoader::start(const char *python) {
  if (hasEnded_)
    return fail(GE_ERROR_STATE,
                "geHostShutdown ended the Python interpreter of this process, and it cannot be "
                "started again: passes in Python can no longer be loaded");
  const GePythonBridgeApi *api = open();
  if (!api)
    return GE_ERROR_STATE;
  // <directory>/ge/_mlir_like/_ge/libGE.so
  std::string directory = parent(parent(parent(parent(geLibraryPath()))));
  GePythonBridgeStart options = {sizeof options, python, directory.c_str(), geCoreInstance()};
  if (GeStatus status = api->start(&options))
    return status;
  api_ = api;
  return GE_OK;
}

GeStatus PythonLoader::load(const GePythonBridgeLoad &request) {
  const GePythonBridgeApi *api = api_;
  return api ? api->load(&request) : GE_OK;
}

GeStatus PythonLoader::unload() {
  const GePythonBridgeApi *api = api_;
  return api ? api->unload() : GE_OK;
}

GeStatus PythonLoader::shutdown(bool isExit, bool mayEnd) {
  const GePythonBridgeApi *api = opened_;
  if (!api)
    return GE_OK;
  GePythonBridgeEnd end = {sizeof end, isExit, mayEnd, false, false};
  GeStatus status = api->shutdown(&end);
  api_ = nullptr;
  hasEnded_ = end.hasEnded;
  if (end.mayUnmap && !isExit) {
    std::lock_guard lock(mutex_);
    opened_ = nullptr;
    dlclose(library_);
    library_ = nullptr;
  }
  return status;
}

} // namespace ge::host
