//===- PassesModule.cpp - the module _ge.passes -----------------------------------------------===//
#include "IR/Gil.h"
#include "Imported/Imported.h"
#include "MainInterpreter.h"
#include "Passes/PopulatePasses.h"

NB_MODULE(passes, m) {
  using namespace ge::python;
  requireMainInterpreter();
  nb::set_leak_warnings(false); // _ge.ir reports leaks for the whole domain if enabled
  m.doc() = "Native part of ge.passes.";
  m.attr("__abi__") = nb::make_tuple(GE_C_ABI_VERSION, geAbiVersion());
  importIR();
  guardThread();
  nb::object name = m.attr("__name__");
  m.attr("__name__") = GE_PYTHON_PUBLIC_MODULE;
  populateMatcher(m);
  populatePasses(m);
  m.attr("__name__") = name;
}
