//===- Definitions.h - graphs against the definitions of their operators ----------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_DEFINITIONS_H
#define GE_BINDINGS_PYTHON_IR_DEFINITIONS_H

#include "Objects.h"

namespace ge::python {

/// Graph.infer_types and Graph.verify.
void bindDefinitions(nb::module_ &m, nb::class_<GraphObject> &graph);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_DEFINITIONS_H
