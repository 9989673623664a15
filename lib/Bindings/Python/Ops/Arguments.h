//===- Arguments.h - Python arguments as the binder sees them ---------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_ARGUMENTS_H
#define GE_BINDINGS_PYTHON_OPS_ARGUMENTS_H

#include "Records.h"
#include "Small.h"

#include <vector>

namespace ge::python {

/// The callbacks through which the binder inspects Python objects. An argument is the address of
/// the object.
const GeArgView &argumentView();
/// The same for calls that compute: arrays are operands, and values of graphs are not.
const GeArgView &callArgumentView();
/// ge.ops.Object; null until that is imported. Held.
inline PyTypeObject *objectClass = nullptr;
bool isOpsObject(PyObject *object);
/// Classes that a schema names, by key: a dict that ge.ops fills.
PyObject *registeredClasses();
/// Borrowed; null: not registered.
PyObject *registeredClass(GeStringRef key);
GeArgKind kindOfArgument(PyObject *object);
/// np.float32(1) and the like: a number, not an array, also for attributes.
bool isNumpyScalar(PyObject *object);
/// Its value as a bool, int, float or complex of Python; invalid for other objects. Sets no
/// exception.
nb::object plainNumber(PyObject *object);

using BoundArgs = Small<GeBoundArg, 16>;

/// Elements of arguments that the binder inspected.
using HeldItems = std::vector<nb::object>;

/// The arguments of one call in the binder's form; borrowed, except for replaced ones.
class CallArguments {
public:
  /// Objects of classes with an attribute builder are replaced by the result of the builder,
  /// sequences other than list and tuple by tuples, and NumPy scalars by Python numbers. False with
  /// an exception.
  bool addPositional(PyObject *object);
  bool addKeyword(PyObject *name, PyObject *value);

  explicit CallArguments(const GeArgView &view = argumentView()) : view_(view) {}
  GeStatus bind(GeOpDef op, const GeBindOptions &options, BoundArgs &out, GeBindFault &fault) const;
  GeStatus resolve(const std::vector<GeOpDef> &ops, const GeBindOptions &options, BoundArgs &out,
                   size_t &chosen, GeBindFault &fault) const;
  /// Null for a default.
  PyObject *of(const GeBoundArg &bound) const {
    if (bound.source == GE_FROM_DEFAULT)
      return nullptr;
    const void *arg = bound.source == GE_FROM_POSITIONAL ? positional_[bound.index]
                                                         : keywords_[bound.index].value;
    return static_cast<PyObject *>(const_cast<void *>(arg));
  }
  size_t numPositional() const { return positional_.size(); }
  size_t numKeywords() const { return keywords_.size(); }
  PyObject *positional(size_t i) const {
    return static_cast<PyObject *>(const_cast<void *>(positional_[i]));
  }

private:
  GeArgView holding(HeldItems &held) const {
    GeArgView view = view_;
    view.userData = &held;
    return view;
  }
  bool simple(PyObject *&object);
  const GeArgView &view_;
  GeContext *context_ = nullptr; ///< of the first operand; borrowed
  Small<GeArg, 8> positional_;
  Small<GeKeyword, 8> keywords_;
  std::vector<nb::object> held_;
};

/// Sets a BindError with op, argument, reason and schema. Always null.
PyObject *raiseBind(GeOpDef op, const std::string &message, const std::string &argument,
                    const std::string &reason);
/// The same for an error of geOpDefBind.
PyObject *raiseBind(GeOpDef op, GeStatus status, const GeBindFault &fault);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_ARGUMENTS_H
