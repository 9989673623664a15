//===- Interrupts.cpp - Ctrl-C in native loops -------------------------------------------------===//
//
// CPython records a signal and runs its handler on the main thread, between two bytecode
// instructions. No bytecode runs inside a native loop, so native loops call the check of this file
// every 50 ms.
//
#include "Errors.h"
#include "Gil.h"
#include "PopulateIR.h"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <pthread.h>
#endif

namespace ge::python {

namespace {

/// Returns whether this is the thread on which CPython runs signal handlers; only that thread needs
/// the GIL here. If a program initialises Python on a thread other than its first, loops are not
/// interrupted.
bool isMainThread() {
#ifdef __linux__
  return syscall(SYS_gettid) == getpid(); // also after a fork
#else
  return pthread_main_np() != 0;
#endif
}

/// A handler may raise any exception; the interrupted call raises it.
bool isInterrupted(void *) {
  if (!isMainThread())
    return false;
  GilAcquire gil;
  if (!gil || PyErr_Occurred())
    return false;
  if (hasKeptInterrupt())
    return true;
  if (PyErr_CheckSignals() == 0)
    return false;
  nb::python_error raised;
  PyObject_SetAttrString(raised.value().ptr(), "_ge_interrupt", Py_True);
  PyErr_Clear(); // a class may refuse attributes
  raised.restore();
  keepException();
  return true;
}

} // namespace

void populateInterrupts() { geSetInterruptCheck(isInterrupted, nullptr); }

} // namespace ge::python
