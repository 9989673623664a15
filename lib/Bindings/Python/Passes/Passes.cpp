//===- Passes.cpp - the pass manager ----------------------------------------------------------===//
#include "PopulatePasses.h"

namespace ge::python {

void populatePasses(nanobind::module_ &m) {
  populatePassRun(m);
  populateManager(m);
  populatePipeline(m);
  populateTrust(m);
  populatePlugins(m);
}

} // namespace ge::python
