//===- TvmFfi.h - operators as functions of tvm-ffi --------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_TVMFFI_H
#define GE_BINDINGS_PYTHON_OPS_TVMFFI_H

#include <nanobind/nanobind.h>

namespace ge::python {

/// A part of populateKernelCall().
void populateTvmFfi(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_TVMFFI_H
