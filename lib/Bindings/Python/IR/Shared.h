//===- Shared.h - what _ge.ir lends to the other modules of the package -----------------------===//
//
// Classes, exceptions, the current scope and the caches of names exist once, in _ge.ir, which
// exports their functions in a capsule, `_shared`. Imported.cpp defines the functions of Convert.h,
// Errors.h, Objects.h, Node.h and Scope.h in other modules by calling them.
//
#ifndef GE_BINDINGS_PYTHON_IR_SHARED_H
#define GE_BINDINGS_PYTHON_IR_SHARED_H

#include "Convert.h"
#include "NumpyArrays.h"

namespace ge::python {

/// Operators of a Value, as they are passed to Shared::setValueOperators.
enum class ValueOperator {
  Add,
  Subtract,
  Multiply,
  TrueDivide,
  FloorDivide,
  Remainder,
  Power,
  MatrixMultiply,
  And,
  Or,
  Xor,
  LeftShift,
  RightShift,
  Negative,
  Absolute,
  Invert,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Subscript,
  Truth,
};
/// `b` is null for unary operators. Returns NotImplemented (a new reference) for operands that it
/// does not handle.
using ValueOperatorFunction = PyObject *(*)(ValueOperator op, PyObject *a, PyObject *b);

struct Shared {
  size_t size; ///< of this struct: both sides come from one build
  Py_ssize_t payloadOffset;
  const Classes *classes;
  // Errors.h
  PyObject *(*raise)(GeStatus);
  PyObject *(*exceptionOf)(GeStatus);
  PyObject *(*raiseType)(const char *, const char *, PyObject *);
  PyObject *(*otherPackage)(PyObject *);
  void (*keepException)();
  bool (*hasKeptException)();
  void (*translateException)() noexcept;
  PyObject *(*newDiagnostic)(const GeDiagnostic &);
  // Convert.h
  ContextState &(*stateOf)(GeContext *);
  GeIdentifier (*identifier)(ContextState &, PyObject *, const char *);
  GeOperatorName (*operatorName)(ContextState &, PyObject *);
  PyObject *(*newIdentifier)(GeIdentifier);
  bool (*toDType)(PyObject *, GeDType &);
  bool (*toAttribute)(ContextState &, PyObject *, PyObject *, GeAttribute &);
  PyObject *(*buildAttribute)(GeContext *, PyObject *);
  PyObject *(*newAttribute)(GeAttribute);
  bool (*toTensor)(GeContext *, PyObject *, GeType, bool, GeTensor *&);
  bool (*isArrayLike)(PyObject *);
  bool (*attributeStartsWith)(PyObject *, const char *, std::string_view);
  // Objects.h
  bool (*isType)(PyObject *);
  PyObject *(*wrapType)(GeType);
  PyObject *(*wrapDType)(GeDType);
  PyObject *(*wrapTensor)(GeTensor *);
  PyObject *(*wrapModule)(GeModule *);
  // Node.h, Scope.h
  bool (*resolveInsertionPoint)(PyObject *, GeGraphRef *, PyObject *&, GeGraphRef *&, GeNodeRef *&);
  bool (*resolveLocation)(GeContext *, PyObject *, GeLocation &);
  GeContext *(*currentContext)();
  // Gil.h
  void (*guardThread)() noexcept;
  void (*parkThread)() noexcept;
  bool (*isPythonGone)() noexcept;
  // Scope.h
  const int *tracing;
  bool (*tracedPush)(GeContext *);
  void (*setValueOperators)(ValueOperatorFunction);
  // NumpyArrays.h: a function, because it imports NumPy
  const Numpy &(*numpy)();
  /// A number that changes when an inferrer is added or removed.
  const uint64_t *inferrersVersion;
};

inline constexpr const char *kSharedCapsule = "ge._shared";

/// Null: operators of values raise TypeError.
inline ValueOperatorFunction valueOperators = nullptr;

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_SHARED_H
