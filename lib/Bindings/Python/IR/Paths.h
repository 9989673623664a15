//===- Paths.h - names of files between Python and C ------------------------------------------===//
//
// The system has paths of bytes; Python has str in which undecodable bytes are surrogates
// (os.fsencode, os.fsdecode). The C API gets the bytes, whatever the locale is.
//
#ifndef GE_BINDINGS_PYTHON_IR_PATHS_H
#define GE_BINDINGS_PYTHON_IR_PATHS_H

#include "Convert.h"
#include "Errors.h"

namespace ge::python {

/// The bytes of a str, bytes or os.PathLike; None is the empty path.
class PathBytes {
public:
  explicit PathBytes(nb::handle path) {
    if (path.is_none())
      return;
    PyObject *bytes = nullptr;
    if (PyUnicode_FSConverter(path.ptr(), static_cast<void *>(&bytes))) {
      bytes_ = nb::steal(bytes);
      return;
    }
    // A character that the locale cannot encode, in a name that did not come from the system, is
    // encoded as UTF-8.
    if (!PyUnicode_Check(path.ptr()) || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
      throw nb::python_error();
    PyErr_Clear();
    bytes_ = nb::steal(checked(PyUnicode_AsEncodedString(path.ptr(), "utf-8", "surrogateescape")));
  }
  /// Lives as long as this object.
  GeStringRef ref() const {
    char *data = nullptr;
    Py_ssize_t length = 0;
    if (bytes_.is_valid())
      checked(PyBytes_AsStringAndSize(bytes_.ptr(), &data, &length));
    return {data, size_t(length)};
  }

private:
  nb::object bytes_;
};

/// The str of a path, new.
inline nb::object pathOf(GeStringRef path) {
  return nb::steal(checked(PyUnicode_DecodeFSDefaultAndSize(path.data, Py_ssize_t(path.length))));
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_PATHS_H
