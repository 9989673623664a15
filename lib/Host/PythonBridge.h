/*===- PythonBridge.h - what the host asks of the Python bridge ---------------------------------===*\
|*
|* libge_python_bridge.so exports one function, which gives a table. Types of C only: the bridge may
be
|* replaced by itself, and a host never meets a type of CPython. All functions are called without
the
|* GIL, with no lock held, and set the thread's last error on failure.
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_LIB_HOST_PYTHONBRIDGE_H
#define GE_LIB_HOST_PYTHONBRIDGE_H

#include "ge-c/Support.h"

GE_C_BEGIN

#define GE_PYTHON_BRIDGE_ABI 3

/** SIGINT during a run that had CPython's action for it. */
typedef enum GePythonInterrupt {
  GE_PYTHON_NO_INTERRUPT = 0,
  GE_PYTHON_INTERRUPT,     /**< a hook got it */
  GE_PYTHON_LATE_INTERRUPT /**< no hook got it any more */
} GePythonInterrupt;

typedef struct GePythonBridgeStart {
  size_t size;
  const char *python;    /**< the option; NULL: the environment, then the usual places */
  const char *directory; /**< that the package of this library lies in */
  const void *coreInstance;
} GePythonBridgeStart;

typedef struct GePythonBridgeLoad {
  size_t size;
  const char *paths;
  const char *modules;
  void (*failed)(GeStringRef origin, GeStringRef message, void *userData);
  void *userData;
} GePythonBridgeLoad;

typedef struct GePythonBridgeEnd {
  size_t size;
  bool isExit; /**< the process ends */
  bool mayEnd; /**< the interpreter may be ended; else it is only made to run its exit functions */
  bool hasEnded; /**< result: the interpreter that the bridge started has ended */
  bool mayUnmap; /**< result: nothing in the bridge is needed any more */
} GePythonBridgeEnd;

typedef struct GePythonBridgeApi {
  size_t size;
  uint32_t abiVersion;
  /** Finds or starts the interpreter and imports the package. Repeated, it does nothing. */
  GeStatus (*start)(const GePythonBridgeStart *options);
  GeStatus (*load)(const GePythonBridgeLoad *request);
  GeStatus (*unload)(void);
  /** Around a run: the thread keeps its state of Python, so that taking the GIL is cheap. NULL:
   * there is no interpreter. */
  void *(*enterThread)(void);
  GePythonInterrupt (*leaveThread)(void *state);
  /** Drops the Python side, and ends the interpreter if it is the bridge's and this is its thread.
   */
  GeStatus (*shutdown)(GePythonBridgeEnd *end);
} GePythonBridgeApi;

typedef const GePythonBridgeApi *(*GeGetPythonBridgeApi)(void);

GE_C_END

#endif /* GE_LIB_HOST_PYTHONBRIDGE_H */
