/*===- ge-c/Host.h - a native compiler that runs passes of every language -----------------------===*\
|*
|* A host finds and loads passes written in Python and runs them in the same chain as passes of C
and
|* C++. It needs no Python to be built or started: an interpreter is loaded when passes in Python
|* are asked for.
|*
|*   GeHost *host;
|*   geHostOpen(NULL, &host);              // the environment says which passes
|*   geHostLoadPlugins(host);
|*   geHostRunStage(host, module, stage, NULL, 0, NULL);
|*   geHostRelease(host);
|*
|* Passes, plugins and the interpreter are those of the process, and shared by its hosts: what one
|* host loads, all see, and it is unloaded when the last host that loaded has unloaded. All
functions
|* may be called from any thread, without the GIL held. They take locks of their own only, so a hook
may call them, but for
|* geHostUnload and geHostShutdown, which are refused with GE_ERROR_BUSY while passes run or load.
|*
|* The interpreter. One that already runs in the process is used and never ended. Else the first of
|* these that exists is started, and ended by geHostShutdown or at the exit of the process:
|* `python` of the options, $GE_PYTHON, that of the active virtual environment ($VIRTUAL_ENV), that
|* which the package of this library is installed in, `python3` of $PATH. CPython 3.10 or later with
|* a shared library is needed. On failure the message tells each try.
|* Since 0.1 but where a function says so.
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
  const char *pyPassPath;    /**< files and directories, by ':'; NULL: $ASCEND_GE_PY_PASS_PATH */
  const char *pyPassModules; /**< modules to import, by ','; NULL: $GE_PY_PASS_MODULES */
  const char *pluginPath;    /**< native plugins, by ':'; NULL: as gePluginLoadPlaces has it */
  const char *python;        /**< the interpreter's program; NULL: $GE_PYTHON, then the others */
  bool withoutPython;        /**< never start or use an interpreter */
} GeHostOptions;

/** `options` NULL: all of them from the environment. Nothing is loaded yet. New reference:
 * geHostRelease. */
GE_C_API GeStatus geHostOpen(const GeHostOptions *options, GeHost **out);

/** Loads what the options name and is not loaded yet. GE_OK though single files fail: see
 * geHostNumLoadFailures; a file of `pluginPath` that is not there, or is not a plugin, is one of
 * them. GE_ERROR_STATE: Python is asked for, and no interpreter can be had, or the one of this
 * process has ended. Installed plugins (entry points `ge.passes.plugins`) are loaded when an
 * interpreter is up, or `python` of the options is set. O(files); starts the interpreter on first
 * use. */
GE_C_API GeStatus geHostLoadPlugins(GeHost *host);
/** Files, modules and entry points that the last load of this host could not load. */
GE_C_API size_t geHostNumLoadFailures(GeHost *host);
/** What could not be loaded, and why. Valid until the next load, or until the host goes. */
GE_C_API GeStatus geHostGetLoadFailure(GeHost *host, size_t index, GeStringRef *origin,
                                       GeStringRef *message);

/** The passes of a stage on all graphs of a module, as gePassManagerAddStage orders and switches
 * them by `options`, which passes also read. `report` may be NULL; else `*report` is a new
 * reference (gePassReportDestroy), and written also on failure once the run has begun. Errors:
 * those of gePassManagerAddStage and gePassManagerRunModule, and GE_ERROR_INTERRUPTED after
 * geHostCancel, with the graphs as before the pass that was at work. */
GE_C_API GeStatus geHostRunStage(GeHost *host, GeModule *module, GeStringRef stage,
                                 const GePassOption *options, size_t numOptions,
                                 GePassReport **report);
/** The same for the text of a pipeline, as gePassManagerParse reads it. */
GE_C_API GeStatus geHostRunPipeline(GeHost *host, GeModule *module, GeStringRef pipeline,
                                    const GePassOption *options, size_t numOptions,
                                    GePassReport **report);
/** Ends the runs of this host that are at work now, on whatever threads. Native loops end within
 * 0.2 s; a hook in Python gets `ge.passes.PassCancelled` at its next instruction of Python, by
 * whatever way its pass was registered. A hook that is inside of C code is not ended before that
 * returns, and this call waits for the GIL. Not for signal handlers. */
GE_C_API GeStatus geHostCancel(GeHost *host);

/** The host's part in the round ends; with the last host, passes that were loaded leave the
 * registry and their modules are dropped. The interpreter stays for the next round. Repeated, it
 * does nothing. GE_ERROR_BUSY while passes run or load, and nothing is done. */
GE_C_API GeStatus geHostUnload(GeHost *host);
/** Unloads for all hosts and ends the interpreter if this library started it; called at the exit of
 * the process, too. Repeated, it does nothing; hosts stay valid. Passes in Python cannot be loaded
 * after that, native ones can. An interpreter is ended on the thread that started it; called on
 * another one, its passes are unloaded and the interpreter stays until the process ends.
 * GE_ERROR_BUSY while passes run or load, and nothing is done. */
GE_C_API GeStatus geHostShutdown(GeHost *host);
/** Unloads, and frees the host. Accepts NULL. Must not be called while a run of this host is at
 * work. */
GE_C_API void geHostRelease(GeHost *host);

/** Lets another thread end the long calls of this one, also outside of a host, as
 * geSetInterruptCheck does for all threads: when `*flag` is not 0, they fail with
 * GE_ERROR_INTERRUPTED within 0.1 s. The flag is read atomically and must live until the next call
 * of this function on this thread. NULL: there is none. Returns the flag until now, to be put back.
 */
GE_C_API const int *geSetThreadInterrupt(const int *flag);

/** Ends the hooks that run on these threads, numbered by pthread_self, and does nothing on others.
 * No run leaves a thread of the list before it returns. */
typedef GeStatus (*GeHookCanceller)(const uint64_t *threads, size_t numThreads, void *userData);
/** For an implementation of passes in another language: how geHostCancel ends its hooks, which no
 * flag reaches. The package of Python sets its own when `ge.passes` is imported. Each `userData`
 * has one canceller: NULL takes it out, and another one replaces it. A canceller is called without
 * a lock, by the thread that cancels, and may still be at work when this returns. */
GE_C_API GeStatus geSetHookCanceller(GeHookCanceller canceller, void *userData);

GE_C_END

#endif /* GE_C_HOST_H */
