//===- IRModule.cpp - the module _ge.ir --------------------------------------------------------===//
#include "IR/Gil.h"
#include "IR/InterpreterEnd.h"
#include "IR/Objects.h"
#include "IR/PopulateIR.h"
#include "MainInterpreter.h"
#if __has_include("Cann/PopulateCann.h")
#include "Cann/PopulateCann.h"
#endif

#include <cstdlib>

NB_MODULE(ir, m) {
  using namespace ge::python;
  requireMainInterpreter();
  observeInterpreterEnd();
  guardThread();
  // Users cannot act on leak reports of daemon threads' references: only our tests enable them.
  nb::set_leak_warnings(std::getenv("GE_LEAK_WARNINGS") != nullptr);
  m.doc() = "Native part of ge.ir.";
  // The loader compares the version that this was built for with that of the library.
  m.attr("__abi__") = nb::make_tuple(GE_C_ABI_VERSION, geAbiVersion());
  // Classes take their home from the module they are defined in: the public one.
  nb::object name = m.attr("__name__");
  m.attr("__name__") = GE_PYTHON_PUBLIC_MODULE;
  // The loader calls it before another module is initialised on a thread.
  m.def("_guard_thread", [] { guardThread(); });
  populateErrors(m);
  populateDTypes(m);
  populateScope(m);
  populateContext(m);
  populateDiagnostics(m);
  populateLocations(m);
  populateTensorShape(m);
  populateTypes(m);
  populateTensor(m);
  populateAttributeMap(m);
  populateAttributeBuilders(m);
  populateSequences(m);
  populateNodeList(m);
  populateValue(m);
  populateOrigins(m);
  populateNode(m);
  populateTransaction(m);
  populateGraph(m);
  populateModule(m);
  populateInsertionPoint(m);
  populateOnnx(m);
  populateForeign(m);
  populateCapsules(m);
  initClasses();
  populateShared(m);
  populateMembers(m);
  populateInterrupts();
#if __has_include("Cann/PopulateCann.h")
  populateCann(m);
#endif
  m.attr("__name__") = name;
}
