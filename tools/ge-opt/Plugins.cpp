//===- Plugins.cpp --------------------------------------------------------------------------------===//
#include "Plugins.h"

#include "../Print.h"
#include "Diagnostics.h"

#include "ge-c/Plugin.h"

#include <cstdio>

namespace geopt {

static const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}
static std::string str(GeStringRef text) { return {text.data ? text.data : "", text.length}; }

int Plugins::load(const Options &options) {
  bool isAsked = !options.plugins.empty() || options.pyPassPath || options.pyPassModules ||
                 options.python || options.listPasses || options.hasPipeline ||
                 !options.stage.empty() || options.runReproducer;
  if (!isAsked)
    return kDone;
  for (const std::string &file : options.plugins)
    if (gePluginLoad({file.data(), file.size()}) != GE_OK) {
      getools::print(stderr, "ge-opt: error: " + str(geErrorMessage()) + "\n");
      return kUsage;
    }
  GeHostOptions given = {};
  given.size = sizeof given;
  given.pyPassPath = orNull(options.pyPassPath);
  given.pyPassModules = orNull(options.pyPassModules);
  given.python = orNull(options.python);
  areUsable_ = geHostOpen(&given, &host_) == GE_OK && geHostLoadPlugins(host_) == GE_OK;
  if (!areUsable_)
    for (const Diagnostic &diagnostic : lastDiagnostics({}, ""))
      show(diagnostic);
  size_t numFailures = geHostNumLoadFailures(host_);
  for (size_t i = 0; i < numFailures; ++i) {
    GeStringRef origin, message;
    if (geHostGetLoadFailure(host_, i, &origin, &message) == GE_OK)
      show({GE_SEVERITY_ERROR, str(origin), 0, 0, "cannot be loaded: " + str(message), {}, {}});
  }
  return areUsable_ && !numFailures ? kDone : kFailed;
}

void Plugins::list() {
  static_cast<void>(gePluginLoadPlaces(
      nullptr,
      [](const GePluginInfo *info, void *) {
        std::string line = "plugin " + str(info->path) + ":";
        if (info->state == GE_PLUGIN_FAILED)
          line += " failed";
        else if (info->state == GE_PLUGIN_FOREIGN)
          line += " not loaded, it has no gePluginInit (CANN's C++ interface?)";
        for (size_t i = 0; i < info->numPasses; ++i)
          line += " " + str(info->passes[i]);
        getools::print(stdout, line + "\n");
      },
      nullptr));
}

Plugins::~Plugins() {
  if (host_)
    static_cast<void>(geHostShutdown(host_));
  else
    static_cast<void>(gePluginUnloadAll()); // those of the command line may be loaded
  geHostRelease(host_);
}

} // namespace geopt
