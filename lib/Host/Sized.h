//===- Sized.h - structs of the C API that begin with their size ------------------------------===//
#ifndef GE_LIB_HOST_SIZED_H
#define GE_LIB_HOST_SIZED_H

#include "ge-c/Support.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ge::host {

/// Copies what the caller was compiled with; the rest of `own` stays. False: the size is not set.
template <typename T> bool readSized(const T *given, T &own) {
  if (given->size < sizeof given->size || given->size > size_t(1) << 16)
    return false;
  std::memcpy(static_cast<void *>(&own), given, std::min(given->size, sizeof own));
  own.size = sizeof own;
  return true;
}

/// The message for it; `type` is the name of the struct.
inline std::string sizeMessage(const char *type) {
  return std::string("the size of a ") + type + " is not set; set it to sizeof(" + type + ")";
}

} // namespace ge::host

#endif // GE_LIB_HOST_SIZED_H
