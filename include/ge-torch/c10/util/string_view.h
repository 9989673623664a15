//===- c10/util/string_view.h - std::string_view under torch's name ----------------------------===//
#ifndef GE_TORCH_C10_UTIL_STRING_VIEW_H
#define GE_TORCH_C10_UTIL_STRING_VIEW_H

#include <c10/macros/Macros.h>

#include <string_view>

GE_TORCH_OPEN(c10)
using string_view = std::string_view;
GE_TORCH_CLOSE

#endif // GE_TORCH_C10_UTIL_STRING_VIEW_H
