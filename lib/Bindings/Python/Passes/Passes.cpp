//===- Passes.cpp - the pass manager ----------------------------------------------------------===//
#include "Populate.h"

namespace ge::python {

void populatePasses(nanobind::module_ &m) {
  populatePassRun(m);
  populatePipeline(m);
}

} // namespace ge::python
