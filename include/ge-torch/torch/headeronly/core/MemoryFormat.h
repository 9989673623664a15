//===- torch/headeronly/core/MemoryFormat.h - how elements lie in memory -----------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_CORE_MEMORYFORMAT_H
#define GE_TORCH_TORCH_HEADERONLY_CORE_MEMORYFORMAT_H

#include <torch/headeronly/core/Layout.h>

#endif // GE_TORCH_TORCH_HEADERONLY_CORE_MEMORYFORMAT_H
