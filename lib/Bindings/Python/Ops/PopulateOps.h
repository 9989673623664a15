//===- PopulateOps.h - what the module is made of ------------------------------------------------===//
//
// A vendor's module calls the ones it wants, in this order, after importIR().
//
#ifndef GE_BINDINGS_PYTHON_OPS_POPULATEOPS_H
#define GE_BINDINGS_PYTHON_OPS_POPULATEOPS_H

#include <nanobind/nanobind.h>

namespace ge::python {

void populateSchemaTypes(nanobind::module_ &m);
void populateRecords(nanobind::module_ &m);
void populateRegistry(nanobind::module_ &m);
void populateLibrary(nanobind::module_ &m);
void populateFunction(nanobind::module_ &m);
void populateBuilders(nanobind::module_ &m);
void populateKernels(nanobind::module_ &m);
void populateKernelValues(nanobind::module_ &m);
void populateObjectType(nanobind::module_ &m);
void populateOperator(nanobind::module_ &m);
void populateKernelCall(nanobind::module_ &m);
void populateEager(nanobind::module_ &m);
void populatePrograms(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_POPULATEOPS_H
