//===- Plugins.h - passes from elsewhere: native plugins, and passes in Python ------------------===//
#ifndef GE_TOOLS_GEOPT_PLUGINS_H
#define GE_TOOLS_GEOPT_PLUGINS_H

#include "Options.h"

#include "ge-c/Host.h"

namespace geopt {

/// Loads the plugins that the options and the environment name. Its destructor unmaps them and ends
/// an interpreter, before the tool's own objects are destroyed.
class Plugins {
public:
  Plugins() = default;
  ~Plugins();
  Plugins(const Plugins &) = delete;
  Plugins &operator=(const Plugins &) = delete;

  /// Loads the plugins if the options need passes, and prints failures. Returns the exit code so
  /// far: kUsage when a plugin of the command line cannot be loaded, kFailed for other failures.
  int load(const Options &options);
  /// False when an interpreter is required and none was found.
  bool areUsable() const { return areUsable_; }
  /// Prints the outcome for each native plugin that the environment names.
  static void list();

private:
  GeHost *host_ = nullptr;
  bool areUsable_ = true;
};

} // namespace geopt

#endif // GE_TOOLS_GEOPT_PLUGINS_H
