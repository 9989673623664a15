//===- Wait.h - waiting for pipes and devices -------------------------------------------------===//
#ifndef GE_SUPPORT_WAIT_H
#define GE_SUPPORT_WAIT_H

namespace ge {

/// Waits until a descriptor is ready for `events` (POLLIN, POLLOUT), and checks for interrupts
/// meanwhile. Returns false, with errno, if it cannot be waited for.
bool waitFor(int fd, short events);

} // namespace ge

#endif // GE_SUPPORT_WAIT_H
