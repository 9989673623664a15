//===- Pass.cpp - one step of a pipeline ------------------------------------------------------===//
#include "ge/Passes/Pass.h"

#include "ge/IR/Module.h"

namespace ge {

void PassContext::count(std::string_view statistic, uint64_t n) {
  auto at = statistics_.find(statistic);
  if (at == statistics_.end())
    at = statistics_.emplace(std::string(statistic), 0).first;
  at->second += n;
}

void Pass::run(Module &module, PassContext &context) {
  for (size_t i = 0; i < module.numGraphs(); ++i)
    run(*module.graph(i), context);
}

} // namespace ge
