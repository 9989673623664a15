//===- Pass.cpp - one step of a pipeline ------------------------------------------------------===//
#include "ge/Passes/Manager/Pass.h"

#include "ge/IR/Module.h"

namespace ge {

void PassContext::count(std::string_view statistic, uint64_t n) {
  auto at = statistics_.find(statistic);
  if (at == statistics_.end())
    at = statistics_.emplace(std::string(statistic), 0).first;
  at->second += n;
}

void PassContext::trace(std::string_view name, std::string_view text) {
  traced_.insert_or_assign(std::string(name), std::string(text));
}

void Pass::run(Module &module, PassContext &context) {
  for (size_t i = 0; i < module.numGraphs(); ++i)
    run(*module.graph(i), context);
}

} // namespace ge
