//===- KernelObject.h - kernels that are Python objects --------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_KERNELOBJECT_H
#define GE_BINDINGS_PYTHON_OPS_KERNELOBJECT_H

#include "Records.h"

#include "ge-c/Kernels.h"

namespace ge::python {

/// The part of ge.ops that is written in Python.
inline nb::module_ kernelsModule() { return importModule(GE_PYTHON_PACKAGE ".ops._kernels"); }
inline nb::module_ objectsModule() { return importModule(GE_PYTHON_PACKAGE ".ops._objects"); }

/// Registers a Python object as a kernel, which the registry holds.
void implementInPython(GeLibrary *library, nb::str op, nb::str backend, nb::handle kernel,
                       uint32_t flags, bool overrides, nb::str file, uint32_t line);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_KERNELOBJECT_H
