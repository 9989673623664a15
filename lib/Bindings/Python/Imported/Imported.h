//===- Imported.h - the functions of _ge.ir in the other modules ------------------------------===//
//
// The headers of IR/ declare these functions; _ge.ops and _ge.passes define them by the functions
// that _ge.ir exports (Shared.h).
//
#ifndef GE_BINDINGS_PYTHON_IMPORTED_IMPORTED_H
#define GE_BINDINGS_PYTHON_IMPORTED_IMPORTED_H

#include "../IR/Shared.h"

namespace ge::python {

/// Must be called before anything else of this module is used.
void importIR();
const Shared &lent();

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IMPORTED_IMPORTED_H
