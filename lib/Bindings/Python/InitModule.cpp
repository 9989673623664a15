//===- InitModule.cpp - _ge._init: what happens once before any other module of the package
//------===//
//
// The loader imports this module first and calls initialize(). It only registers what the package
// ships; a failure is the importer's exception. Today the core needs no registration: contexts know
// the built-in operators by themselves.
//
//===----------------------------------------------------------------------------------------------===//

#include "ge-c/Support.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_init, m) {
  m.doc() = "One-time initialisation of the native modules; called by the loader.";
  // Every module has this pair, which the loader compares: what it was compiled against, what it
  // got.
  m.attr("__abi__") = nb::make_tuple(GE_C_ABI_VERSION, geAbiVersion());
  m.def("initialize", [] {}, "Register what this package ships; idempotent.");
}
