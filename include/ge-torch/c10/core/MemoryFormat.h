//===- c10/core/MemoryFormat.h - how elements lie in memory ------------------------------------===//
#ifndef GE_TORCH_C10_CORE_MEMORYFORMAT_H
#define GE_TORCH_C10_CORE_MEMORYFORMAT_H

#include <c10/core/Layout.h>

#endif // GE_TORCH_C10_CORE_MEMORYFORMAT_H
