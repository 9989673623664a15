//===- ReleaseDelay.cpp - foreign release functions wait for the end of a change ----------------===//
#include "ge/Support/ReleaseDelay.h"

namespace ge {

namespace {

thread_local constinit ReleaseDelay::State delayState;

void runNow(ForeignRelease *release) noexcept {
  try {
    release->release(release->owner);
  } catch (...) { // foreign C++ code threw through a C pointer, and no status can report it
  }
  delete release;
}

} // namespace

ReleaseDelay::State &ReleaseDelay::ofThread() { return delayState; }

void ReleaseDelay::runAll(State &state) {
  while (ForeignRelease *release = state.first) {
    state.first = release->next;
    runNow(release);
  }
}

void runOrDelay(ForeignRelease *release) noexcept {
  if (delayState.depth == 0)
    return runNow(release);
  release->next = delayState.first;
  delayState.first = release;
}

} // namespace ge
