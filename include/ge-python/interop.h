/*===- ge-python/interop.h - objects of ge.ir in other extension modules --------------------===*\
|*
|* A module written by hand, with Cython, pybind11 or another nanobind takes and gives objects of
|* ge.ir through capsules, as DLPack's do for tensors. Nothing here depends on nanobind, and of
|* CPython only the stable ABI is used.
|*
|*   static PyObject *eraseNode(PyObject *self, PyObject *object) {
|*     GeNodeRef *node;
|*     if (gePythonNodeFrom(object, &node) < 0)
|*       return NULL;
|*     ...geNodeErase(node)...
|*     geNodeRelease(node);
|*   }
|*
|* For each Kind of Context, Module, Graph, Node, Value, Type, Tensor:
|*
|*   int gePythonKindFrom(PyObject *object, GeKind *out)   from an object of ge.ir or its capsule
|*   PyObject *gePythonKindTo(GeKind handle)               the object of ge.ir for a handle
|*   PyObject *gePythonKindToCapsule(GeKind handle)        a capsule of it
|*
|* ...From gives a new reference (of a type: to its context, geContextRelease) and 0; or -1 with an
|* exception: TypeError for another kind of object, another version of the C API, or an object of
|* another copy of the C library; StaleHandleError for an object that is erased. ...To and
|* ...ToCapsule retain the handle themselves and return a new reference, or NULL with an exception.
|* While an object lives, ...To returns that same object. Hold the GIL (be attached) in all of them.
|*
|* The references are those of the C API: what Python erases is stale here, and what is erased
|* here is stale in Python.
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_PYTHON_INTEROP_H
#define GE_PYTHON_INTEROP_H

#include <Python.h>

#include "ge-c/IR.h"

#include <stdlib.h>
#include <string.h>

/** The package whose objects are made: a vendor's own build says "acme.ge" before including this.
 */
#ifndef GE_PYTHON_PACKAGE
#define GE_PYTHON_PACKAGE "ge"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a capsule "ge.<Kind>/1" points to. Members are only appended; `size` says which exist. */
typedef struct GePythonCapsule {
  size_t size;
  int abiVersion;           /**< GE_C_ABI_VERSION of the maker */
  const void *coreInstance; /**< geCoreInstance() of the library that the object lives in */
  const char *package;      /**< such as "ge"; static */
  const char *library;      /**< geLibraryPath(); static */
  void *object;             /**< GeNodeRef *, ...; the capsule holds one reference */
} GePythonCapsule;

/** Sets StaleHandleError with the reason for a reference that is dead; -1 then, else 0. */
static inline int gePythonCheckAlive_(const GeRef *ref) {
  PyObject *module, *error;
  GeStringRef reason;
  if (geRefIsAlive(ref))
    return 0;
  if (geRefReason(ref, &reason) != GE_OK)
    reason = geErrorMessage();
  module = PyImport_ImportModule(GE_PYTHON_PACKAGE ".ir");
  error = module ? PyObject_GetAttrString(module, "StaleHandleError") : NULL;
  if (error) {
    PyObject *text = PyUnicode_DecodeUTF8(reason.data, (Py_ssize_t)reason.length, "replace");
    if (text)
      PyErr_SetObject(error, text);
    Py_XDECREF(text);
  }
  Py_XDECREF(error);
  Py_XDECREF(module);
  return -1;
}

/** A capsule that owns the reference `object`, which `destroy` releases. */
static inline PyObject *gePythonWrap_(const char *name, void *object,
                                      PyCapsule_Destructor destroy) {
  PyObject *capsule;
  GePythonCapsule *content = (GePythonCapsule *)malloc(sizeof(GePythonCapsule));
  if (!content)
    return PyErr_NoMemory();
  content->size = sizeof(GePythonCapsule);
  content->abiVersion = GE_C_ABI_VERSION;
  content->coreInstance = geCoreInstance();
  content->package = GE_PYTHON_PACKAGE;
  content->library = geLibraryPath();
  content->object = object;
  capsule = PyCapsule_New(content, name, destroy);
  if (!capsule)
    free(content);
  return capsule;
}

/** What a capsule holds, checked; NULL with a TypeError. `kind` is for messages. */
static inline GePythonCapsule *gePythonOpen_(PyObject *capsule, const char *name,
                                             const char *kind) {
  GePythonCapsule *content;
  if (!PyCapsule_IsValid(capsule, name)) {
    const char *other = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : NULL;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "a capsule '%s' is expected for a %s, not '%s'", name, kind,
                 other ? other : "one without a name");
    return NULL;
  }
  content = (GePythonCapsule *)PyCapsule_GetPointer(capsule, name);
  if (!content)
    return NULL;
  if (content->size < sizeof(GePythonCapsule) || content->abiVersion != GE_C_ABI_VERSION) {
    PyErr_Format(PyExc_TypeError,
                 "the %s has version %d of the C API of GE, and version %d is needed here: rebuild "
                 "this module for the installed package",
                 kind, content->abiVersion, GE_C_ABI_VERSION);
    return NULL;
  }
  if (content->coreInstance != geCoreInstance()) {
    PyErr_Format(PyExc_TypeError,
                 "the %s belongs to '%s' (%s), and objects of '%s' (%s) are expected here; such "
                 "objects cross as text",
                 kind, content->package, content->library, GE_PYTHON_PACKAGE, geLibraryPath());
    return NULL;
  }
  if (!content->object) {
    PyErr_Format(PyExc_TypeError, "the capsule '%s' holds no %s", name, kind);
    return NULL;
  }
  return content;
}

/** The capsule of an object of ge.ir, or the capsule itself; new reference. */
static inline PyObject *gePythonCapsuleOf_(PyObject *object, const char *kind) {
  PyObject *capsule;
  if (PyCapsule_CheckExact(object)) {
    Py_INCREF(object);
    return object;
  }
  capsule = PyObject_GetAttrString(object, "_capi");
  if (capsule && PyCapsule_CheckExact(capsule))
    return capsule;
  if (capsule || PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyObject *type;
    Py_XDECREF(capsule);
    PyErr_Clear(); /* nothing may be looked up while an exception is set */
    type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
    if (type && PyUnicode_Check(type)) {
      PyErr_Format(PyExc_TypeError, "a %s.ir.%s is expected, not a %U", GE_PYTHON_PACKAGE, kind,
                   type);
    } else {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "a %s.ir.%s is expected", GE_PYTHON_PACKAGE, kind);
    }
    Py_XDECREF(type);
  }
  return NULL;
}

/** X._from_capi(capsule) of the package. Takes the reference to the capsule over. */
static inline PyObject *gePythonObject_(PyObject *capsule, const char *kind) {
  PyObject *module, *type, *result;
  if (!capsule)
    return NULL;
  module = PyImport_ImportModule(GE_PYTHON_PACKAGE ".ir");
  type = module ? PyObject_GetAttrString(module, kind) : NULL;
  result = type ? PyObject_CallMethod(type, "_from_capi", "O", capsule) : NULL;
  Py_XDECREF(type);
  Py_XDECREF(module);
  Py_DECREF(capsule);
  return result;
}

/* RETAIN, RELEASE and ALIVE are expressions of `handle`; ALIVE is 0, or -1 with an exception. */
#define GE_PYTHON_KIND_(KIND, HANDLE, RETAIN, RELEASE, ALIVE)                                      \
  static inline void gePython##KIND##Destroy_(PyObject *capsule) {                                 \
    GePythonCapsule *content = (GePythonCapsule *)PyCapsule_GetPointer(capsule, "ge." #KIND "/1"); \
    HANDLE handle = (HANDLE)content->object;                                                       \
    RELEASE;                                                                                       \
    free(content);                                                                                 \
  }                                                                                                \
  static inline PyObject *gePython##KIND##ToCapsule(HANDLE handle) {                               \
    PyObject *capsule;                                                                             \
    if (!handle) {                                                                                 \
      PyErr_SetString(PyExc_TypeError, "the handle of a " #KIND " is NULL");                       \
      return NULL;                                                                                 \
    }                                                                                              \
    if (ALIVE < 0)                                                                                 \
      return NULL;                                                                                 \
    RETAIN;                                                                                        \
    capsule = gePythonWrap_("ge." #KIND "/1", (void *)handle, gePython##KIND##Destroy_);           \
    if (!capsule)                                                                                  \
      RELEASE;                                                                                     \
    return capsule;                                                                                \
  }                                                                                                \
  static inline int gePython##KIND##From(PyObject *object, HANDLE *out) {                          \
    PyObject *capsule = gePythonCapsuleOf_(object, #KIND);                                         \
    GePythonCapsule *content = capsule ? gePythonOpen_(capsule, "ge." #KIND "/1", #KIND) : NULL;   \
    int failed = -1;                                                                               \
    if (content) {                                                                                 \
      HANDLE handle = (HANDLE)content->object;                                                     \
      if (ALIVE == 0) {                                                                            \
        RETAIN;                                                                                    \
        *out = handle;                                                                             \
        failed = 0;                                                                                \
      }                                                                                            \
    }                                                                                              \
    Py_XDECREF(capsule);                                                                           \
    return failed;                                                                                 \
  }                                                                                                \
  static inline PyObject *gePython##KIND##To(HANDLE handle) {                                      \
    return gePythonObject_(gePython##KIND##ToCapsule(handle), #KIND);                              \
  }

GE_PYTHON_KIND_(Context, GeContext *, geContextRetain(handle), geContextRelease(handle), 0)
GE_PYTHON_KIND_(Module, GeModule *, geModuleRetain(handle), geModuleRelease(handle), 0)
GE_PYTHON_KIND_(Graph, GeGraphRef *, geGraphRetain(handle), geGraphRelease(handle),
                gePythonCheckAlive_(handle))
GE_PYTHON_KIND_(Node, GeNodeRef *, geNodeRetain(handle), geNodeRelease(handle),
                gePythonCheckAlive_(handle))
GE_PYTHON_KIND_(Value, GeValueRef *, geValueRetain(handle), geValueRelease(handle),
                gePythonCheckAlive_(handle))
GE_PYTHON_KIND_(Type, GeType, geContextRetain(geTypeGetContext(handle)),
                geContextRelease(geTypeGetContext(handle)), 0)
GE_PYTHON_KIND_(Tensor, GeTensor *, geTensorRetain(handle), geTensorRelease(handle), 0)

#undef GE_PYTHON_KIND_

#ifdef __cplusplus
}
#endif

#endif /* GE_PYTHON_INTEROP_H */
