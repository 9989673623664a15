//===- CallWords.h - keywords of every graph-building function ---------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_CALLWORDS_H
#define GE_BINDINGS_PYTHON_OPS_CALLWORDS_H

#include "Arguments.h"

#include <string_view>

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

/// Whether a keyword is one of the attributes in which a reader of ONNX keeps what is not the
/// operator's, such as `onnx.doc_string`; no parameter has such a name. They come with
/// `**node.attributes`, and are skipped. False with an exception if the name is no text.
inline bool isBookkeeping(PyObject *name, bool &is) {
  GeStringRef text;
  if (!toText(name, "keyword", text))
    return false;
  is = std::string_view(text.data, text.length).starts_with("onnx.");
  return true;
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_CALLWORDS_H
