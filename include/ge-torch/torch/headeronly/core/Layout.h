//===- torch/headeronly/core/Layout.h - how elements lie in memory -----------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_CORE_LAYOUT_H
#define GE_TORCH_TORCH_HEADERONLY_CORE_LAYOUT_H

#include <c10/core/Layout.h>

namespace torch::headeronly {
using c10::kStrided;
using c10::Layout;
using c10::MemoryFormat;
} // namespace torch::headeronly

#endif // GE_TORCH_TORCH_HEADERONLY_CORE_LAYOUT_H
