//===- MainInterpreter.h - modules of the main interpreter only ---------------------------------===//
#ifndef GE_BINDINGS_PYTHON_MAININTERPRETER_H
#define GE_BINDINGS_PYTHON_MAININTERPRETER_H

#include <nanobind/nanobind.h>

namespace ge::python {

/// Throws ImportError in a subinterpreter. The loader (_cext_loader.py) refuses one before a module
/// is loaded; this is for imports of a private module that bypass the loader.
inline void requireMainInterpreter() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nanobind::import_error(
        "'" GE_PYTHON_PACKAGE "' works in the main interpreter of a process, and this is a "
        "subinterpreter: import it in the main interpreter, or start a process");
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_MAININTERPRETER_H
