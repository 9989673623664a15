//===- RunOptions.cpp - options of a run, which every pass gets -------------------------------===//
#include "ge/Passes/Manager/RunOptions.h"

#include <utility>

namespace ge {

static thread_local constinit const RunOptions *currentOptions = nullptr;

RunOptionsScope::RunOptionsScope(const RunOptions &options)
    : outer_(std::exchange(currentOptions, &options)) {}
RunOptionsScope::~RunOptionsScope() { currentOptions = outer_; }

const RunOptions &RunOptionsScope::ofThread() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &none = *new RunOptions;
  return currentOptions ? *currentOptions : none;
}

} // namespace ge
