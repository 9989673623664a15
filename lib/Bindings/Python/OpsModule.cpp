//===- OpsModule.cpp - the module _ge.ops -----------------------------------------------------===//
#include "IR/Gil.h"
#include "Imported/Imported.h"
#include "MainInterpreter.h"
#include "Ops/PopulateOps.h"

NB_MODULE(ops, m) {
  using namespace ge::python;
  requireMainInterpreter();
  nb::set_leak_warnings(false); // _ge.ir reports leaks for the whole domain if enabled
  m.doc() = "Native part of ge.ops.";
  m.attr("__abi__") = nb::make_tuple(GE_C_ABI_VERSION, geAbiVersion());
  importIR();
  guardThread();
  nb::object name = m.attr("__name__");
  m.attr("__name__") = GE_PYTHON_PUBLIC_MODULE;
  populateSchemaTypes(m);
  populateRecords(m);
  populateRegistry(m);
  populateLibrary(m);
  populateFunction(m);
  populateBuilders(m);
  populateKernels(m);
  populateKernelValues(m);
  populateKernelCall(m);
  populateObjectType(m);
  populateOperator(m);
  populateEager(m);
  populatePrograms(m);
  m.attr("__name__") = name;
}
