//===- Members.h - members of types that are slot functions -----------------------------------===//
//
// The hot path parses its arguments without nanobind's dispatcher, so nanobind does not know the
// signatures. One table of this file gives `__text_signature__`, `__doc__` and the stub.
//
#ifndef GE_BINDINGS_PYTHON_IR_MEMBERS_H
#define GE_BINDINGS_PYTHON_IR_MEMBERS_H

#include "Errors.h"

#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace ge::python {

struct Property {
  const char *name;
  const char *type; ///< type of the property, as in a stub
  getter get;
  const char *doc;
  setter set = nullptr;
  const char *takes = nullptr; ///< type of an assigned value; null: the same type
};

struct Method {
  /// As in a stub: `def find(self, name: str, /) -> Node | None`. Line breaks count as spaces.
  const char *signature;
  PyCFunction function;
  int flags; ///< METH_...
  const char *doc;
};

template <typename F> PyCFunction asMethod(F *function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(function));
}

/// CPython's tables of a type, and its part of the stub. Lives as long as the type: static.
class Members {
public:
  /// `others`: methods whose signatures IRStubs.pat has, because several types share them.
  Members(const char *type, std::span<const Property> properties, std::span<const Method> methods,
          std::initializer_list<PyMethodDef> others = {});
  Members(const Members &) = delete;
  PyGetSetDef *properties() { return properties_.data(); }
  PyMethodDef *methods() { return methods_.data(); }

private:
  std::deque<std::string> texts_;
  std::vector<PyGetSetDef> properties_;
  std::vector<PyMethodDef> methods_;
};

/// Signatures of a type's constructor for the stub, beside the function that is its Py_tp_new:
/// `def __init__(self, name: str) -> None`. Several are overloads.
void declareConstructor(const char *type, std::initializer_list<const char *> signatures);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_MEMBERS_H
