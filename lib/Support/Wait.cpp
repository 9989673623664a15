//===- Wait.cpp -------------------------------------------------------------------------------===//
#include "ge/Support/Wait.h"

#include "ge/Support/Interrupt.h"

#include <cerrno>
#include <poll.h>

namespace ge {

bool waitFor(int fd, short events) {
  constexpr int kMilliseconds = 50; // the interval of interrupt checks
  for (;;) {
    Interrupt::look();
    struct pollfd wait = {fd, events, 0};
    int ready = ::poll(&wait, 1, kMilliseconds);
    if (ready > 0)
      return true;
    if (ready < 0 && errno != EINTR)
      return false;
  }
}

} // namespace ge
