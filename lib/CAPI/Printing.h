//===- Printing.h - how text is printed, between the core and C -------------------------------===//
#ifndef GE_LIB_CAPI_PRINTING_H
#define GE_LIB_CAPI_PRINTING_H

#include "ge-c/Text.h"
#include "ge/Text/Text.h"

namespace ge::capi {

/// NULL: the defaults.
PrintOptions printOptionsOf(const GePrintOptions *options);

} // namespace ge::capi

#endif // GE_LIB_CAPI_PRINTING_H
