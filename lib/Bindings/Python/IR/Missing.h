//===- Missing.h - KeyErrors that list the keys that there are --------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_MISSING_H
#define GE_BINDINGS_PYTHON_IR_MISSING_H

#include "ErrorText.h"

#include <string>

namespace ge::python {

/// Raises KeyError: "no graph 'mian'; there are 'main', 'body' and 3 more". `nameAt(i)` returns
/// key number i of `count`; the first ones are shown. Returns null.
template <typename F>
PyObject *raiseMissing(const char *what, PyObject *key, size_t count, const F &nameAt) {
  constexpr size_t kShown = 8;
  std::string text = std::string("no ") + what + " '" + utf8Of(key) + "'; ";
  text += count == 0 ? "there is none" : count == 1 ? "there is " : "there are ";
  for (size_t i = 0; i != count && i != kShown; ++i) {
    text += i == 0 ? "'" : ", '";
    text += nameAt(i);
    text += '\'';
  }
  if (count > kShown)
    text += " and " + std::to_string(count - kShown) + " more";
  if (PyObject *message = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace")) {
    PyErr_SetObject(PyExc_KeyError, message);
    Py_DECREF(message);
  }
  return nullptr;
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_MISSING_H
