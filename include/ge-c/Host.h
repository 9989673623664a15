/*===- ge-c/Host.h - a native compiler that runs passes of every language -----------------------===*\
|*
|* A host finds and loads passes written in Python and runs them in one pipeline with passes in C
|* and C++. It is built and started without Python: an interpreter is loaded when a pass in Python
|* is requested.
|*
|*   GeHost *host;
|*   geHostOpen(NULL, &host);              // the environment says which passes
|*   geHostLoadPlugins(host);
|*   geHostRunStage(host, module, stage, NULL, 0, NULL);
|*   geHostRelease(host);
|*
|* Passes, plugins and the interpreter belong to the process and are shared by its hosts: all hosts
|* see what one host loads, until the last host that loaded has unloaded. All functions may be
|* called from any thread, without the GIL held. They take only internal locks, so a hook may call
|* them, except geHostUnload and geHostShutdown, which return GE_ERROR_BUSY while passes run or
|* load.
|*
|* The interpreter. A running interpreter of the process is used and never finalised. Otherwise the
|* first of these is started, and finalised by geHostShutdown or at the exit of the process:
|* `python` of the options, $GE_PYTHON, that of the active virtual environment ($VIRTUAL_ENV), that
|* in which the package of this library is installed, `python3` of $PATH. It must be CPython 3.10 or
|* later with a shared library. On failure the message lists each attempt.
|* Since 0.1 unless a function states otherwise.
|*
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_HOST_H
#define GE_C_HOST_H

#include "ge-c/Passes.h"

GE_C_BEGIN

typedef struct GeHost GeHost;

/** Strings are copied. A NULL member means that environment variable, read before each load, and ""
 * means nothing. */
typedef struct GeHostOptions {
  size_t size GE_SIZE_OF(GeHostOptions);
  /** Files and directories, by ':', which are loaded before those of $ASCEND_GE_PY_PASS_PATH. NULL:
   * the variable alone; "": none. */
  const char *pyPassPath;
  const char *pyPassModules; /**< modules to import, by ','; NULL: $GE_PY_PASS_MODULES */
  const char *pluginPath;    /**< native plugins, by ':'; NULL: as gePluginLoadPlaces has it */
  const char *python;        /**< the interpreter's program; NULL: $GE_PYTHON, then the others */
  bool withoutPython;        /**< never start or use an interpreter */
} GeHostOptions;

/** Creates a host without loading anything. `options` NULL: all options from the environment. New
 * reference: geHostRelease. */
GE_C_API GeStatus geHostOpen(const GeHostOptions *options, GeHost **out);

/** Loads the passes and plugins of the options that are not loaded yet. Files that fail do not fail
 * the call, also missing files of `pluginPath` and files that are not plugins: see
 * geHostNumLoadFailures. GE_ERROR_STATE: the options need Python, but no interpreter is available,
 * or the interpreter of the process was finalised. Installed plugins (entry points
 * `ge.passes.plugins`) are loaded when an interpreter runs, or `python` of the options is set.
 * O(files); starts the interpreter on first use. */
GE_C_API GeStatus geHostLoadPlugins(GeHost *host);
/** Number of files, modules and entry points that the last load of this host could not load. */
GE_C_API size_t geHostNumLoadFailures(GeHost *host);
/** One load failure: origin and reason. Valid until the host's next load or release. */
GE_C_API GeStatus geHostGetLoadFailure(GeHost *host, size_t index, GeStringRef *origin,
                                       GeStringRef *message);

/** Runs the passes of a stage on all graphs of a module, in the order of gePassManagerAddStage;
 * `options` switch passes and are the options of the run. `report` may be NULL; else `*report` is a
 * new reference (gePassReportDestroy), and written also on failure once the run has begun. Errors:
 * those of gePassManagerAddStage and gePassManagerRunModule, and GE_ERROR_INTERRUPTED after
 * geHostCancel, with the graphs as before the interrupted pass. */
GE_C_API GeStatus geHostRunStage(GeHost *host, GeModule *module, GeStringRef stage,
                                 const GePassOption *options, size_t numOptions,
                                 GePassReport **report);
/** Runs a pipeline (gePassManagerParse); else as geHostRunStage. */
GE_C_API GeStatus geHostRunPipeline(GeHost *host, GeModule *module, GeStringRef pipeline,
                                    const GePassOption *options, size_t numOptions,
                                    GePassReport **report);
/** Cancels the active runs of this host on all threads. Native loops end within 0.2 s; in a hook in
 * Python, `ge.passes.PassCancelled` is raised at its next bytecode, however its pass was
 * registered. C code that a hook calls is not interrupted. This call waits for the GIL and is not
 * async-signal-safe. */
GE_C_API GeStatus geHostCancel(GeHost *host);

/** Unloads this host. Unloading the last host removes the loaded passes from the registry and drops
 * their modules; the interpreter stays and can load again. Idempotent. GE_ERROR_BUSY, without
 * effect, while passes run or load. */
GE_C_API GeStatus geHostUnload(GeHost *host);
/** Unloads all hosts and finalises the interpreter if this library started it; also called at the
 * exit of the process. Idempotent; hosts stay valid. Passes in Python cannot be loaded after that,
 * native ones can. The interpreter can be finalised only on the thread that started it; on another
 * thread, passes are unloaded and the interpreter stays until the process ends. GE_ERROR_BUSY,
 * without effect, while passes run or load. */
GE_C_API GeStatus geHostShutdown(GeHost *host);
/** Unloads, and frees the host. Accepts NULL. Must not be called during a run of this
 * host. */
GE_C_API void geHostRelease(GeHost *host);

/** Sets a flag with which another thread interrupts long calls of this thread, also outside of a
 * host (geSetInterruptCheck does this for all threads): while `*flag` is not 0, they fail with
 * GE_ERROR_INTERRUPTED within 0.1 s. The flag is read atomically and must live until the next
 * call of this function on this thread. NULL: no flag. Returns the previous flag, to be
 * restored. */
GE_C_API const int *geSetThreadInterrupt(const int *flag);

/** Cancels the hooks that run on these threads (values of pthread_self); other threads are not
 * affected. The runs stay on these threads until it returns. */
typedef GeStatus (*GeHookCanceller)(const uint64_t *threads, size_t numThreads, void *userData);
/** Registers a function with which geHostCancel cancels hooks in another language, which do not
 * poll a flag. The Python package registers its own when `ge.passes` is imported. Each `userData`
 * has one canceller: a new one replaces it, and NULL removes it. A canceller is called without a
 * lock on the thread that cancels; a running call may outlast this function. */
GE_C_API GeStatus geSetHookCanceller(GeHookCanceller canceller, void *userData);

GE_C_END

#endif /* GE_C_HOST_H */
