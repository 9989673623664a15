//===- CallWords.h - keywords of every graph-building function ---------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_CALLWORDS_H
#define GE_BINDINGS_PYTHON_OPS_CALLWORDS_H

#include "Arguments.h"

namespace ge::python {

/// Interned keyword names. They begin with `_`, so that they differ from all parameters of
/// operators.
struct Words {
  PyObject *name = PyUnicode_InternFromString("_name");
  PyObject *loc = PyUnicode_InternFromString("_loc");
  PyObject *outputs = PyUnicode_InternFromString("_outputs");
  PyObject *ip = PyUnicode_InternFromString("_ip");
  PyObject *resultTypes = PyUnicode_InternFromString("_result_types");
};
inline const Words &words() {
  static const Words all;
  return all;
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_CALLWORDS_H
