//===- Objects.h - the Python objects of ge.ir -------------------------------------------------===//
//
// A Python object of ge.ir is one counted reference of the C API in a nanobind instance: the
// wrapper. A record, type or tensor points back to its wrapper through its slot, so there is at
// most one wrapper for each IR object and `g.nodes[0] is g.nodes[0]` while it is referenced.
//
// Not promised: that a wrapper lives longer than the Python references to it. The next access
// creates another wrapper, which is equal and has the same hash, because both refer to the same
// record.
//
// Getters on the hot path are plain C slots: a nanobind property costs twice as much. All of them
// get what they need from the functions here, under the GIL.
//
#ifndef GE_BINDINGS_PYTHON_IR_OBJECTS_H
#define GE_BINDINGS_PYTHON_IR_OBJECTS_H

#include "ge-c/IR.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace ge::python {

/// Offset from a Python object to the C++ struct in it. nanobind uses the same offset for all
/// instances that own their struct; initClasses() measures it and checks it when the module is
/// loaded.
inline Py_ssize_t payloadOffset = 0;

template <typename T> T &payload(PyObject *object) {
  return *reinterpret_cast<T *>(reinterpret_cast<char *>(object) + payloadOffset);
}
template <typename T> PyObject *objectOf(T *payload) {
  return reinterpret_cast<PyObject *>(reinterpret_cast<char *>(payload) - payloadOffset);
}

struct ContextObject {
  GeContext *context;
  ContextObject() = default;
  ContextObject(const ContextObject &) = delete;
  ~ContextObject();
};
struct ModuleObject {
  GeModule *ref;
  ModuleObject() = default;
  ModuleObject(const ModuleObject &) = delete;
  ~ModuleObject();
};
struct GraphObject {
  GeGraphRef *ref;
  GraphObject() = default;
  GraphObject(const GraphObject &) = delete;
  ~GraphObject();
};
struct NodeObject {
  GeNodeRef *ref;
  NodeObject() = default;
  NodeObject(const NodeObject &) = delete;
  ~NodeObject();
};
struct ValueObject {
  GeValueRef *ref;
  ValueObject() = default;
  ValueObject(const ValueObject &) = delete;
  ~ValueObject();
};
/// The header of a Tensor's cached layout for kernel calls (Ops/CallPlan.cpp), allocated with
/// std::malloc. A stale layout is kept until the Tensor is destroyed, because a call without the
/// GIL may be reading it.
struct KeptLayout {
  KeptLayout *older;
  bool isStale;
};
struct TensorObject {
  GeTensor *ref;
  KeptLayout *layout; ///< null before the first call
  TensorObject() = default;
  TensorObject(const TensorObject &) = delete;
  ~TensorObject();
};
/// A type keeps its context alive.
struct TypeObject {
  GeType ref;
  TypeObject() = default;
  TypeObject(const TypeObject &) = delete;
  ~TypeObject();
};
struct TensorTypeObject : TypeObject {};
struct SequenceTypeObject : TypeObject {};
struct OptionalTypeObject : TypeObject {};
struct MapTypeObject : TypeObject {};
struct NoneTypeObject : TypeObject {};
struct OpaqueTypeObject : TypeObject {};
struct UnknownTypeObject : TypeObject {};
struct LocationObject {
  GeLocation ref;
  LocationObject() = default;
  LocationObject(const LocationObject &) = delete;
  ~LocationObject();
};
/// One object for each element type, for the life of the module.
struct DTypeObject {
  GeDType dtype;
  DTypeObject() = default;
  DTypeObject(const DTypeObject &) = delete;
  ~DTypeObject();
};
/// A use: an operand of a node, identified by node and index.
struct UseObject {
  PyObject *node;
  size_t index;
  UseObject() = default;
  UseObject(const UseObject &) = delete;
  ~UseObject() { Py_XDECREF(node); }
};
/// An insertion point: before `before`, or at the end of the graph. It holds the wrappers and keeps
/// them alive.
struct InsertionPointObject {
  PyObject *graph;
  PyObject *before; ///< null: at the end
  InsertionPointObject() = default;
  InsertionPointObject(const InsertionPointObject &) = delete;
  ~InsertionPointObject() {
    Py_XDECREF(graph);
    Py_XDECREF(before);
  }
};

/// The Python classes. Owned for the life of the process: objects can outlive the module's
/// dictionary.
struct Classes {
  PyTypeObject *context, *module, *graph, *node, *value, *use, *tensor, *dtype, *location,
      *insertionPoint;
  PyTypeObject *type, *tensorType, *sequenceType, *optionalType, *mapType, *noneType, *opaqueType,
      *unknownType;
};
inline Classes classes{};

/// Sets payloadOffset, from an instance of any of our classes.
void measurePayload(PyTypeObject *type);
/// Fills what is still null of `classes` from nanobind's registry, for other modules of the domain
/// too.
void initClasses();

/// True for an instance; the classes cannot be subclassed, so comparing the type is enough.
inline bool isGraph(PyObject *o) { return Py_TYPE(o) == classes.graph; }
inline bool isNode(PyObject *o) { return Py_TYPE(o) == classes.node; }
inline bool isValue(PyObject *o) { return Py_TYPE(o) == classes.value; }
inline bool isTensor(PyObject *o) { return Py_TYPE(o) == classes.tensor; }
inline bool isDType(PyObject *o) { return Py_TYPE(o) == classes.dtype; }
inline bool isLocation(PyObject *o) { return Py_TYPE(o) == classes.location; }
inline bool isContext(PyObject *o) { return Py_TYPE(o) == classes.context; }
inline bool isModule(PyObject *o) { return Py_TYPE(o) == classes.module; }
inline bool isInsertionPoint(PyObject *o) { return Py_TYPE(o) == classes.insertionPoint; }
bool isType(PyObject *o);

/// A new instance whose struct is not yet initialised: fill payload<T>() at once, nothing may throw
/// in between. Null with a Python error when memory is out.
inline PyObject *allocate(PyTypeObject *type) {
  PyObject *object = NB_CALL(nb_inst_alloc)(type);
  if (object)
    nb::inst_mark_ready(object);
  return object;
}

// Wrappers of references. They take over the reference they are given (also on failure), give a new
// Python reference, and null with a Python error. A null reference is None.
inline PyObject *wrapRef(GeNodeRef *ref);
inline PyObject *wrapRef(GeValueRef *ref);
inline PyObject *wrapRef(GeGraphRef *ref);
PyObject *wrapModule(GeModule *module);
PyObject *wrapTensor(GeTensor *tensor);
// Borrowed from their context, which the wrapper retains.
PyObject *wrapContext(GeContext *context);
PyObject *wrapType(GeType type);
PyObject *wrapLocation(GeLocation location);
/// The one object of an element type; a new reference.
PyObject *wrapDType(GeDType dtype);
PyObject *newUse(GeNodeRef *node, size_t index);

/// Class slots of objects that Python code cannot make: T() and T.__new__(T) are TypeErrors.
PyObject *refuseNew(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/// For classes whose tp_new does it all.
int initNothing(PyObject *self, PyObject *args, PyObject *kwargs);

namespace detail {
template <typename Object, typename Ref>
PyObject *wrap(Ref *ref, PyTypeObject *type, void (*release)(Ref *)) {
  if (!ref)
    return Py_NewRef(Py_None);
  if (auto *existing = static_cast<PyObject *>(geRefGetSlot(ref))) {
    Py_INCREF(existing);
    release(ref);
    return existing;
  }
  PyObject *object = allocate(type);
  if (!object) {
    release(ref);
    return nullptr;
  }
  payload<Object>(object).ref = ref;
  geRefSetSlot(ref, object);
  return object;
}
} // namespace detail

inline PyObject *wrapRef(GeNodeRef *ref) {
  return detail::wrap<NodeObject>(ref, classes.node, geNodeRelease);
}
inline PyObject *wrapRef(GeValueRef *ref) {
  return detail::wrap<ValueObject>(ref, classes.value, geValueRelease);
}
inline PyObject *wrapRef(GeGraphRef *ref) {
  return detail::wrap<GraphObject>(ref, classes.graph, geGraphRelease);
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_OBJECTS_H
