//===- Populate.h - one-time initialisation ----------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_INIT_POPULATE_H
#define GE_BINDINGS_PYTHON_INIT_POPULATE_H

#include <nanobind/nanobind.h>

namespace ge::python {

void populateInit(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_INIT_POPULATE_H
