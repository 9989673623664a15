//===- PluginPass.cpp - passes whose code is in a plugin --------------------------------------===//
#include "PluginPass.h"

#include "Failures.h"
#include "Sized.h"

#include <algorithm>
#include <cstring>

using namespace ge::host;

namespace {

/// User data of the table that is registered instead of the plugin's own.
struct PluginPass {
  GePassTable table;
  std::shared_ptr<SharedLibrary> file;
};

/// The instance that `create` of this table returns.
struct Instance {
  PluginPass *pass;
  void *own;
};

/// Calls a function of the plugin.
template <typename F> GeStatus callPlugin(const F &call) noexcept {
  GeStatus status = GE_OK;
  GeStatus thrown = guarded([&] { status = call(); });
  return thrown != GE_OK ? thrown : status;
}

GeStatus create(void *userData, const GePassOption *options, size_t numOptions, void **instance) {
  auto *pass = static_cast<PluginPass *>(userData);
  auto *made = new (std::nothrow) Instance{pass, pass->table.userData};
  if (!made)
    return report(GE_ERROR_MEMORY, "out of memory");
  if (pass->table.create) {
    GeStatus status = callPlugin(
        [&] { return pass->table.create(pass->table.userData, options, numOptions, &made->own); });
    if (status != GE_OK) {
      delete made;
      return status;
    }
  }
  *instance = made;
  return GE_OK;
}

GeStatus runGraph(void *instance, GeGraphRef *graph, GePassRun *run) {
  auto *own = static_cast<Instance *>(instance);
  return callPlugin([&] { return own->pass->table.run(own->own, graph, run); });
}

GeStatus runModule(void *instance, GeModule *module, GePassRun *run) {
  auto *own = static_cast<Instance *>(instance);
  return callPlugin([&] { return own->pass->table.runModule(own->own, module, run); });
}

void destroy(void *instance) {
  auto *own = static_cast<Instance *>(instance);
  if (!own)
    return; // create failed
  if (own->pass->table.destroy)
    static_cast<void>(guarded([&] { own->pass->table.destroy(own->own); }));
  delete own;
}

void release(void *userData) {
  auto *pass = static_cast<PluginPass *>(userData);
  if (pass->table.release)
    static_cast<void>(guarded([&] { pass->table.release(pass->table.userData); }));
  delete pass; // unmaps the file with its last pass
}

template <typename T> T sized(const T *given, const char *type) {
  need(given, type);
  T own{};
  if (!readSized(given, own))
    throw Failure{GE_ERROR_VALUE, sizeMessage(type)};
  return own;
}

} // namespace

void ge::host::registerPluginPass(const GePassInfo *info, const GePassTable *table,
                                  std::string_view origin, std::shared_ptr<SharedLibrary> file) {
  GePassInfo ownInfo = sized(info, "GePassInfo");
  if (!ownInfo.origin.length)
    ownInfo.origin = stringRef(origin);
  if (ownInfo.pipeline.length) { // an alias has no code
    check(gePassRegister(&ownInfo, nullptr));
    return;
  }
  auto pass =
      std::make_unique<PluginPass>(PluginPass{sized(table, "GePassTable"), std::move(file)});
  if (!pass->table.run)
    throw Failure{GE_ERROR_TYPE, "table->run is NULL"};
  GePassTable ours{};
  ours.size = sizeof ours;
  ours.userData = pass.get();
  ours.create = create;
  ours.run = runGraph;
  if (pass->table.runModule)
    ours.runModule = runModule;
  ours.destroy = destroy;
  ours.release = release;
  check(gePassRegister(&ownInfo, &ours));
  PluginPass *registered = pass.release(); // the registry destroys it
  static_cast<void>(registered);
}
