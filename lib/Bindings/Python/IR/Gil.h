//===- Gil.h - taking and giving back the GIL --------------------------------------------------===//
//
// Before CPython 3.14 a daemon thread that takes the GIL while the interpreter ends is ended with
// pthread_exit, which glibc runs as an unwinding of the whole stack: through nanobind's dispatcher
// and our destructors, which may not throw, so that the process aborts. Such a thread waits here
// instead until the process is gone, as 3.14 makes it do.
//
// All code of the bindings takes and gives back the GIL with the classes of this file.
//
#ifndef GE_BINDINGS_PYTHON_IR_GIL_H
#define GE_BINDINGS_PYTHON_IR_GIL_H

#include "ge-c/Support.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

namespace nb = nanobind;

namespace ge::python {

/// From now on, makes this thread block at interpreter exit instead of being unwound. For threads
/// that run Python code below C++ frames. Has no effect where pthread_exit does not unwind. Cheap
/// when repeated.
void guardThread() noexcept;

/// Waits until the process is gone.
[[noreturn]] void parkThread() noexcept;

/// Releases the GIL for a scope. If the interpreter starts to finalize meanwhile, a thread other
/// than the finalizing one blocks at the end of the scope.
class GilRelease {
public:
  GilRelease() noexcept : endsInterpreter_(!Py_IsInitialized()), state_(PyEval_SaveThread()) {}
  ~GilRelease() { takeBack(); }
  GilRelease(const GilRelease &) = delete;
  GilRelease &operator=(const GilRelease &) = delete;

private:
  void takeBack() noexcept {
    if (!endsInterpreter_ && !Py_IsInitialized())
      parkThread();
    try {
      PyEval_RestoreThread(state_);
    } catch (...) { // the unwinding of pthread_exit: CPython throws nothing
      parkThread();
    }
  }
  /// This thread finalizes the interpreter: it held the GIL while the interpreter was finalizing.
  bool endsInterpreter_;
  PyThreadState *state_;
};

/// Returns whether this thread must not take the GIL any more, because another thread is finalizing
/// the interpreter or has done so.
bool isPythonGone() noexcept;

/// Takes the GIL for a callback, on any thread. Converts to false if the interpreter is finalizing
/// or gone: the callback then fails without using Python, and leaks the references it would
/// release.
class GilAcquire {
public:
  GilAcquire() noexcept {
    guardThread();
    if (!isPythonGone())
      guard_.emplace();
  }
  GilAcquire(const GilAcquire &) = delete;
  GilAcquire &operator=(const GilAcquire &) = delete;
  explicit operator bool() const { return guard_ && *guard_; }

private:
  std::optional<nb::detail::cleanup_guard> guard_;
};

/// The failure of a callback for which GilAcquire is false.
inline GeStatus failWithoutPython() {
  constexpr std::string_view kText = "the Python interpreter is ending; its callbacks are not run";
  geErrorSet(GE_ERROR_GENERAL, {kText.data(), kText.size()});
  return GE_ERROR_GENERAL;
}

/// `import name`, which may run any Python code.
inline nb::module_ importModule(const char *name) {
  guardThread();
  return nb::module_::import_(name);
}
inline nb::module_ numpy() { return importModule("numpy"); }

/// Imports and returns the object that the package provides for a purpose. Native modules cannot
/// name it, because it belongs to a higher floor; see python/ge/_mlir_like/_providers.py.
inline nb::object provider(const char *purpose) {
  return importModule(GE_PYTHON_PREFIX "._providers").attr("provider")(purpose);
}

/// The same for functions of Python's C API: on failure no object, and the exception is set.
inline nb::object findProvider(const char *purpose) {
  guardThread();
  nb::object providers = nb::steal(PyImport_ImportModule(GE_PYTHON_PREFIX "._providers"));
  return providers.is_valid()
             ? nb::steal(PyObject_CallMethod(providers.ptr(), "provider", "s", purpose))
             : nb::object();
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_GIL_H
