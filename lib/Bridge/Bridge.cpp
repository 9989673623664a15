//===- Bridge.cpp - a Python interpreter in a native host -----------------------------------------===//
//
// Finds or starts the interpreter, and calls python/ge/passes/_bridge.py. Everything else about
// passes in Python is in the package's own modules, which serve a Python process, too.
//
#include "CPython.h"
#include "Interpreter.h"
#include "Signals.h"
#include "Start.h"

#include "../Host/PythonBridge.h"

#include "ge-c/Host.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string_view>
#include <unistd.h>

namespace gebridge {

namespace {

#ifndef GE_PYTHON_PACKAGE
#define GE_PYTHON_PACKAGE "ge"
#endif

GeStatus fail(GeStatus status, const std::string &text) {
  geErrorSet(status, {text.data(), text.size()});
  return status;
}

/// The directory that contains the first component of the package's name; the host passes the
/// directory of the last component.
std::string siteOf(std::string directory) {
  for (char c : std::string_view(GE_PYTHON_PACKAGE))
    if (c == '.')
      directory.resize(directory.rfind('/'));
  return directory;
}

/// One per process; never destroyed, because exit handlers may still use it.
struct BridgeState {
  std::mutex
      mutex; ///< guards the start only; never held while waiting for the GIL or running Python
  CPython python{};
  std::atomic<bool> isResolved = false;
  bool isOwner = false;
  std::atomic<bool> hasEnded = false;
  bool isObserved = false; ///< code of this library is registered to run at CPython's end
  pthread_t startedBy{};
  InterruptSignal interrupt;  ///< of an interpreter that the bridge started
  std::string program;        ///< for errors
  PyObject *module = nullptr; ///< ge.passes._bridge; the GIL guards it
};
BridgeState &state() {
  static BridgeState &the = *new BridgeState();
  return the;
}

bool isUp() {
  BridgeState &s = state();
  return s.isResolved && !s.hasEnded && s.python.Py_IsInitialized();
}

/// Takes the GIL. Before CPython 3.14, pthread_exit ends a thread that takes the GIL during
/// finalization, and unwinds the stack through noexcept code. Such a thread blocks here until the
/// process exits.
template <typename F> auto takeGil(const F &take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;)
      pause();
  }
}

/// Holds the GIL.
class Gil {
public:
  Gil() : number_(takeGil(state().python.PyGILState_Ensure)) {}
  ~Gil() { state().python.PyGILState_Release(number_); }
  Gil(const Gil &) = delete;
  Gil &operator=(const Gil &) = delete;

private:
  int number_;
};

GeStatus gone() {
  return fail(
      GE_ERROR_STATE,
      "the Python interpreter of this process has ended and cannot be started again: passes "
      "in Python can no longer run");
}

std::string text(PyObject *object, bool &isText) {
  Py_ssize_t length = 0;
  const char *data = object ? state().python.PyUnicode_AsUTF8AndSize(object, &length) : nullptr;
  isText = data != nullptr;
  if (!data)
    state().python.PyErr_Clear();
  return data ? std::string(data, size_t(length)) : std::string();
}

/// Returns the failure of a call whose result was `result`: a str of _bridge.py, empty for success.
GeStatus outcome(PyObject *result, const char *what) {
  const CPython &py = state().python;
  if (!result) {
    py.PyErr_Clear();
    return fail(GE_ERROR_GENERAL, std::string("the Python side failed to ") + what);
  }
  bool isText = false;
  std::string why = text(result, isText);
  py.Py_DecRef(result);
  return why.empty() ? GE_OK : fail(GE_ERROR_STATE, why);
}

/// Initialises CPython before 3.14; later versions use PyInitConfig, the stable interface.
GeStatus initialize(const Installed &installed) {
  const CPython &py = state().python;
  if (py.PyInitConfig_Create && py.Py_InitializeFromInitConfig) {
    PyInitConfig *config = py.PyInitConfig_Create();
    bool ok = config && py.PyInitConfig_SetInt(config, "isolated", 0) == 0 &&
              py.PyInitConfig_SetInt(config, "use_environment", 1) == 0 &&
              py.PyInitConfig_SetInt(config, "install_signal_handlers", 0) == 0 &&
              py.PyInitConfig_SetInt(config, "user_site_directory", 1) == 0 &&
              py.PyInitConfig_SetStr(config, "program_name", installed.program.c_str()) == 0 &&
              py.Py_InitializeFromInitConfig(config) == 0;
    const char *why = nullptr;
    if (!ok && config)
      py.PyInitConfig_GetError(config, &why);
    std::string message =
        installed.program + " cannot be started in this process: " + (why ? why : "out of memory");
    if (config)
      py.PyInitConfig_Free(config);
    return ok ? GE_OK : fail(GE_ERROR_STATE, message);
  }
  if (!py.Py_SetProgramName)
    return fail(GE_ERROR_STATE,
                installed.library + " has neither Py_SetProgramName nor PyInitConfig");
  wchar_t *name = py.Py_DecodeLocale(installed.program.c_str(), nullptr);
  if (!name)
    return fail(GE_ERROR_STATE,
                "the path of the Python interpreter cannot be decoded: " + installed.program);
  py.Py_SetProgramName(name); // keeps the pointer
  py.Py_InitializeEx(0);
  return GE_OK;
}

/// Under the mutex.
GeStatus bringUp(const GePythonBridgeStart &options) {
  BridgeState &s = state();
  std::string missing;
  if (void *mapped = findMapped()) {
    if (!resolve(mapped, s.python, missing))
      return fail(GE_ERROR_STATE, "the Python library that this process has loaded lacks " +
                                      missing + "; CPython 3.10 or later is needed");
    if (s.python.Py_IsInitialized()) {
      s.program = std::string("the interpreter of this process, CPython ") +
                  minorOf(s.python.Py_GetVersion());
      s.isOwner = false;
      s.isResolved = true;
      return GE_OK;
    }
  }
  Installed installed;
  std::string why;
  if (!findInstalled(options.python, siteOf(options.directory), installed, why))
    return fail(GE_ERROR_STATE,
                "passes in Python are requested, but no Python interpreter was found; tried:" +
                    why);
  if (s.python.Py_IsInitialized) {
    // This program is linked against a libpython: a second one could not be used beside it.
    std::string loaded = minorOf(s.python.Py_GetVersion());
    if (loaded != installed.minor)
      return fail(GE_ERROR_STATE, "this program has loaded the library of CPython " + loaded +
                                      ", and " + installed.program + " is CPython " +
                                      installed.minor + ": set GE_PYTHON to a CPython " + loaded);
  } else {
    // RTLD_GLOBAL, because extension modules are not linked against libpython and find its symbols
    // this way.
    void *library = dlopen(installed.library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      return fail(GE_ERROR_STATE, std::string("the library of ") + installed.program +
                                      " cannot be loaded: " + dlerror());
    if (!resolve(library, s.python, missing))
      return fail(GE_ERROR_STATE, installed.library + " lacks " + missing);
  }
  s.interrupt.remember();
  if (GeStatus status = initialize(installed)) {
    s.python = CPython{};
    return status;
  }
  if (PyObject *signals = s.python.PyImport_ImportModule("_signal"))
    s.python.Py_DecRef(signals);
  else
    s.python.PyErr_Clear();
  s.interrupt.giveBack();
  s.program = installed.program;
  s.isOwner = true;
  s.startedBy = pthread_self();
  s.isResolved = true;
  s.python.PyEval_SaveThread();
  return GE_OK;
}

/// Requires the GIL. The program that owns the interpreter may end it and start another one, in
/// which our objects are not valid.
void observeEnd() {
  BridgeState &s = state();
  if (!s.isOwner && !s.isObserved)
    s.isObserved = s.python.Py_AtExit([] { state().hasEnded = true; }) == 0;
}

/// Requires the GIL, which also serialises the import.
GeStatus importBridge(const GePythonBridgeStart &options) {
  BridgeState &s = state();
  if (s.module)
    return GE_OK;
  const CPython &py = s.python;
  PyObject *globals = py.PyDict_New(), *builtins = py.PyImport_ImportModule("builtins");
  PyObject *code = py.Py_CompileString(kStart, "<ge>", 257 /* Py_file_input */);
  PyObject *done = nullptr, *result = nullptr;
  if (globals && builtins && code &&
      py.PyDict_SetItemString(globals, "__builtins__", builtins) == 0)
    done = py.PyEval_EvalCode(code, globals, globals);
  if (done)
    if (PyObject *start = py.PyDict_GetItemString(globals, "start"))
      result = py.PyObject_CallFunction(
          start, "syKs", GE_PYTHON_PACKAGE, siteOf(options.directory).c_str(),
          static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(options.coreInstance)),
          geLibraryPath());
  for (PyObject *each : {globals, builtins, code, done})
    if (each)
      py.Py_DecRef(each);
  if (!result) {
    py.PyErr_Clear();
    return fail(GE_ERROR_STATE, "Python failed to run the bridge's start-up code: " + s.program);
  }
  bool isText = false;
  std::string why = text(result, isText);
  if (isText || s.module) {
    py.Py_DecRef(result);
    return isText ? fail(GE_ERROR_STATE, "Python passes cannot be run in " + s.program + ": " + why)
                  : GE_OK;
  }
  s.module = result;
  return outcome(py.PyObject_CallMethod(s.module, "start", "i", int(s.isOwner)), "start");
}

GeStatus start(const GePythonBridgeStart *options) {
  BridgeState &s = state();
  if (s.hasEnded)
    return gone();
  {
    std::lock_guard lock(s.mutex);
    if (!s.isResolved)
      if (GeStatus status = bringUp(*options))
        return status;
  }
  if (!isUp())
    return gone();
  Gil gil;
  observeEnd();
  return importBridge(*options);
}

GeStatus load(const GePythonBridgeLoad *request) {
  if (!isUp())
    return gone();
  const CPython &py = state().python;
  Gil gil;
  // Paths in the system's encoding, which need not be UTF-8.
  PyObject *found =
      py.PyObject_CallMethod(state().module, "load", "yy", request->paths, request->modules);
  if (!found) {
    py.PyErr_Clear();
    return fail(GE_ERROR_GENERAL, "loading passes in Python was interrupted");
  }
  for (Py_ssize_t i = 0; i + 1 < py.PyList_Size(found); i += 2) {
    bool isText = false;
    std::string origin = text(py.PyList_GetItem(found, i), isText);
    std::string message = text(py.PyList_GetItem(found, i + 1), isText);
    request->failed({origin.data(), origin.size()}, {message.data(), message.size()},
                    request->userData);
  }
  py.Py_DecRef(found);
  return GE_OK;
}

GeStatus unload() {
  if (!isUp())
    return GE_OK; // the objects ended with the interpreter
  Gil gil;
  return state().module
             ? outcome(state().python.PyObject_CallMethod(state().module, "unload", nullptr),
                       "unload passes")
             : GE_OK;
}

/// A thread state that lives as long as the run: otherwise each hook would create and free one.
struct Entered {
  int number;
  PyThreadState *saved;
  bool takesInterrupts; ///< SIGINT is CPython's until the run ends
};

void *enterThread() {
  if (!isUp())
    return nullptr;
  const CPython &py = state().python;
  int number = takeGil(py.PyGILState_Ensure);
  PyThreadState *saved = py.PyEval_SaveThread();
  auto *entered = new (std::nothrow) Entered{number, saved, false};
  if (entered) {
    BridgeState &s = state();
    // CPython handles signals on this thread only.
    entered->takesInterrupts =
        s.isOwner && pthread_equal(s.startedBy, pthread_self()) && s.interrupt.take();
  } else { // without it, hooks are only slower
    takeGil([&] { py.PyEval_RestoreThread(saved); });
    py.PyGILState_Release(number);
  }
  return entered;
}

GePythonInterrupt leaveThread(void *entered) {
  if (!entered)
    return GE_PYTHON_NO_INTERRUPT;
  auto *own = static_cast<Entered *>(entered);
  const CPython &py = state().python;
  if (own->takesInterrupts)
    state().interrupt.leave();
  GePythonInterrupt interrupt = own->takesInterrupts && InterruptSignal::came()
                                    ? GE_PYTHON_INTERRUPT
                                    : GE_PYTHON_NO_INTERRUPT;
  if (isUp()) {
    takeGil([&] { py.PyEval_RestoreThread(own->saved); });
    if (own->takesInterrupts && py.PyErr_CheckSignals() != 0) {
      py.PyErr_Clear();
      interrupt = GE_PYTHON_LATE_INTERRUPT;
    }
    py.PyGILState_Release(own->number);
  }
  delete own;
  return interrupt;
}

GeStatus shutdown(GePythonBridgeEnd *end) {
  BridgeState &s = state();
  end->hasEnded = false;
  end->mayUnmap = true;
  if (!s.isResolved)
    return GE_OK;
  if (!isUp()) {
    end->hasEnded = s.isOwner;
    return GE_OK;
  }
  // CPython must be ended on the thread that initialised it; ending it elsewhere may crash, so it
  // is left.
  bool isHere = s.isOwner && pthread_equal(s.startedBy, pthread_self());
  bool isSoft = s.isOwner && !(isHere && end->mayEnd);
  {
    Gil gil;
    if (s.module) {
      static_cast<void>(outcome(
          s.python.PyObject_CallMethod(s.module, "shutdown", "i", int(isSoft && end->isExit)),
          "unload passes"));
      s.python.Py_DecRef(s.module);
      s.module = nullptr;
    }
  }
  if (isSoft || !s.isOwner) {
    end->mayUnmap = !s.isOwner && !s.isObserved;
    return GE_OK;
  }
  s.hasEnded = true;
  end->hasEnded = true;
  geSetInterruptCheck(nullptr, nullptr); // the package's own check calls Python
  s.python.PyGILState_Ensure();
  struct sigaction interrupt = s.interrupt.kept();
  s.python.Py_FinalizeEx();
  sigaction(SIGINT, &interrupt, nullptr);
  return GE_OK;
}

constexpr GePythonBridgeApi kApi = {sizeof(GePythonBridgeApi),
                                    GE_PYTHON_BRIDGE_ABI,
                                    start,
                                    load,
                                    unload,
                                    enterThread,
                                    leaveThread,
                                    shutdown};

} // namespace
} // namespace gebridge

extern "C" GE_C_API const GePythonBridgeApi *geGetPythonBridgeApi(void) { return &gebridge::kApi; }
