//===- RunOptions.cpp - options of a run, which every pass gets -------------------------------===//
#include "ge/Passes/Manager/RunOptions.h"

#include <utility>

namespace ge {

static thread_local constinit const RunOptions *current = nullptr;

RunOptionsScope::RunOptionsScope(const RunOptions &options)
    : outer_(std::exchange(current, &options)) {}
RunOptionsScope::~RunOptionsScope() { current = outer_; }

const RunOptions &RunOptionsScope::ofThread() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &none = *new RunOptions;
  return current ? *current : none;
}

} // namespace ge
