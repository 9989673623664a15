//===- Imported.cpp - functions of _ge.ir, called through what it lends -----------------------===//
#include "Imported.h"

#include "../IR/AttributeClasses.h"
#include "../IR/Errors.h"
#include "../IR/NodeObject.h"
#include "../IR/Scope.h"

namespace ge::python {

static const Shared *shared;

const Shared &lent() { return *shared; }

void importIR() {
  nb::module_ ir = nb::module_::import_(GE_PYTHON_PREFIX "._ge.ir");
  nb::object capsule = ir.attr("_shared");
  shared = static_cast<const Shared *>(PyCapsule_GetPointer(capsule.ptr(), kSharedCapsule));
  if (!shared)
    throw nb::python_error();
  if (shared->size != sizeof(Shared))
    throw std::runtime_error("this module and _ge.ir are of different builds");
  classes = *shared->classes;
  payloadOffset = shared->payloadOffset;
}

// Gil.h
void guardThread() noexcept { shared->guardThread(); }
void parkThread() noexcept {
  for (;;)
    shared->parkThread();
}
bool isPythonGone() noexcept { return shared->isPythonGone(); }

// Errors.h
PyObject *raise(GeStatus status) { return shared->raise(status); }
PyObject *exceptionOf(GeStatus status) { return shared->exceptionOf(status); }
PyObject *raiseType(const char *what, const char *expected, PyObject *got) {
  return shared->raiseType(what, expected, got);
}
PyObject *otherPackage(PyObject *object) { return shared->otherPackage(object); }
void keepException() { shared->keepException(); }
bool hasKeptException() { return shared->hasKeptException(); }
void translateException() noexcept { shared->translateException(); }
void throwStatus(GeStatus status) {
  raise(status);
  throw nb::python_error();
}
nb::object newDiagnostic(const GeDiagnostic &diagnostic) {
  return nb::steal(shared->newDiagnostic(diagnostic));
}

// Convert.h
ContextState &ContextState::of(GeContext *context) { return shared->stateOf(context); }
GeIdentifier ContextState::identifier(PyObject *text, const char *what) {
  return shared->identifier(*this, text, what);
}
GeOperatorName ContextState::operatorName(PyObject *text) {
  return shared->operatorName(*this, text);
}
PyObject *newText(GeIdentifier identifier) { return shared->newIdentifier(identifier); }
void appendTo(GeStringRef piece, void *string) {
  static_cast<std::string *>(string)->append(piece.data, piece.length);
}
bool toDType(PyObject *object, GeDType &out) { return shared->toDType(object, out); }
bool isGEDataType(PyObject *object) {
  return PyLong_Check(object) && !PyLong_CheckExact(object) &&
         attributeStartsWith(object, "name", "DT_");
}
bool toAttribute(ContextState &state, PyObject *object, PyObject *key, GeAttribute &out) {
  return shared->toAttribute(state, object, key, out);
}
PyObject *buildAttribute(GeContext *context, PyObject *object) {
  return shared->buildAttribute(context, object);
}
PyObject *newAttribute(GeAttribute attribute) { return shared->newAttribute(attribute); }
bool toTensor(GeContext *context, PyObject *object, GeType type, bool copy, GeTensor *&out) {
  return shared->toTensor(context, object, type, copy, out);
}
bool isArrayLike(PyObject *object) { return shared->isArrayLike(object); }

bool attributeStartsWith(PyObject *object, const char *attribute, std::string_view prefix) {
  return shared->attributeStartsWith(object, attribute, prefix);
}

// Objects.h
bool isType(PyObject *object) { return shared->isType(object); }
PyObject *wrapType(GeType type) { return shared->wrapType(type); }
PyObject *wrapDType(GeDType dtype) { return shared->wrapDType(dtype); }
PyObject *wrapTensor(GeTensor *tensor) { return shared->wrapTensor(tensor); }
PyObject *wrapModule(GeModule *module) { return shared->wrapModule(module); }
PyObject *refuseNew(PyTypeObject *type, PyObject *, PyObject *) {
  nb::object name =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__name__"));
  if (name.is_valid())
    PyErr_Format(PyExc_TypeError, "%U objects cannot be made on their own", name.ptr());
  return nullptr;
}
int initNothing(PyObject *, PyObject *, PyObject *) { return 0; }

// Node.h, Scope.h
bool resolveInsertionPoint(PyObject *argument, GeGraphRef *within, PyObject *&held,
                           GeGraphRef *&graph, GeNodeRef *&before) {
  return shared->resolveInsertionPoint(argument, within, held, graph, before);
}
bool resolveLocation(GeContext *context, PyObject *argument, GeLocation &out) {
  return shared->resolveLocation(context, argument, out);
}
GeContext *currentContext() { return shared->currentContext(); }
bool TracedEdit::begin(GeContext *context) {
  return *shared->tracing && shared->tracedPush(context);
}

} // namespace ge::python
