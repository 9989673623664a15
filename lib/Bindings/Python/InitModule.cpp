//===- InitModule.cpp - the module _ge._init ---------------------------------------------------===//
//
// The loader calls initialize() once, before any other module of the package is used. A vendor that
// ships operators or passes registers them in its own Init directory.
//
#include "Init/PopulateInit.h"
#include "MainInterpreter.h"

NB_MODULE(_init, m) {
  ge::python::requireMainInterpreter();
  m.doc() = "One-time initialisation of the native part.";
  ge::python::populateInit(m);
}
