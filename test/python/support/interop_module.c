/* An extension module of another project: CPython's stable ABI and ge-python/interop.h, no
 * nanobind.
 */
#define PY_SSIZE_T_CLEAN
#include "ge-python/interop.h"

static PyObject *fail(void) {
  GeStringRef text = geErrorMessage();
  PyObject *message = PyUnicode_FromStringAndSize(text.data, (Py_ssize_t)text.length);
  if (message)
    PyErr_SetObject(PyExc_RuntimeError, message);
  Py_XDECREF(message);
  return NULL;
}

static PyObject *opOf(PyObject *self, PyObject *object) {
  GeNodeRef *node;
  GeIdentifier op;
  GeStringRef text;
  GeStatus status;
  (void)self;
  if (gePythonNodeFrom(object, &node) < 0)
    return NULL;
  status = geNodeGetOp(node, &op);
  geNodeRelease(node);
  if (status)
    return fail();
  text = geIdentifierStr(op);
  return PyUnicode_FromStringAndSize(text.data, (Py_ssize_t)text.length);
}

static PyObject *eraseNode(PyObject *self, PyObject *object) {
  GeNodeRef *node;
  GeStatus status;
  (void)self;
  if (gePythonNodeFrom(object, &node) < 0)
    return NULL;
  status = geNodeErase(node, true);
  geNodeRelease(node);
  if (status)
    return fail();
  Py_RETURN_NONE;
}

static GeNodeRef *kept;

/* Keeps a reference beyond the call. */
static PyObject *keepNode(PyObject *self, PyObject *object) {
  (void)self;
  geNodeRelease(kept);
  kept = NULL;
  if (object != Py_None && gePythonNodeFrom(object, &kept) < 0)
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *keptNode(PyObject *self, PyObject *none) {
  (void)self, (void)none;
  return gePythonNodeTo(kept);
}

static PyObject *keptIsAlive(PyObject *self, PyObject *none) {
  (void)self, (void)none;
  return PyBool_FromLong(geRefIsAlive(kept));
}

/* Converts an object of each kind to a C handle and back. */
#define THROUGH(KIND, HANDLE, RELEASE)                                                             \
  static PyObject *through##KIND(PyObject *self, PyObject *object) {                               \
    HANDLE handle;                                                                                 \
    PyObject *result;                                                                              \
    (void)self;                                                                                    \
    if (gePython##KIND##From(object, &handle) < 0)                                                 \
      return NULL;                                                                                 \
    result = gePython##KIND##To(handle);                                                           \
    RELEASE;                                                                                       \
    return result;                                                                                 \
  }
THROUGH(Context, GeContext *, geContextRelease(handle))
THROUGH(Module, GeModule *, geModuleRelease(handle))
THROUGH(Graph, GeGraphRef *, geGraphRelease(handle))
THROUGH(Node, GeNodeRef *, geNodeRelease(handle))
THROUGH(Value, GeValueRef *, geValueRelease(handle))
THROUGH(Type, GeType, geContextRelease(geTypeGetContext(handle)))
THROUGH(Tensor, GeTensor *, geTensorRelease(handle))

/* A capsule like that of another copy of the library, or of another version of the C API. */
static void freeForged(PyObject *capsule) { free(PyCapsule_GetPointer(capsule, "ge.Node/1")); }

static PyObject *forge(PyObject *self, PyObject *version) {
  GePythonCapsule *content = (GePythonCapsule *)calloc(1, sizeof(GePythonCapsule));
  (void)self;
  content->size = sizeof(GePythonCapsule);
  content->abiVersion = (int)PyLong_AsLong(version);
  content->coreInstance = &kept;
  content->package = "acme.ge";
  content->library = "/opt/acme/libAcmeGE.so";
  return PyCapsule_New(content, "ge.Node/1", freeForged);
}

static PyMethodDef methods[] = {{"op_of", opOf, METH_O, NULL},
                                {"erase", eraseNode, METH_O, NULL},
                                {"keep", keepNode, METH_O, NULL},
                                {"kept", keptNode, METH_NOARGS, NULL},
                                {"kept_is_alive", keptIsAlive, METH_NOARGS, NULL},
                                {"through_context", throughContext, METH_O, NULL},
                                {"through_module", throughModule, METH_O, NULL},
                                {"through_graph", throughGraph, METH_O, NULL},
                                {"through_node", throughNode, METH_O, NULL},
                                {"through_value", throughValue, METH_O, NULL},
                                {"through_type", throughType, METH_O, NULL},
                                {"through_tensor", throughTensor, METH_O, NULL},
                                {"forge", forge, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "interop_module", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_interop_module(void) { return PyModule_Create(&definition); }
