//===- PopulateIR.h - what the module is made of -------------------------------------------------===//
//
// A vendor's module calls the ones it wants, in this order.
//
#ifndef GE_BINDINGS_PYTHON_IR_POPULATEIR_H
#define GE_BINDINGS_PYTHON_IR_POPULATEIR_H

#include <cstdint>
#include <nanobind/nanobind.h>

namespace ge::python {

void populateErrors(nanobind::module_ &m);
void populateDTypes(nanobind::module_ &m);
void populateScope(nanobind::module_ &m);
void populateContext(nanobind::module_ &m);
void populateDiagnostics(nanobind::module_ &m);
void populateLocations(nanobind::module_ &m);
void populateTensorShape(nanobind::module_ &m);
void populateTypes(nanobind::module_ &m);
void populateTensor(nanobind::module_ &m);
void populateAttributeMap(nanobind::module_ &m);
void populateAttributeBuilders(nanobind::module_ &m);
void populateValue(nanobind::module_ &m);
void populateNode(nanobind::module_ &m);
void populateSequences(nanobind::module_ &m);
void populateNodeList(nanobind::module_ &m);
void populateGraph(nanobind::module_ &m);
void populateModule(nanobind::module_ &m);
void populateInsertionPoint(nanobind::module_ &m);
void populateTransaction(nanobind::module_ &m);
void populateOrigins(nanobind::module_ &m);
/// Inference and evaluation by Python functions; installs those of _foreign.
void populateForeign(nanobind::module_ &m);
/// The generation of inferrers, which changes when one is added or removed. Requires the GIL.
inline uint64_t inferrersVersion = 1;
void populateInterrupts(); ///< makes native loops react to signals
/// Last, after initClasses(): for other modules of the package.
void populateShared(nanobind::module_ &m);
/// `_stub_patterns`: what Members declared, as patterns for nanobind's stubgen.
void populateMembers(nanobind::module_ &m);
/// After the classes: X._capi and X._from_capi.
void populateCapsules(nanobind::module_ &m);
void populateOnnx(nanobind::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_POPULATEIR_H
