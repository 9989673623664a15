//===- RunMemory.cpp - what the passes of one run remember in common --------------------------===//
#include "ge/Passes/Manager/RunMemory.h"

#include <utility>

namespace ge {

static thread_local constinit RunMemory *memoryOfThread = nullptr;

RunMemory::RunMemory() : outer_(std::exchange(memoryOfThread, this)) {}
RunMemory::~RunMemory() { memoryOfThread = outer_; }
RunMemory *RunMemory::ofThread() { return memoryOfThread; }

} // namespace ge
