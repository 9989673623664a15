//===- torch/headeronly/util/HeaderOnlyArrayRef.h - a view of elements in a row ----------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_UTIL_HEADERONLYARRAYREF_H
#define GE_TORCH_TORCH_HEADERONLY_UTIL_HEADERONLYARRAYREF_H

#include <c10/util/ArrayRef.h>

namespace torch::headeronly {
template <typename T> using HeaderOnlyArrayRef = c10::ArrayRef<T>;
using IntHeaderOnlyArrayRef = c10::IntArrayRef;
} // namespace torch::headeronly

#endif // GE_TORCH_TORCH_HEADERONLY_UTIL_HEADERONLYARRAYREF_H
