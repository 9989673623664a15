//===- RewriteObserver.cpp - the rewrites of a run --------------------------------------------===//
#include "ge/Passes/Manager/RewriteObserver.h"

#include <utility>

namespace ge {

static thread_local constinit RewriteObserver *currentObserver = nullptr;

RewriteObserver::RewriteObserver(int64_t limit, Hook hook)
    : limit_(limit), hook_(std::move(hook)), outer_(currentObserver) {
  currentObserver = this;
}
RewriteObserver::~RewriteObserver() { currentObserver = outer_; }

RewriteObserver *RewriteObserver::ofThread() { return currentObserver; }

void RewriteObserver::tell(const Rewrite &rewrite) {
  ++count_;
  if (hook_) {
    Pause pause;
    hook_(rewrite, count_);
  }
  if (!outer_)
    return;
  Rewrite without;
  without.rule = rewrite.rule;
  without.at = rewrite.at;
  outer_->tell(without);
}

RewriteObserver::Pause::Pause() : observer_(std::exchange(currentObserver, nullptr)) {}
RewriteObserver::Pause::~Pause() { currentObserver = observer_; }

} // namespace ge
