//===- PopulatePasses.h - what the module is made of ------------------------------------------------===//
//
// A vendor's module calls the ones it wants, in this order, after importIR().
//
#ifndef GE_BINDINGS_PYTHON_PASSES_POPULATEPASSES_H
#define GE_BINDINGS_PYTHON_PASSES_POPULATEPASSES_H

#include <nanobind/nanobind.h>

namespace ge::python {

void populateMatcher(nanobind::module_ &m);
void populatePasses(nanobind::module_ &m); ///< the five below
void populatePassRun(nanobind::module_ &m);
void populateManager(nanobind::module_ &m);
void populatePipeline(nanobind::module_ &m);
void populateTrust(nanobind::module_ &m);
void populatePlugins(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_PASSES_POPULATEPASSES_H
