//===- Interrupt.cpp --------------------------------------------------------------------------===//
#include "ge/Support/Interrupt.h"

#include "ge/Support/InterruptPause.h"
#include "ge/Support/ThreadInterrupt.h"

#include <atomic>
#include <ctime>
#include <utility>

namespace ge {

namespace {

std::atomic<Interrupt::Check> theCheck{nullptr};
std::atomic<void *> theData{nullptr};

struct ThreadState {
  uint32_t scopes = 0;
  uint32_t depth = 0; ///< nesting of scopes, without pauses
  uint64_t call = 0;
  bool isChecking = false;
  int64_t lastCheck = 0; ///< in nanoseconds
  const int *flag = nullptr;
};
thread_local constinit ThreadState state;

bool isFlagged() { return state.flag && __atomic_load_n(state.flag, __ATOMIC_RELAXED) != 0; }

std::atomic<uint64_t> lastCall{0};

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

const int *setThreadInterruptFlag(const int *flag) { return std::exchange(state.flag, flag); }

bool Interrupt::isChecking() { return state.isChecking; }

// The first check comes 50 ms after the start: most work is finished by then.
Interrupt::Scope::Scope() {
  if (state.scopes == 0) {
    // In a series of many short calls, none may reach a look().
    if (isFlagged() && std::uncaught_exceptions() == 0)
      throw Interrupted();
    state.lastCheck = now();
  }
  ++state.scopes;
  if (state.depth++ == 0)
    state.call = lastCall.fetch_add(1, std::memory_order_relaxed) + 1;
}
Interrupt::Scope::~Scope() {
  --state.scopes;
  --state.depth;
}

uint64_t Interrupt::callOfThread() { return state.depth ? state.call : 0; }

InterruptPause::InterruptPause() : scopes_(std::exchange(state.scopes, 0)) {}
InterruptPause::~InterruptPause() { state.scopes = scopes_; }

void Interrupt::look() {
  if (state.scopes == 0 || state.isChecking)
    return;
  int64_t time = now();
  if (time - state.lastCheck < kInterval)
    return;
  Check check = theCheck.load(std::memory_order_acquire);
  if ((!check && !state.flag) || std::uncaught_exceptions() != 0)
    return;
  if (isFlagged())
    throw Interrupted();
  state.lastCheck = time;
  if (!check)
    return;
  state.isChecking = true;
  bool isWanted = check(theData.load(std::memory_order_acquire));
  state.isChecking = false;
  state.lastCheck = now();
  if (isWanted)
    throw Interrupted();
}

} // namespace ge
