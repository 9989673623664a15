//===- Access.cpp - one writer or any number of readers of a root graph
//-----------------------------===//

#include "ge/IR/Root.h"

#include <mutex>
#include <thread>

namespace ge {

namespace {

/// Small numbers, because people read them: 1 is the first thread that ever asked.
uint64_t threadNumber() {
  static std::atomic<uint64_t> next{1};
  thread_local uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

} // namespace

void AccessWord::throwBusy(const Root &root) const {
  std::string graph = root.graph() ? std::string(root.graph()->name()) : std::string("?");
  if (state_.load(std::memory_order_acquire) != kWriter)
    throwError(
        ErrorKind::Busy, "graph '", graph,
        "' is being read by other work and cannot be changed now; change it before or after");
  std::string work;
  {
    std::lock_guard<std::mutex> guard(workLock_);
    work = work_;
  }
  throwError(ErrorKind::Busy, "graph '", graph, "' is being written by ",
             work.empty() ? "other work" : work, " in thread ", writer_.load(),
             "; use it before or after");
}

bool AccessWord::heldByThisThread() const {
  return state_.load(std::memory_order_acquire) == kWriter &&
         writer_.load(std::memory_order_relaxed) == threadNumber();
}

void AccessWord::acquireRead(const Root &root) {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (true) {
    if (state == kWriter) {
      if (!heldByThisThread())
        throwBusy(root);
      nested_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire))
      return;
  }
}

void AccessWord::releaseRead() {
  if (state_.load(std::memory_order_relaxed) == kWriter) { // the writer's own nested reading
    nested_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  state_.fetch_sub(1, std::memory_order_release);
}

void AccessWord::acquireWrite(const Root &root, std::string_view work) {
  uint32_t free = 0;
  if (!state_.compare_exchange_strong(free, kWriter, std::memory_order_acquire)) {
    if (!heldByThisThread())
      throwBusy(root);
    nested_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  writer_.store(threadNumber(), std::memory_order_relaxed);
  std::lock_guard<std::mutex> guard(workLock_);
  work_.assign(work);
}

void AccessWord::releaseWrite() {
  if (nested_.load(std::memory_order_relaxed) != 0) {
    nested_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  writer_.store(0, std::memory_order_relaxed);
  state_.store(0, std::memory_order_release);
}

void AccessWord::checkSlow(const Root &root, bool write) const {
  uint32_t state = state_.load(std::memory_order_acquire);
  if (state == 0 || (!write && state != kWriter) || heldByThisThread())
    return;
  throwBusy(root);
}

ReadAccess::ReadAccess(Root &root, bool force) : root_(nullptr) {
  if (!force && root.context().isSerialized()) {
    root.access().checkRead(root);
    return;
  }
  root.access().acquireRead(root);
  root_ = &root;
}
ReadAccess::~ReadAccess() {
  if (root_)
    root_->access().releaseRead();
}

WriteAccess::WriteAccess(Root &root, std::string_view work, bool force) : root_(nullptr) {
  if (!force && root.context().isSerialized()) {
    root.access().checkWrite(root);
  } else {
    root.access().acquireWrite(root, work);
    root_ = &root;
  }
  if (root.table_.hasReleased())
    root.table_.drain(root);
}
WriteAccess::~WriteAccess() {
  if (root_)
    root_->access().releaseWrite();
}

} // namespace ge
