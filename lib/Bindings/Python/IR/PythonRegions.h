//===- PythonRegions.h - regions of native graphs, run by Python packages -----------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_PYTHONREGIONS_H
#define GE_BINDINGS_PYTHON_IR_PYTHONREGIONS_H

#include <nanobind/nanobind.h>

namespace ge::python {

/// Installs the package's own region runner. Called by populateForeign().
void populateRegionRunner(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_PYTHONREGIONS_H
