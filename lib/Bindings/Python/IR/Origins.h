//===- Origins.h - where nodes come from -------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_ORIGINS_H
#define GE_BINDINGS_PYTHON_IR_ORIGINS_H

#include "Objects.h"

namespace ge::python {

/// For PyGetSetDef.
PyObject *originsOf(PyObject *node, void *);
/// Node.add_origin.
void addOrigin(nanobind::handle_t<NodeObject> self, nanobind::str node, nanobind::handle op,
               nanobind::handle pass, nanobind::handle rule, nanobind::handle location);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_ORIGINS_H
