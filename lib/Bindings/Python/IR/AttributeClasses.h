//===- AttributeClasses.h - classes and widths of attribute values -----------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_ATTRIBUTECLASSES_H
#define GE_BINDINGS_PYTHON_IR_ATTRIBUTECLASSES_H

#include "Convert.h"

namespace ge::python {

/// Element types of attributes that C++ code refers to by name.
struct Widths {
  GeDType f32, f64, i64, u64, boolean, string;
};
const Widths &widths();

/// Classes of python/ge/ir/_attrs.py, imported when the first is needed. Owned for the life
/// of the process; they hold no object of ours.
struct AttrClasses {
  PyObject *arrayAttr, *graphRef, *scalars; ///< scalars: dict from a DType's name to the class
};
/// Null with an exception.
const AttrClasses *attrClasses();

/// Converts an object by the function that is registered for its class. `context` null: the current
/// one. Returns null if none is registered, or with an exception.
PyObject *buildAttribute(GeContext *context, PyObject *object);
bool hasAttributeBuilders();

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_ATTRIBUTECLASSES_H
