//===- Gil.cpp - taking and giving back the GIL ------------------------------------------------===//
#include "Gil.h"

#include "InterpreterEnd.h"

#include <atomic>
#include <dlfcn.h>
#include <memory>
#include <unistd.h>

#ifdef __GLIBC__
#include <pthread.h>
#endif

namespace ge::python {

namespace {

/// Exported by every CPython, but not in the limited API.
using GilCheck = int (*)();
GilCheck gilCheck() {
  static const auto check = reinterpret_cast<GilCheck>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return check;
}

#ifdef __GLIBC__
/// glibc runs the cleanup handlers of a thread in stack order while it unwinds: before each frame,
/// it runs those whose record has a lower address than the frame. A record outside of the stack
/// compares lower than all frames, so its handler runs before any frame is unwound. The function
/// that registers a handler is part of the Linux Standard Base; <pthread.h> has only macros, which
/// need a frame of their own.
using CleanupPush = void (*)(_pthread_cleanup_buffer *, void (*)(void *), void *);

void parkAtExit(void *) {
  // Threads that end for another reason are not affected.
  if (!Py_IsInitialized())
    parkThread();
}

struct ThreadGuard {
  std::unique_ptr<_pthread_cleanup_buffer> record = std::make_unique<_pthread_cleanup_buffer>();
  ThreadGuard() {
    static const auto push =
        reinterpret_cast<CleanupPush>(dlsym(RTLD_DEFAULT, "_pthread_cleanup_push"));
    if (push)
      push(record.get(), parkAtExit, nullptr);
  }
};
thread_local constinit bool isGuarded = false;

void addGuard() {
  thread_local ThreadGuard guard;
  isGuarded = guard.record != nullptr;
}
#endif

std::atomic<bool> hasEnded = false;

} // namespace

void observeInterpreterEnd() {
  if (hasEnded)
    throw nb::import_error("the Python interpreter into which GE was loaded has ended; GE cannot "
                           "be loaded into a second interpreter of the process");
  // Fails if all 32 slots of CPython are taken: a second interpreter then goes unnoticed.
  static_cast<void>(Py_AtExit([] { hasEnded = true; }));
}

void parkThread() noexcept {
  for (;;)
    pause();
}

void guardThread() noexcept {
#ifdef __GLIBC__
  if (!isGuarded) [[unlikely]]
    addGuard();
#endif
}

bool isPythonGone() noexcept {
  if (hasEnded.load(std::memory_order_relaxed))
    return true;
  if (Py_IsInitialized())
    return false;
  // A finalizing interpreter runs callbacks on the thread that finalizes it, which holds the GIL.
  // PyGILState_Check also returns true on any thread after the thread states are gone.
  GilCheck check = gilCheck();
  return !check || !check() || !PyGILState_GetThisThreadState();
}

} // namespace ge::python
