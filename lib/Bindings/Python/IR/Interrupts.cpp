//===- Interrupts.cpp - Ctrl-C in native loops -------------------------------------------------===//
//
// CPython notes a signal and runs its handler on the main thread, between two instructions of
// Python: none come while a native loop runs. The loops ask here every 50 ms.
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

/// Only the thread that CPython runs handlers on needs the GIL. In a program that embeds Python on
/// another thread than its first one, no loop is interrupted.
bool isMainThread() {
#ifdef __linux__
  return syscall(SYS_gettid) == getpid(); // also after a fork
#else
  return pthread_main_np() != 0;
#endif
}

/// Handlers may raise anything: that comes out of the call.
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
  keepException();
  return true;
}

} // namespace

void populateInterrupts() { geSetInterruptCheck(isInterrupted, nullptr); }

} // namespace ge::python
