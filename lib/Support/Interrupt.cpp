//===- Interrupt.cpp --------------------------------------------------------------------------===//
#include "ge/Support/Interrupt.h"

#include "ge/Support/InterruptPause.h"

#include <atomic>
#include <ctime>
#include <utility>

namespace ge {

namespace {

std::atomic<Interrupt::Check> theCheck{nullptr};
std::atomic<void *> theData{nullptr};

struct ThreadState {
  uint32_t scopes = 0;
  bool isChecking = false;
  int64_t lastCheck = 0; ///< in nanoseconds
};
thread_local constinit ThreadState state;

constexpr int64_t kInterval = 50'000'000;

int64_t now() {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t kClock = CLOCK_MONOTONIC_COARSE; // to 4 ms, read without a system call
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC;
#endif
  timespec time{};
  clock_gettime(kClock, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace

void Interrupt::setCheck(Check check, void *data) {
  theCheck.store(nullptr, std::memory_order_release);
  theData.store(data, std::memory_order_release);
  theCheck.store(check, std::memory_order_release);
}

bool Interrupt::isChecking() { return state.isChecking; }

// The first question comes 50 ms after the start: most work is over by then.
Interrupt::Scope::Scope() {
  if (state.scopes++ == 0)
    state.lastCheck = now();
}
Interrupt::Scope::~Scope() { --state.scopes; }

InterruptPause::InterruptPause() : scopes_(std::exchange(state.scopes, 0)) {}
InterruptPause::~InterruptPause() { state.scopes = scopes_; }

void Interrupt::look() {
  if (state.scopes == 0 || state.isChecking)
    return;
  int64_t time = now();
  if (time - state.lastCheck < kInterval)
    return;
  Check check = theCheck.load(std::memory_order_acquire);
  if (!check || std::uncaught_exceptions() != 0)
    return;
  state.isChecking = true;
  bool isWanted = check(theData.load(std::memory_order_acquire));
  state.isChecking = false;
  state.lastCheck = now();
  if (isWanted)
    throw Interrupted();
}

} // namespace ge
