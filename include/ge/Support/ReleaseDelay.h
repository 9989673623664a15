//===- ReleaseDelay.h - foreign release functions wait for the end of a change ------------------===//
#ifndef GE_SUPPORT_RELEASEDELAY_H
#define GE_SUPPORT_RELEASEDELAY_H

#include <cstdint>

namespace ge {

struct ForeignRelease;

/// While an instance exists on a thread, releases of borrowed tensors are delayed, because foreign
/// code must not run in the middle of a change. They run when the outermost instance is destroyed,
/// after the access is released.
class ReleaseDelay {
public:
  ReleaseDelay() : state_(ofThread()) { ++state_.depth; }
  ~ReleaseDelay() {
    if (--state_.depth == 0 && state_.first) [[unlikely]]
      runAll(state_);
  }
  ReleaseDelay(const ReleaseDelay &) = delete;
  ReleaseDelay &operator=(const ReleaseDelay &) = delete;

  struct State {
    uint32_t depth = 0;
    ForeignRelease *first = nullptr;
  };

private:
  static State &ofThread();
  static void runAll(State &state);
  State &state_;
};

/// Runs now, or when the delay of this thread ends.
struct ForeignRelease {
  void (*release)(void *owner);
  void *owner;
  ForeignRelease *next;
};
void runOrDelay(ForeignRelease *release) noexcept; ///< deletes it

} // namespace ge

#endif // GE_SUPPORT_RELEASEDELAY_H
