//===- Init.cpp - what the build ships, registered once ----------------------------------------===//
#include "PopulateInit.h"

#include "ge-c/Support.h"

namespace nb = nanobind;

namespace ge::python {

void populateInit(nb::module_ &m) {
  m.attr("__abi__") = nb::make_tuple(GE_C_ABI_VERSION, geAbiVersion());
  m.attr("__built_for__") = GE_PYTHON_PACKAGE;
  m.def(
      "initialize", [] {},
      "Register what this build ships. The graph IR alone has nothing to register. Calling it "
      "again does nothing.");
  m.def("version", [] { return geVersion(); }, "Return the version of the C library.");
  m.def(
      "core_instance", [] { return reinterpret_cast<uintptr_t>(geCoreInstance()); },
      "Return an address that is different for each loaded copy of the C library.");
  m.def("library_path", [] { return geLibraryPath(); }, "Return the file of the loaded C library.");
}

} // namespace ge::python
