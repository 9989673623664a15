//===- OpCalls.h - tensors that a caller gives to operators ------------------------------------===//
#ifndef GE_LIB_CAPI_OPCALLS_H
#define GE_LIB_CAPI_OPCALLS_H

#include "Guard.h"

#include <vector>

namespace ge::capi {

/// Tensors of a caller, which must be of the context; null where one is.
std::vector<const Tensor *> tensorsIn(Context &context, GeTensor *const *tensors, size_t count,
                                      const char *what);

} // namespace ge::capi

#endif // GE_LIB_CAPI_OPCALLS_H
