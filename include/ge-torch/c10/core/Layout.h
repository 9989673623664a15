//===- c10/core/Layout.h - how elements lie in memory ------------------------------------------===//
#ifndef GE_TORCH_C10_CORE_LAYOUT_H
#define GE_TORCH_C10_CORE_LAYOUT_H

#include <c10/macros/Macros.h>

GE_TORCH_OPEN(c10)

enum class Layout : int8_t { Strided = 0 };
constexpr Layout kStrided = Layout::Strided;
enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1 };

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_LAYOUT_H
