//===- ErrorText.h - the text of a Python exception, whatever its methods do ------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_ERRORTEXT_H
#define GE_BINDINGS_PYTHON_IR_ERRORTEXT_H

#include "Errors.h"

#include <string>

namespace ge::python {

/// Clears the Python error that an exception's own method raised. An interrupt among them is not
/// lost: it is raised again where Python code runs next.
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

/// What `str(error)` says, and the name of the type where that is empty or raises. The GIL is held,
/// no Python error is set. Neither raises nor throws: for places that cannot unwind.
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

/// Whether Python code has made the C call that this thread is in, and takes what keepException()
/// keeps. Under a native program it would surface in a later, unrelated
/// call.
inline bool isCalledByPython() { return PyEval_GetFrame() != nullptr; }

/// The failure of a callback whose Python function has raised, which is the Python error that is
/// set: status and text are for programs that know nothing of Python, and the exception is kept.
/// KeyboardInterrupt is not a failure of a callback: the status ends the call around it.
inline GeStatus failInCallback(const char *what) {
  GeStatus status =
      PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ? GE_ERROR_INTERRUPTED : GE_ERROR_GENERAL;
  std::string text = what;
  {
    nb::python_error error;
    PyObject *raised = error.value().ptr();
    text.append(": ").append(typeNameOf(raised)).append(": ").append(exceptionText(raised));
    error.restore();
  }
  keepException();
  geErrorSet(status, {text.data(), text.size()});
  return status;
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_ERRORTEXT_H
