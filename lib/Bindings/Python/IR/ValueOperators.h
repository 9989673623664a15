//===- ValueOperators.h - `a + b` of values ---------------------------------------------------===//
//
// The arithmetic slots of Value call valueOperators (Shared.h), which the module of operators
// installs. Without it, or if it returns NotImplemented, they raise the TypeErrors of a class
// without these slots.
//
#ifndef GE_BINDINGS_PYTHON_IR_VALUEOPERATORS_H
#define GE_BINDINGS_PYTHON_IR_VALUEOPERATORS_H

#include "Errors.h"
#include "Shared.h"

namespace ge::python {

inline PyObject *notImplemented() { return Py_NewRef(Py_NotImplemented); }

/// Called when the other operand cannot handle the value either: raises Python's TypeError,
/// extended by what to do. Returns null.
inline PyObject *refuseOperator(ValueOperator op, PyObject *a, PyObject *b) {
  // Symbols of the binary operators, in their order; comparisons have their own messages.
  constexpr const char *kSymbols[] = {"+",     "-",     "*", "/",  "//", "%",  "** or pow()",
                                      "@",     "&",     "|", "^",  "<<", ">>", nullptr,
                                      nullptr, nullptr, "<", "<=", ">",  ">="};
  auto nameOf = [](PyObject *o) {
    return nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(o)), "__name__"));
  };
  nb::object left = nameOf(a), right = nameOf(b);
  if (left.is_valid() && right.is_valid())
    PyErr_Format(PyExc_TypeError,
                 op >= ValueOperator::Less
                     ? "'%s' not supported between instances of '%U' and '%U'; values have "
                       "operators while a builder of their graph lives: `with " GE_PYTHON_PACKAGE
                       ".es.builder(graph=...):`"
                     : "unsupported operand type(s) for %s: '%U' and '%U'; values have operators "
                       "while a builder of their graph lives: `with " GE_PYTHON_PACKAGE
                       ".es.builder(graph=...):`",
                 kSymbols[size_t(op)], left.ptr(), right.ptr());
  return nullptr;
}

template <ValueOperator op> PyObject *binaryOperator(PyObject *a, PyObject *b) {
  PyObject *result = valueOperators ? valueOperators(op, a, b) : notImplemented();
  auto isPlain = [](PyObject *o) { return isValue(o) || PyLong_Check(o) || PyFloat_Check(o); };
  if (result != Py_NotImplemented || !isPlain(a) || !isPlain(b))
    return result;
  Py_DECREF(result);
  return refuseOperator(op, a, b);
}

template <ValueOperator op> PyObject *powerOperator(PyObject *a, PyObject *b, PyObject *modulus) {
  return modulus == Py_None ? binaryOperator<op>(a, b) : notImplemented();
}

/// `refusal` is Python's error for a class without the slot.
inline PyObject *unaryOrRefuse(ValueOperator op, PyObject *a, PyObject *b, const char *refusal) {
  PyObject *result = valueOperators ? valueOperators(op, a, b) : notImplemented();
  if (result != Py_NotImplemented)
    return result;
  Py_DECREF(result);
  PyErr_SetString(PyExc_TypeError, refusal);
  return nullptr;
}

inline PyObject *negativeOperator(PyObject *a) {
  return unaryOrRefuse(ValueOperator::Negative, a, nullptr,
                       "bad operand type for unary -: 'Value'");
}
inline PyObject *absoluteOperator(PyObject *a) {
  return unaryOrRefuse(ValueOperator::Absolute, a, nullptr, "bad operand type for abs(): 'Value'");
}
inline PyObject *invertOperator(PyObject *a) {
  return unaryOrRefuse(ValueOperator::Invert, a, nullptr, "bad operand type for unary ~: 'Value'");
}
inline PyObject *subscriptOperator(PyObject *a, PyObject *key) {
  return unaryOrRefuse(ValueOperator::Subscript, a, key, "'Value' object is not subscriptable");
}

/// The truth value is True, as for any object, unless a provider raises.
inline int truthOperator(PyObject *a) {
  PyObject *result =
      valueOperators ? valueOperators(ValueOperator::Truth, a, nullptr) : notImplemented();
  Py_XDECREF(result);
  return result ? 1 : -1;
}

/// `==` stays identity, as for every handle.
inline PyObject *orderOperator(PyObject *a, PyObject *b, int op) {
  switch (op) {
  case Py_LT:
    return binaryOperator<ValueOperator::Less>(a, b);
  case Py_LE:
    return binaryOperator<ValueOperator::LessEqual>(a, b);
  case Py_GT:
    return binaryOperator<ValueOperator::Greater>(a, b);
  case Py_GE:
    return binaryOperator<ValueOperator::GreaterEqual>(a, b);
  default:
    return notImplemented();
  }
}

// clang-format off
#define GE_VALUE_OPERATOR_SLOTS                                                                    \
  {Py_nb_add, slot<binaryOperator<ValueOperator::Add>>()},                                         \
  {Py_nb_subtract, slot<binaryOperator<ValueOperator::Subtract>>()},                               \
  {Py_nb_multiply, slot<binaryOperator<ValueOperator::Multiply>>()},                               \
  {Py_nb_true_divide, slot<binaryOperator<ValueOperator::TrueDivide>>()},                          \
  {Py_nb_floor_divide, slot<binaryOperator<ValueOperator::FloorDivide>>()},                        \
  {Py_nb_remainder, slot<binaryOperator<ValueOperator::Remainder>>()},                             \
  {Py_nb_power, slot<powerOperator<ValueOperator::Power>>()},                                      \
  {Py_nb_matrix_multiply, slot<binaryOperator<ValueOperator::MatrixMultiply>>()},                  \
  {Py_nb_and, slot<binaryOperator<ValueOperator::And>>()},                                         \
  {Py_nb_or, slot<binaryOperator<ValueOperator::Or>>()},                                           \
  {Py_nb_xor, slot<binaryOperator<ValueOperator::Xor>>()},                                         \
  {Py_nb_lshift, slot<binaryOperator<ValueOperator::LeftShift>>()},                                \
  {Py_nb_rshift, slot<binaryOperator<ValueOperator::RightShift>>()},                               \
  {Py_nb_negative, slot<negativeOperator>()},                                                      \
  {Py_nb_absolute, slot<absoluteOperator>()},                                                      \
  {Py_nb_invert, slot<invertOperator>()},                                                          \
  {Py_nb_bool, slot<truthOperator>()},                                                             \
  {Py_mp_subscript, slot<subscriptOperator>()},                                                    \
  {Py_tp_richcompare, slot<orderOperator>()}
// clang-format on

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_VALUEOPERATORS_H
