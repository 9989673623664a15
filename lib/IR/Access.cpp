//===- Access.cpp - one writer or any number of readers of a root graph -----------------------===//

#include "ge/IR/Root.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace ge {

namespace {

/// Small numbers for readable messages: 1 is the first thread that called this.
uint64_t threadNumber() {
  static std::atomic<uint64_t> next{1};
  thread_local uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

} // namespace

std::string AccessWord::setSubject(std::string subject, bool mayReturn) {
  std::lock_guard<std::mutex> guard(textLock_);
  if (mayReturn)
    former_.push_back(subject_);
  return std::exchange(subject_, std::move(subject));
}

std::vector<std::string> AccessWord::forgetFormer() {
  std::lock_guard<std::mutex> guard(textLock_);
  return std::exchange(former_, {});
}

std::vector<std::string> AccessWord::subjects() const {
  std::lock_guard<std::mutex> guard(textLock_);
  std::vector<std::string> all = former_;
  all.push_back(subject_);
  return all;
}

bool AccessWord::subjectIsOrMayBe(std::string_view subject) const {
  std::lock_guard<std::mutex> guard(textLock_);
  return subject_ == subject || std::find(former_.begin(), former_.end(), subject) != former_.end();
}

bool AccessWord::subjectIs(std::string_view subject) const {
  std::lock_guard<std::mutex> guard(textLock_);
  return subject_ == subject;
}

void AccessWord::throwBusy() const {
  std::lock_guard<std::mutex> guard(textLock_);
  if (state_.load(std::memory_order_acquire) != kWriter)
    throwError(ErrorKind::Busy, subject_,
               " is being read by other work and cannot be changed now; change it before or after");
  throwError(ErrorKind::Busy, subject_, " is being written by ",
             work_.empty() ? std::string_view("other work") : std::string_view(work_),
             " in thread ", writer_.load(), "; use it before or after");
}

bool AccessWord::heldByThisThread() const {
  return state_.load(std::memory_order_acquire) == kWriter &&
         writer_.load(std::memory_order_relaxed) == threadNumber() && !Interrupt::isChecking();
}

bool AccessWord::tryAcquireRead() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (true) {
    if (state == kWriter) {
      if (!heldByThisThread())
        return false;
      nested_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire))
      return true;
  }
}

void AccessWord::releaseRead() {
  if (state_.load(std::memory_order_relaxed) == kWriter)
    releaseWrite(); // the writer's own nested reading, in whatever order it ends
  else
    state_.fetch_sub(1, std::memory_order_release);
}

bool AccessWord::tryAcquireWrite(std::string_view work) {
  uint32_t free = 0;
  if (!state_.compare_exchange_strong(free, kWriter, std::memory_order_acquire)) {
    if (!heldByThisThread())
      return false;
    nested_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  writer_.store(threadNumber(), std::memory_order_relaxed);
  std::lock_guard<std::mutex> guard(textLock_);
  work_.assign(work);
  return true;
}

void AccessWord::releaseWrite() {
  if (nested_.load(std::memory_order_relaxed) != 0) {
    nested_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  writer_.store(0, std::memory_order_relaxed);
  state_.store(0, std::memory_order_release);
}

void AccessWord::checkSlow(bool write) const {
  uint32_t state = state_.load(std::memory_order_acquire);
  if (state == 0 || (!write && state != kWriter) || heldByThisThread())
    return;
  throwBusy();
}

ReadAccess::ReadAccess(Root &root, bool force) : root_(nullptr) {
  if (!force && root.context().isSerialized()) {
    root.access().checkRead();
    return;
  }
  root.access().acquireRead();
  root_ = &root;
}
ReadAccess::~ReadAccess() {
  if (root_)
    root_->access().releaseRead();
}

WriteAccess::WriteAccess(Root &root, std::string_view work, bool force) : root_(nullptr) {
  if (!force && root.context().isSerialized()) {
    root.access().checkWrite();
  } else {
    root.access().acquireWrite(work);
    root_ = &root;
  }
  root.drainReleased();
}
WriteAccess::~WriteAccess() {
  if (root_)
    root_->access().releaseWrite();
}

} // namespace ge
