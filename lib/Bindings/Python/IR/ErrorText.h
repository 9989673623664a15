//===- ErrorText.h - the text of a Python exception, whatever its methods do ------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_ERRORTEXT_H
#define GE_BINDINGS_PYTHON_IR_ERRORTEXT_H

#include "Errors.h"

#include <string>

namespace ge::python {

/// Clears the Python error that a method of an exception raised. A KeyboardInterrupt is not lost:
/// it is raised again as soon as Python code runs.
inline void dropError() noexcept {
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
    PyErr_SetInterrupt();
  PyErr_Clear();
}

/// UTF-8 of a str; lone surrogates become "?". Never raises or throws; empty without memory.
inline std::string utf8Of(PyObject *text) noexcept {
  PyObject *bytes =
      text && PyUnicode_Check(text) ? PyUnicode_AsEncodedString(text, "utf-8", "replace") : nullptr;
  std::string out;
  char *data = nullptr;
  Py_ssize_t length = 0;
  if (bytes && PyBytes_AsStringAndSize(bytes, &data, &length) == 0) {
    try {
      out.assign(data, size_t(length));
    } catch (...) { // no memory for the text
    }
  }
  if (PyErr_Occurred())
    dropError();
  Py_XDECREF(bytes);
  return out;
}

inline std::string typeNameOf(PyObject *object) noexcept {
  PyObject *name =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__");
  if (!name)
    dropError();
  std::string out = utf8Of(name);
  Py_XDECREF(name);
  return out;
}

/// Returns `str(error)`, or the name of its type if that is empty or raises. Requires the GIL and
/// no Python error set. Neither raises nor throws: for callers that cannot unwind.
inline std::string exceptionText(PyObject *error) noexcept {
  PyObject *text = PyObject_Str(error);
  bool raised = !text;
  if (raised)
    dropError();
  std::string out = utf8Of(text);
  Py_XDECREF(text);
  if (!out.empty())
    return out;
  out = typeNameOf(error);
  try {
    if (out.empty())
      out = "an exception";
    if (raised)
      out += " (its text cannot be shown: __str__ raises)";
  } catch (...) { // no memory for the text
  }
  return out;
}

/// An attribute of an exception, a new reference; null, without a Python error, where there is none
/// or asking for it raises.
inline PyObject *attributeOf(PyObject *error, const char *name) noexcept {
  PyObject *value = PyObject_GetAttrString(error, name);
  if (!value)
    dropError();
  return value;
}

/// Whether the C call that runs on this thread was made by Python code, which then takes the
/// exception that keepException() keeps. In a native program nothing takes it, and it would surface
/// in a later, unrelated call.
inline bool isCalledByPython() { return PyEval_GetFrame() != nullptr; }

/// Reports the current Python error as the failure of a callback: status and text serve programs
/// without Python, and the exception itself is kept. An interruption is no failure of the callback:
/// its status ends the surrounding call.
inline GeStatus failInCallback(const char *what) {
  GeStatus status = GE_ERROR_GENERAL;
  std::string text = what;
  {
    nb::python_error error;
    PyObject *raised = error.value().ptr();
    if (isInterruption(raised))
      status = GE_ERROR_INTERRUPTED;
    text.append(": ").append(typeNameOf(raised)).append(": ").append(exceptionText(raised));
    error.restore();
  }
  keepException();
  geErrorSet(status, {text.data(), text.size()});
  return status;
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_ERRORTEXT_H
