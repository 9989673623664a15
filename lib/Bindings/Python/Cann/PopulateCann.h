//===- PopulateCann.h - CANN's vocabulary for a module ----------------------------------------===//

#ifndef GE_BINDINGS_PYTHON_CANN_POPULATECANN_H
#define GE_BINDINGS_PYTHON_CANN_POPULATECANN_H

#include <nanobind/nanobind.h>

namespace ge::python {

/// Adds the vocabulary to Graph, Node and Tensor; after the classes are populated.
void populateCann(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_CANN_POPULATECANN_H
