/*===- ge-c/Plugin.h - plugins of passes ----------------------------------------------------===*\
|*
|* A plugin is a shared library with one function, gePluginInit. It receives the C API as a table
|* (ge-c/Api.h) and does not link to GE, so one binary works with every version of GE that has the
|* same C ABI.
|*
|* #include "ge-c/Api.h" GE_PLUGIN_EXPORT GeStatus gePluginInit(const GeApi *api, GePluginRegistrar
|* *registrar) { if (api->abiVersion != GE_C_ABI_VERSION) return GE_ERROR_VALUE; ... return
|* api->geRegistrarAddPass(registrar, &info, &table); }
|*
|* In C++, ge-c/Plugin.hpp generates it. Functions of a plugin must not throw; an exception fails
|* the pass. A static constructor that throws ends the process.
|* Since 0.1 unless a function states otherwise.
|*
|*
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_PLUGIN_H
#define GE_C_PLUGIN_H

#include "ge-c/Passes.h"

GE_C_BEGIN

#if defined(_WIN32)
#define GE_PLUGIN_VISIBLE __declspec(dllexport)
#else
#define GE_PLUGIN_VISIBLE __attribute__((visibility("default")))
#endif
/** Before the definition of gePluginInit or ge_library_init. */
#ifdef __cplusplus
#define GE_PLUGIN_EXPORT extern "C" GE_PLUGIN_VISIBLE
#else
#define GE_PLUGIN_EXPORT GE_PLUGIN_VISIBLE
#endif

/* --- For plugins ------------------------------------------------------------------------------ */

/** Where a plugin adds its passes; valid during gePluginInit. */
typedef struct GePluginRegistrar GePluginRegistrar;
/** The function gePluginInit of a plugin. A status other than GE_OK fails the plugin with the last
 * error of the thread, and removes its passes. */
typedef GeStatus (*GePluginInit)(const GeApi *api, GePluginRegistrar *registrar);

/** Registers a pass of the plugin as gePassRegister does; an empty `info->origin` becomes the
 * plugin's file. An error fails the plugin, also when it returns GE_OK. `release` is called when
 * nothing uses the pass any more, and not when this fails. O(log passes). */
GE_C_API GeStatus geRegistrarAddPass(GePluginRegistrar *registrar, const GePassInfo *info,
                                     const GePassTable *table);

/* --- For hosts -------------------------------------------------------------------------------- */

typedef enum GePluginState {
  GE_PLUGIN_LOADED = 0,
  GE_PLUGIN_FAILED,
  GE_PLUGIN_FOREIGN /**< no gePluginInit: a plugin of CANN's C++ interface, or another library */
} GePluginState;

/** State of a plugin file. Borrowed for the callback. */
typedef struct GePluginInfo {
  size_t size GE_SIZE_OF(GePluginInfo);
  GePluginState state;
  GeStringRef path;  /**< bytes as the system has them */
  GeStringRef error; /**< of GE_PLUGIN_FAILED: why, with the file's name */
  size_t numPasses;
  const GeStringRef *passes; /**< names, in order of registration */
} GePluginInfo;

/** Loads one plugin: GE_ERROR_VALUE for a file that is not an ELF file of this machine or has no
 * gePluginInit, and for one that is not trusted (geFileIsTrusted); GE_ERROR_OS for one that cannot
 * be read; else what its gePluginInit returned. The message names the file. A failing plugin is
 * unloaded. Loading a plugin again has no effect. GE_ERROR_BUSY from inside a gePluginInit. Any
 * thread. O(bytes of the file). */
GE_C_API GeStatus gePluginLoad(GeStringRef path);
/** Loads the plugins of files and directories (*.so, in lexical order) in `places`, separated by
 * ':'. NULL: the environment's: $ASCEND_OPP_PATH/vendors/<each>/custom_fusion_passes and
 * GE_PASS_PLUGINS. `callback` (may be NULL) is called once for each file, also for one that is
 * loaded already. Files that fail do not fail the call; a missing directory counts as empty. */
GE_C_API GeStatus gePluginLoadPlaces(const char *places,
                                     void (*callback)(const GePluginInfo *info, void *userData),
                                     void *userData);
/** The loaded ones, in the order of loading. The callback may not load or unload. */
GE_C_API GeStatus gePluginForEach(void (*callback)(const GePluginInfo *info, void *userData),
                                  void *userData);
/** Unregisters the passes of all plugins, the last loaded first. A plugin's file is unmapped when
 * its passes have no users: managers that contain one keep it. Libraries of operators that it
 * opened stay open and keep the file mapped. Idempotent. */
GE_C_API GeStatus gePluginUnloadAll(void);

GE_C_END

#endif /* GE_C_PLUGIN_H */
