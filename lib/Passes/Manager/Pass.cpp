//===- Pass.cpp - one step of a pipeline ------------------------------------------------------===//
#include "ge/Passes/Manager/Pass.h"

#include "ge/IR/Module.h"

#include <algorithm>
#include <utility>

namespace ge {

static thread_local constinit PassContext *current = nullptr;

PassContext::PassContext(std::string passName)
    : outer_(std::exchange(current, this)), passName_(std::move(passName)) {}
PassContext::~PassContext() { current = outer_; }
PassContext *PassContext::ofThread() { return current; }

void PassContext::remark(Diagnostic diagnostic) {
  if (limit_.admits())
    remarks_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> PassContext::takeRemarks() {
  limit_.conclude(remarks_, Severity::Warning, "remarks");
  return std::move(remarks_);
}

void PassContext::remarkOnce(std::string message) {
  if (std::ranges::any_of(remarks_, [&](const Diagnostic &r) { return r.message == message; }))
    return;
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Warning;
  diagnostic.message = std::move(message);
  remark(std::move(diagnostic));
}

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
