//===- RewriteObserver.cpp - the rewrites of a run --------------------------------------------===//
#include "ge/Passes/RewriteObserver.h"

namespace ge {

static thread_local constinit RewriteObserver *current = nullptr;

RewriteObserver::RewriteObserver(int64_t limit, Hook hook)
    : limit_(limit), hook_(std::move(hook)), outer_(current) {
  current = this;
}
RewriteObserver::~RewriteObserver() { current = outer_; }

RewriteObserver *RewriteObserver::ofThread() { return current; }

} // namespace ge
