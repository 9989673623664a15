//===- KernelCall.h - kernels in C ------------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_KERNELCALL_H
#define GE_BINDINGS_PYTHON_OPS_KERNELCALL_H

#include "Records.h"

#include "ge-c/Kernels.h"

#include <string>

namespace ge::python {

/// A Python callable over a kernel, which it holds: it takes the parameters in schema order.
nb::object wrapNativeKernel(GeKernel kernel);

/// The kernel of such a callable, borrowed; null for other objects.
GeKernel nativeOf(nb::handle function);

/// Registers a function of a shared library as a kernel.
void implementInC(GeLibrary *library, nb::str op, nb::str backend, nb::str sharedLibrary,
                  nb::str symbol, uint32_t flags, bool overrides, nb::str file, uint32_t line);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_KERNELCALL_H
