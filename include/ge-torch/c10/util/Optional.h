//===- c10/util/Optional.h - std::optional under torch's names ---------------------------------===//
#ifndef GE_TORCH_C10_UTIL_OPTIONAL_H
#define GE_TORCH_C10_UTIL_OPTIONAL_H

#include <c10/macros/Macros.h>

#include <optional>

GE_TORCH_OPEN(c10)
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
GE_TORCH_CLOSE

#endif // GE_TORCH_C10_UTIL_OPTIONAL_H
