//===- Plugins.cpp - ge-c/Plugin.h: finding, loading and unloading plugins --------------------===//
#include "PluginPass.h"

#include "Failures.h"

#include "ge-c/Api.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <vector>

using namespace ge::host;
namespace fs = std::filesystem;

struct GePluginRegistrar {
  const std::string &path;
  const std::shared_ptr<SharedLibrary> &file;
  std::vector<std::string> passes = {};
  std::string failure = {}; ///< the first of geRegistrarAddPass
  GeStatus status = GE_OK;
};

namespace {

struct Plugin {
  std::string path; ///< canonical
  std::vector<std::string> passes;
  std::shared_ptr<SharedLibrary> file;

  /// Unregisters the passes in reverse order; while one is in use, the file stays mapped.
  void unregister() {
    for (auto name = passes.rbegin(); name != passes.rend(); ++name)
      static_cast<void>(gePassUnregister(stringRef(*name))); // may be unregistered already
    passes.clear();
  }
};

/// Held while plugins are loaded and unloaded, including gePluginInit; never while passes run.
std::mutex mutex;
/// Never destroyed: registrations of plugins end with the core, and exit handlers may still run.
std::vector<Plugin> &plugins() {
  static auto *all = new std::vector<Plugin>;
  return *all;
}
thread_local bool isLoading = false;

class Lock {
public:
  Lock() {
    if (isLoading)
      throw Failure{GE_ERROR_BUSY,
                    "plugins cannot be loaded or unloaded from inside a gePluginInit"};
    mutex.lock();
    isLoading = true;
  }
  ~Lock() {
    isLoading = false;
    mutex.unlock();
  }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
};

/// Keeps the file that has a function mapped for good. Nothing for a function in no file.
void keepMapped(const void *function) {
  Dl_info found;
  if (!function || dladdr(function, &found) == 0 || !found.dli_fname)
    return;
  if (void *handle = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
    dlclose(handle);
}

/// The functions as plugins get them. What is registered beside passes is not taken out when a
/// plugin is unloaded, and may be called at any time, so its file stays.
const GeApi *apiOfPlugins() {
  static const GeApi *table = [] {
    auto *own = new GeApi(*geApiGet());
    own->geLibraryImpl = [](GeLibrary *library, const GeKernelSpec *spec, GeKernel *out) {
      keepMapped(spec ? reinterpret_cast<const void *>(spec->function) : nullptr);
      return geLibraryImpl(library, spec, out);
    };
    own->geLibraryInfer = [](GeLibrary *library, GeStringRef op, const GeInferrer *inferrer) {
      keepMapped(inferrer ? reinterpret_cast<const void *>(inferrer->infer) : nullptr);
      return geLibraryInfer(library, op, inferrer);
    };
    own->geOpsAddInferrer = [](const GeInferrer *inferrer, uint64_t *token) {
      keepMapped(inferrer ? reinterpret_cast<const void *>(inferrer->infer) : nullptr);
      return geOpsAddInferrer(inferrer, token);
    };
    own->geOpsSetEvaluator = [](const GeEvaluator *evaluator) {
      keepMapped(evaluator ? reinterpret_cast<const void *>(evaluator->evaluate) : nullptr);
      return geOpsSetEvaluator(evaluator);
    };
    own->geOpsSetRegionRunner = [](const GeRegionRunner *runner) {
      keepMapped(runner ? reinterpret_cast<const void *>(runner->run) : nullptr);
      return geOpsSetRegionRunner(runner);
    };
    return own;
  }();
  return table;
}

/// Runs gePluginInit; on failure nothing of the plugin stays registered.
Plugin initialise(const std::string &path) {
  auto file = std::make_shared<SharedLibrary>(path);
  auto init = reinterpret_cast<GePluginInit>(file->symbol("gePluginInit"));
  if (!init)
    throw Failure{GE_ERROR_VALUE, "it has no gePluginInit"};
  GePluginRegistrar registrar{path, file};
  geErrorSet(GE_ERROR_GENERAL, stringRef("gePluginInit failed without a message"));
  GeStatus status = GE_OK;
  GeStatus thrown = guarded([&] { status = init(apiOfPlugins(), &registrar); });
  Plugin plugin{path, std::move(registrar.passes), std::move(file)};
  if (thrown == GE_OK && status == GE_OK && registrar.status == GE_OK)
    return plugin;
  Failure failure{thrown != GE_OK ? thrown : status, std::string(view(geErrorMessage()))};
  if (thrown == GE_OK && registrar.status != GE_OK)
    failure = {registrar.status, registrar.failure};
  else if (thrown != GE_OK)
    failure.text = "gePluginInit threw: " + failure.text;
  plugin.unregister();
  throw failure;
}

bool isLoaded(const std::string &path) {
  return std::any_of(plugins().begin(), plugins().end(),
                     [&](const Plugin &plugin) { return plugin.path == path; });
}

std::string canonical(const std::string &path) {
  std::error_code error;
  fs::path found = fs::canonical(path, error);
  if (error)
    throw Failure{GE_ERROR_OS, "cannot load plugin '" + path + "': " + error.message()};
  return found.string();
}

/// True when it is loaded now; false when it is not a plugin. Throws a Failure that names the file.
bool load(const std::string &given) {
  std::string path = canonical(given);
  if (isLoaded(path))
    return true;
  auto refuse = [&](GeStatus status, std::string_view why) {
    throw Failure{status, "cannot load plugin '" + given + "': " + std::string(why)};
  };
  bool trusted = false;
  std::string text;
  // The path as given: links on the way count, too.
  if (geFileIsTrusted(stringRef(given), {"", 0}, &trusted, append, &text) != GE_OK)
    refuse(geErrorStatus(), view(geErrorMessage()));
  if (!trusted)
    refuse(GE_ERROR_VALUE, text);
  text.clear();
  if (geFileRead(stringRef(path), false, append, &text) != GE_OK)
    refuse(geErrorStatus(), view(geErrorMessage()));
  Exports exports = findExport(text, "gePluginInit");
  if (exports == Exports::Missing)
    return false;
  if (exports != Exports::Found)
    refuse(GE_ERROR_VALUE, explain(exports));
  text = {};
  try {
    plugins().push_back(initialise(path));
  } catch (const Failure &failure) {
    refuse(failure.status, failure.text);
  }
  return true;
}

/// The *.so of a directory, in lexical order; none when it cannot be read.
void addDirectory(const fs::path &directory, std::vector<std::string> &out) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".so")
      found.push_back(at->path().string());
  std::sort(found.begin(), found.end());
  out.insert(out.end(), found.begin(), found.end());
}

std::string_view environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> filesOf(std::string_view places) {
  std::vector<std::string> files;
  while (!places.empty()) {
    std::string place(places.substr(0, places.find(':')));
    places.remove_prefix(std::min(places.size(), place.size() + 1));
    std::error_code error;
    if (place.empty())
      continue;
    if (fs::is_directory(place, error))
      addDirectory(place, files);
    else if (fs::exists(fs::symlink_status(place, error)))
      files.push_back(place);
  }
  return files;
}

/// $ASCEND_OPP_PATH/vendors/*/custom_fusion_passes, then GE_PASS_PLUGINS.
std::vector<std::string> filesOfEnvironment() {
  std::vector<std::string> files;
  if (std::string_view root = environment("ASCEND_OPP_PATH"); !root.empty()) {
    std::error_code error;
    std::vector<fs::path> vendors;
    for (fs::directory_iterator at(fs::path(root) / "vendors", error), end; !error && at != end;
         at.increment(error))
      vendors.push_back(at->path());
    std::sort(vendors.begin(), vendors.end());
    for (const fs::path &vendor : vendors)
      addDirectory(vendor / "custom_fusion_passes", files);
  }
  for (std::string &file : filesOf(environment("GE_PASS_PLUGINS")))
    files.push_back(std::move(file));
  return files;
}

using Callback = void (*)(const GePluginInfo *, void *);
struct Outcome {
  GePluginState state;
  std::string path, error;
  std::vector<std::string> passes;

  void give(Callback callback, void *userData) const {
    std::vector<GeStringRef> names;
    for (const std::string &name : passes)
      names.push_back(stringRef(name));
    GePluginInfo info{sizeof info,      state,        stringRef(path),
                      stringRef(error), names.size(), names.data()};
    callback(&info, userData);
  }
};

Outcome outcomeOf(const std::string &file) {
  try {
    if (!load(file))
      return {GE_PLUGIN_FOREIGN, file, "", {}};
    std::string path = canonical(file);
    for (const Plugin &plugin : plugins())
      if (plugin.path == path)
        return {GE_PLUGIN_LOADED, file, "", plugin.passes};
    return {GE_PLUGIN_LOADED, file, "", {}};
  } catch (const Failure &failure) {
    return {GE_PLUGIN_FAILED, file, failure.text, {}};
  }
}

} // namespace

GeStatus geRegistrarAddPass(GePluginRegistrar *registrar, const GePassInfo *info,
                            const GePassTable *table) {
  GeStatus status = guarded([&] {
    need(registrar, "registrar");
    need(info, "info");
    registerPluginPass(info, table, registrar->path, registrar->file);
    registrar->passes.emplace_back(view(info->name));
  });
  if (status != GE_OK && registrar && registrar->status == GE_OK) {
    registrar->status = status;
    static_cast<void>(guarded([&] { registrar->failure = view(geErrorMessage()); }));
  }
  return status;
}

GeStatus gePluginLoad(GeStringRef path) {
  return guarded([&] {
    std::string file(view(path));
    if (file.empty() || file.find('\0') != std::string::npos)
      throw Failure{GE_ERROR_VALUE, "the path of a plugin is empty or has a NUL"};
    Lock lock;
    if (!load(file))
      throw Failure{GE_ERROR_VALUE, "cannot load plugin '" + file +
                                        "': it does not export gePluginInit; plugins of CANN's "
                                        "C++ interface are not supported"};
  });
}

GeStatus gePluginLoadPlaces(const char *places, Callback callback, void *userData) {
  return guarded([&] {
    std::vector<Outcome> outcomes;
    {
      Lock lock;
      for (const std::string &file : places ? filesOf(places) : filesOfEnvironment())
        outcomes.push_back(outcomeOf(file));
    }
    for (const Outcome &outcome : outcomes)
      if (callback)
        outcome.give(callback, userData);
  });
}

GeStatus gePluginForEach(Callback callback, void *userData) {
  return guarded([&] {
    need(reinterpret_cast<const void *>(callback), "callback");
    std::vector<Outcome> all;
    {
      Lock lock;
      for (const Plugin &plugin : plugins())
        all.push_back({GE_PLUGIN_LOADED, plugin.path, "", plugin.passes});
    }
    for (const Outcome &outcome : all)
      outcome.give(callback, userData);
  });
}

GeStatus gePluginUnloadAll(void) {
  return guarded([&] {
    Lock lock;
    while (!plugins().empty()) {
      Plugin last = std::move(plugins().back());
      plugins().pop_back();
      last.unregister();
    }
  });
}
