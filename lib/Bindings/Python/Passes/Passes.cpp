//===- Passes.cpp - the pass manager ----------------------------------------------------------===//
#include "Populate.h"

namespace ge::python {

void populatePasses(nanobind::module_ &m) {
  populatePassRun(m);
  populatePipeline(m);
  populateTrust(m);
}

} // namespace ge::python
