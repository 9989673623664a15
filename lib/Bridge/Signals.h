//===- Signals.h - SIGINT belongs to the host -----------------------------------------------------===//
#ifndef GE_BRIDGE_SIGNALS_H
#define GE_BRIDGE_SIGNALS_H

#include <csignal>

namespace gebridge {

/// SIGINT in a process that embeds CPython. The module `signal`, which half of the standard library
/// imports, takes SIGINT where it has its default effect, also if CPython was told to install no
/// handlers; nothing in a native program would ever look at the flag that its handler sets. So the
/// host's action is put back, and CPython's stands only while a run that has hooks is on the
/// thread of the interpreter: there Ctrl-C is a KeyboardInterrupt.
class InterruptSignal {
public:
  /// Before CPython is initialised.
  void remember() { sigaction(SIGINT, nullptr, &host_); }
  /// After it was, and after `signal` was imported.
  void giveBack() {
    sigaction(SIGINT, nullptr, &python_);
    isKnown_ = host_.sa_handler == SIG_DFL && python_.sa_handler != SIG_DFL;
    sigaction(SIGINT, &host_, nullptr);
  }
  /// For a run; false, and nothing is done, where the host or an outer run handles SIGINT.
  bool take() const {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return isKnown_ && now.sa_handler == SIG_DFL && sigaction(SIGINT, &python_, nullptr) == 0;
  }
  /// After take().
  void leave() const {
    if (isPythons())
      sigaction(SIGINT, &host_, nullptr);
  }
  /// Around the end of CPython, which resets what it believes to be its own.
  struct sigaction kept() const {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return isKnown_ && now.sa_handler == python_.sa_handler ? host_ : now;
  }

private:
  bool isPythons() const {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return now.sa_handler == python_.sa_handler;
  }
  struct sigaction host_ = {}, python_ = {};
  bool isKnown_ = false; ///< CPython has an action of its own
};

} // namespace gebridge

#endif // GE_BRIDGE_SIGNALS_H
