//===- PopulateInit.h - one-time initialisation ----------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_INIT_POPULATEINIT_H
#define GE_BINDINGS_PYTHON_INIT_POPULATEINIT_H

#include <nanobind/nanobind.h>

namespace ge::python {

void populateInit(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_INIT_POPULATEINIT_H
