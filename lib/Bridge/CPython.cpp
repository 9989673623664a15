//===- CPython.cpp --------------------------------------------------------------------------------===//
#include "CPython.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <type_traits>

namespace gebridge {

bool resolve(void *library, CPython &out, std::string &missing) {
  auto take = [&](auto &function, const char *name, bool isNeeded = true) {
    void *symbol = dlsym(library, name);
    if (!symbol && isNeeded && missing.empty())
      missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
#define TAKE(name) take(out.name, #name)
#define TRY(name) take(out.name, #name, false)
  TAKE(Py_IsInitialized);
  TAKE(Py_GetVersion);
  TAKE(Py_FinalizeEx);
  TAKE(Py_AtExit);
  TAKE(PyEval_SaveThread);
  TAKE(PyEval_RestoreThread);
  TAKE(PyGILState_Ensure);
  TAKE(PyGILState_Release);
  TAKE(Py_DecRef);
  TAKE(PyErr_Clear);
  TAKE(PyErr_CheckSignals);
  TAKE(PyImport_ImportModule);
  TAKE(PyDict_New);
  TAKE(PyDict_SetItemString);
  TAKE(PyDict_GetItemString);
  TAKE(Py_CompileString);
  TAKE(PyEval_EvalCode);
  TAKE(PyObject_CallFunction);
  TAKE(PyObject_CallMethod);
  TAKE(PyList_Size);
  TAKE(PyList_GetItem);
  TAKE(PyUnicode_AsUTF8AndSize);
  TAKE(Py_DecodeLocale);
  TAKE(Py_InitializeEx);
  TRY(Py_SetProgramName);
  TRY(PyInitConfig_Create);
  TRY(PyInitConfig_Free);
  TRY(PyInitConfig_SetStr);
  TRY(PyInitConfig_SetInt);
  TRY(PyInitConfig_GetError);
  TRY(Py_InitializeFromInitConfig);
#undef TAKE
#undef TRY
  return missing.empty();
}

namespace {
struct Search {
  std::string path;
  bool isFound = false;
};
} // namespace

void *findMapped() {
  // The program itself, its dependencies, and libraries opened with RTLD_GLOBAL.
  if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
    return dlopen(nullptr, RTLD_NOW);
  // A libpython that another library opened with RTLD_LOCAL: extension modules would not find its
  // symbols.
  Search search;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        const char *base = info->dlpi_name ? std::strrchr(info->dlpi_name, '/') : nullptr;
        if (!base || std::strncmp(base, "/libpython", 10) != 0)
          return 0;
        static_cast<Search *>(data)->path = info->dlpi_name;
        static_cast<Search *>(data)->isFound = true;
        return 1;
      },
      &search);
  if (!search.isFound)
    return nullptr;
  void *library = dlopen(search.path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  return library && dlsym(library, "Py_IsInitialized") ? library : nullptr;
}

std::string minorOf(const char *version) {
  std::string text = version;
  size_t dot = text.find('.');
  return dot == std::string::npos ? text
                                  : text.substr(0, text.find_first_not_of("0123456789", dot + 1));
}

} // namespace gebridge
