//===- CPython.h - the functions of CPython that the bridge uses -----------------------------------===//
//
// Resolved at run time from the interpreter found: the bridge is one binary for CPython 3.10 and
// later, and is built without Python.
//
#ifndef GE_BRIDGE_CPYTHON_H
#define GE_BRIDGE_CPYTHON_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace gebridge {

struct PyObject;      ///< of CPython, opaque here
struct PyThreadState; ///< likewise
struct PyInitConfig;  ///< likewise
using Py_ssize_t = ptrdiff_t;

/// Filled in by resolve(). The names are CPython's.
struct CPython {
  int (*Py_IsInitialized)();
  const char *(*Py_GetVersion)();
  int (*Py_FinalizeEx)();
  int (*Py_AtExit)(void (*)());
  PyThreadState *(*PyEval_SaveThread)();
  void (*PyEval_RestoreThread)(PyThreadState *);
  int (*PyGILState_Ensure)();
  void (*PyGILState_Release)(int);
  void (*Py_DecRef)(PyObject *);
  void (*PyErr_Clear)();
  int (*PyErr_CheckSignals)();
  PyObject *(*PyImport_ImportModule)(const char *);
  PyObject *(*PyDict_New)();
  int (*PyDict_SetItemString)(PyObject *, const char *, PyObject *);
  PyObject *(*PyDict_GetItemString)(PyObject *, const char *);
  PyObject *(*Py_CompileString)(const char *, const char *, int);
  PyObject *(*PyEval_EvalCode)(PyObject *, PyObject *, PyObject *);
  PyObject *(*PyObject_CallFunction)(PyObject *, const char *, ...);
  PyObject *(*PyObject_CallMethod)(PyObject *, const char *, const char *, ...);
  Py_ssize_t (*PyList_Size)(PyObject *);
  PyObject *(*PyList_GetItem)(PyObject *, Py_ssize_t);
  const char *(*PyUnicode_AsUTF8AndSize)(PyObject *, Py_ssize_t *);

  // Needed to start an interpreter. Which of the two APIs exists depends on the version.
  wchar_t *(*Py_DecodeLocale)(const char *, size_t *);
  void (*Py_SetProgramName)(const wchar_t *);
  void (*Py_InitializeEx)(int);
  PyInitConfig *(*PyInitConfig_Create)();
  void (*PyInitConfig_Free)(PyInitConfig *);
  int (*PyInitConfig_SetStr)(PyInitConfig *, const char *, const char *);
  int (*PyInitConfig_SetInt)(PyInitConfig *, const char *, int64_t);
  int (*PyInitConfig_GetError)(PyInitConfig *, const char **);
  int (*Py_InitializeFromInitConfig)(PyInitConfig *);
};

/// Resolves the functions from a handle of dlopen. Returns false, and the name of the missing
/// symbol, unless the library is CPython 3.10 or later.
bool resolve(void *library, CPython &out, std::string &missing);

/// Returns a handle of the CPython that is mapped into this process and makes its symbols global;
/// null if there is none.
void *findMapped();

/// "3.11" of Py_GetVersion's text.
std::string minorOf(const char *version);

} // namespace gebridge

#endif // GE_BRIDGE_CPYTHON_H
