//===- DeclaredTypes.h - `_result_types=` of a call ---------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_DECLAREDTYPES_H
#define GE_BINDINGS_PYTHON_OPS_DECLAREDTYPES_H

#include "Function.h"

namespace ge::python {

/// The result types that a call declares. Inference refines them; a contradiction is an error of
/// the call.
class DeclaredTypes {
public:
  bool isGiven() const { return isGiven_; }
  size_t size() const { return types_.size(); }
  /// Null when not given; null elements are inferred. Valid while this object lives.
  const GeType *data() const { return isGiven_ ? types_.data() : nullptr; }
  GeType operator[](size_t i) const { return types_[i]; }

  /// A Type, a sequence of Type or None, or None for nothing. False with an exception.
  bool read(PyObject *given);

  /// Sets the number of results from the number of declared types; false with an exception if the
  /// operator cannot have that many.
  bool count(const FunctionObject &f, size_t &count, size_t &variadic, bool &isOpen) const;
  /// Null with a ValueError.
  PyObject *raiseCount(const FunctionObject &f, size_t wanted) const;

  /// After inference: sets the result's type to the meet of the declared and the inferred type.
  GeStatus meet(size_t i, GeValueRef *result) const;

private:
  Small<GeType, 8> types_;
  nb::object held_;
  bool isGiven_ = false;
};

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_DECLAREDTYPES_H
