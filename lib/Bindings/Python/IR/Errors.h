//===- Errors.h - from a failed call to a Python exception -------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_ERRORS_H
#define GE_BINDINGS_PYTHON_IR_ERRORS_H

#include "ge-c/Support.h"

#include <nanobind/nanobind.h>

#include <string>
#include <type_traits>

namespace nb = nanobind;

namespace ge::python {

/// Sets the Python exception of the last failed C API call on this thread, with its diagnostics. If
/// a callback raised an exception meanwhile, that exception is set itself. Always returns null, for
/// `return raise(s)`.
PyObject *raise(GeStatus status);

/// For code under nanobind's dispatcher: throws what raise() set.
[[noreturn]] void throwStatus(GeStatus status);
inline void check(GeStatus status) {
  if (status != GE_OK)
    throwStatus(status);
}
/// Throws for a failed CPython call.
inline PyObject *checked(PyObject *result) {
  if (!result)
    throw nb::python_error();
  return result;
}
inline void checked(int result) {
  if (result < 0)
    throw nb::python_error();
}

/// The exception class of a status, borrowed.
PyObject *exceptionOf(GeStatus status);

/// Sets a TypeError "`what` must be `expected`, not `type of got`". Always null.
PyObject *raiseType(const char *what, const char *expected, PyObject *got);
/// Returns a new reference to the package name if the object belongs to another build of GE.
/// Returns null, without an exception, for everything else.
PyObject *otherPackage(PyObject *object);

/// Whether an exception ends the surrounding call, and is no failure of the callback that it left:
/// a KeyboardInterrupt, or what a signal handler raised while the callback waited for the
/// evaluators
/// (`_support.failures.mark_interrupt`). Requires the GIL and no Python error set.
inline bool isInterruption(PyObject *exception) {
  if (PyErr_GivenExceptionMatches(exception, PyExc_KeyboardInterrupt))
    return true;
  PyObject *mark = PyObject_GetAttrString(exception, "_ge_interrupt");
  PyErr_Clear();
  bool is = mark == Py_True;
  Py_XDECREF(mark);
  return is;
}

/// Keeps the exception of a Python callback below a C call until that call returns to Python.
/// Requires the GIL. Only the first exception of a call is kept; later ones go to
/// sys.unraisablehook.
void keepException();
bool hasKeptException();
bool hasKeptInterrupt(); ///< whether the kept one isInterruption(); in _ge.ir only
/// After calls that may run callbacks and still succeed: raises the kept exception, if any.
inline GeStatus afterCallbacks(GeStatus status) {
  return status == GE_OK && hasKeptException() ? GE_ERROR_GENERAL : status;
}

/// In a catch block: sets the Python exception for the C++ exception that is being handled.
void translateException() noexcept;

namespace detail {
template <auto function> struct Slot;
template <typename Result, typename... Args, Result (*function)(Args...)> struct Slot<function> {
  static Result call(Args... args) noexcept {
    try {
      return function(args...);
    } catch (...) {
      translateException();
    }
    if constexpr (std::is_pointer_v<Result>)
      return nullptr;
    else
      return -1;
  }
};
} // namespace detail

/// Wraps a function for CPython's tables, so that no C++ exception leaves it, not even
/// std::bad_alloc.
template <auto function> constexpr auto safe = &detail::Slot<function>::call;
template <auto function> void *slot() { return reinterpret_cast<void *>(safe<function>); }

/// A list of Diagnostic objects of the last error of this thread.
nb::list lastDiagnostics();
/// One Diagnostic object.
nb::object newDiagnostic(const GeDiagnostic &diagnostic);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_ERRORS_H
