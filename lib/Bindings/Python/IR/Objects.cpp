//===- Objects.cpp - wrappers ------------------------------------------------------------------===//
#include "Objects.h"

#include "Convert.h"
#include "Errors.h"
#include "Scope.h"

#include <cstdlib>
#include <utility>

namespace ge::python {

// The wrapper dies before its record; the next lookup creates another wrapper.
GraphObject::~GraphObject() { geRefReleaseSlot(ref, objectOf(this)); }
NodeObject::~NodeObject() { geRefReleaseSlot(ref, objectOf(this)); }
ValueObject::~ValueObject() { geRefReleaseSlot(ref, objectOf(this)); }
ModuleObject::~ModuleObject() {
  if (geModuleGetSlot(ref) == objectOf(this))
    geModuleSetSlot(ref, nullptr);
  geModuleRelease(ref);
}
TensorObject::~TensorObject() {
  if (geTensorGetSlot(ref) == objectOf(this))
    geTensorSetSlot(ref, nullptr);
  while (layout)
    std::free(std::exchange(layout, layout->older));
  geTensorRelease(ref);
}
ContextObject::~ContextObject() {
  ContextState &state = ContextState::of(context);
  if (state.wrapper == objectOf(this))
    state.wrapper = nullptr;
  forgetDefaultContext(objectOf(this));
  geContextRelease(context);
}
TypeObject::~TypeObject() {
  GeContext *context = geTypeGetContext(ref);
  if (geTypeGetSlot(ref) == objectOf(this))
    geTypeSetSlot(ref, nullptr);
  geContextRelease(context);
}
LocationObject::~LocationObject() { geContextRelease(geLocationGetContext(ref)); }

PyObject *wrapModule(GeModule *module) {
  if (auto *existing = static_cast<PyObject *>(geModuleGetSlot(module))) {
    geModuleRelease(module);
    return Py_NewRef(existing);
  }
  PyObject *object = allocate(classes.module);
  if (!object) {
    geModuleRelease(module);
    return nullptr;
  }
  payload<ModuleObject>(object).ref = module;
  geModuleSetSlot(module, object);
  return object;
}

PyObject *wrapTensor(GeTensor *tensor) {
  if (auto *existing = static_cast<PyObject *>(geTensorGetSlot(tensor))) {
    geTensorRelease(tensor);
    return Py_NewRef(existing);
  }
  PyObject *object = allocate(classes.tensor);
  if (!object) {
    geTensorRelease(tensor);
    return nullptr;
  }
  payload<TensorObject>(object).ref = tensor;
  payload<TensorObject>(object).layout = nullptr;
  geTensorSetSlot(tensor, object);
  return object;
}

PyObject *wrapContext(GeContext *context) {
  ContextState &state = ContextState::of(context);
  if (state.wrapper)
    return Py_NewRef(state.wrapper);
  PyObject *object = allocate(classes.context);
  if (!object)
    return nullptr;
  geContextRetain(context);
  payload<ContextObject>(object).context = context;
  state.wrapper = object;
  return object;
}

static PyTypeObject *classOf(GeTypeKind kind) {
  switch (kind) {
  case GE_TYPE_NONE:
    return classes.noneType;
  case GE_TYPE_TENSOR:
    return classes.tensorType;
  case GE_TYPE_SEQUENCE:
    return classes.sequenceType;
  case GE_TYPE_OPTIONAL:
    return classes.optionalType;
  case GE_TYPE_MAP:
    return classes.mapType;
  case GE_TYPE_OPAQUE:
    return classes.opaqueType;
  case GE_TYPE_UNKNOWN:
    break;
  }
  return classes.unknownType;
}

PyObject *wrapType(GeType type) {
  if (auto *existing = static_cast<PyObject *>(geTypeGetSlot(type)))
    return Py_NewRef(existing);
  PyObject *object = allocate(classOf(geTypeGetKind(type)));
  if (!object)
    return nullptr;
  geContextRetain(geTypeGetContext(type));
  payload<TypeObject>(object).ref = type;
  geTypeSetSlot(type, object);
  return object;
}

bool isType(PyObject *o) {
  PyTypeObject *type = Py_TYPE(o);
  return type == classes.tensorType || type == classes.noneType || type == classes.unknownType ||
         type == classes.sequenceType || type == classes.optionalType || type == classes.mapType ||
         type == classes.opaqueType;
}

PyObject *wrapLocation(GeLocation location) {
  PyObject *object = allocate(classes.location);
  if (!object)
    return nullptr;
  geContextRetain(geLocationGetContext(location));
  payload<LocationObject>(object).ref = location;
  return object;
}

PyObject *newUse(GeNodeRef *node, size_t index) {
  PyObject *wrapper = wrapRef(node);
  if (!wrapper)
    return nullptr;
  PyObject *object = allocate(classes.use);
  if (!object) {
    Py_DECREF(wrapper);
    return nullptr;
  }
  auto &use = payload<UseObject>(object);
  use.node = wrapper;
  use.index = index;
  return object;
}

void measurePayload(PyTypeObject *type) {
  nb::object probe = nb::steal(checked(NB_CALL(nb_inst_alloc)(type)));
  payloadOffset = reinterpret_cast<char *>(NB_CALL(nb_inst_ptr)(probe.ptr())) -
                  reinterpret_cast<char *>(probe.ptr());
}

PyObject *refuseNew(PyTypeObject *type, PyObject *, PyObject *) {
  nb::object name =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__name__"));
  if (name.is_valid())
    PyErr_Format(PyExc_TypeError,
                 "%U objects come from the graph they are in, they cannot be made on their own",
                 name.ptr());
  return nullptr;
}

int initNothing(PyObject *, PyObject *, PyObject *) { return 0; }

template <typename T> static void find(PyTypeObject *&slot) {
  if (!slot)
    slot = reinterpret_cast<PyTypeObject *>(Py_NewRef(nb::type<T>().ptr()));
}

void initClasses() {
  // nanobind puts the struct after a header of one size for all instances; the C slots rely on it.
  PyTypeObject *dtype = reinterpret_cast<PyTypeObject *>(nb::type<DTypeObject>().ptr());
  nb::object probe = nb::steal(checked(wrapDType(0)));
  auto *start = reinterpret_cast<char *>(nb::inst_ptr<DTypeObject>(probe));
  if (start - reinterpret_cast<char *>(probe.ptr()) != payloadOffset ||
      Py_TYPE(probe.ptr()) != dtype)
    throw std::runtime_error("this nanobind-backend lays out its objects differently");
  find<ContextObject>(classes.context);
  find<ModuleObject>(classes.module);
  find<GraphObject>(classes.graph);
  find<NodeObject>(classes.node);
  find<ValueObject>(classes.value);
  find<UseObject>(classes.use);
  find<TensorObject>(classes.tensor);
  find<DTypeObject>(classes.dtype);
  find<LocationObject>(classes.location);
  find<InsertionPointObject>(classes.insertionPoint);
  find<TypeObject>(classes.type);
  find<TensorTypeObject>(classes.tensorType);
  find<SequenceTypeObject>(classes.sequenceType);
  find<OptionalTypeObject>(classes.optionalType);
  find<MapTypeObject>(classes.mapType);
  find<NoneTypeObject>(classes.noneType);
  find<OpaqueTypeObject>(classes.opaqueType);
  find<UnknownTypeObject>(classes.unknownType);
}

} // namespace ge::python
