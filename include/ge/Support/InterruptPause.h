//===- InterruptPause.h - foreign code in the middle of interruptible work ---------------------===//
#ifndef GE_SUPPORT_INTERRUPTPAUSE_H
#define GE_SUPPORT_INTERRUPTPAUSE_H

#include <cstdint>

namespace ge {

/// While one lives, the Interrupt::Scope around it is suspended: for callbacks. What they call here
/// opens a scope of its own, or is a step that cannot be ended half-way.
class InterruptPause {
public:
  InterruptPause();
  ~InterruptPause();
  InterruptPause(const InterruptPause &) = delete;
  InterruptPause &operator=(const InterruptPause &) = delete;

private:
  uint32_t scopes_;
};

} // namespace ge

#endif // GE_SUPPORT_INTERRUPTPAUSE_H
