//===- PluginPass.h - passes whose code is in a plugin ----------------------------------------===//
#ifndef GE_LIB_HOST_PLUGINPASS_H
#define GE_LIB_HOST_PLUGINPASS_H

#include "ElfFile.h"

#include "ge-c/Plugin.h"

#include <memory>

namespace ge::host {

/// Registers a pass of a plugin, whose file stays mapped while the pass is in use. An exception of
/// its functions is a failure of the pass. `origin` replaces an empty one. Throws a Failure.
void registerPluginPass(const GePassInfo *info, const GePassTable *table, std::string_view origin,
                        std::shared_ptr<SharedLibrary> file);

} // namespace ge::host

#endif // GE_LIB_HOST_PLUGINPASS_H
