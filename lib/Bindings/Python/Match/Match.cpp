//===- Match.cpp - patterns and matches -------------------------------------------------------===//
#include "../Passes/Populate.h"

namespace ge::python {

void populateMatcher([[maybe_unused]] nanobind::module_ &m) {}

} // namespace ge::python
