//===- Passes.cpp - the registry of passes ----------------------------------------------------===//
#include "Populate.h"

namespace ge::python {

void populatePasses([[maybe_unused]] nanobind::module_ &m) {}

} // namespace ge::python
