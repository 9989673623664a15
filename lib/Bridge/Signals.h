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
  bool take() {
    struct sigaction now = {}, own = python_;
    sigaction(SIGINT, nullptr, &now);
    if (!isKnown_ || now.sa_handler != SIG_DFL)
      return false;
    theirs() = python_.sa_handler;
    hasCome() = 0;
    own.sa_handler = [](int number) {
      hasCome() = 1;
      theirs()(number);
    };
    own_ = own.sa_handler;
    return sigaction(SIGINT, &own, nullptr) == 0;
  }
  /// Whether SIGINT came since take().
  static bool came() { return hasCome() != 0; }
  /// After take().
  void leave() const {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    if (isOurs(now))
      sigaction(SIGINT, &host_, nullptr);
  }
  /// Around the end of CPython, which resets what it believes to be its own.
  struct sigaction kept() const {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return isKnown_ && isOurs(now) ? host_ : now;
  }

private:
  using Handler = void (*)(int);
  static Handler &theirs() {
    static Handler handler = nullptr;
    return handler;
  }
  static volatile sig_atomic_t &hasCome() {
    static volatile sig_atomic_t flag = 0;
    return flag;
  }
  /// Also the action that a hook has installed.
  bool isOurs(const struct sigaction &now) const {
    return now.sa_handler == python_.sa_handler || (own_ && now.sa_handler == own_);
  }
  struct sigaction host_ = {}, python_ = {};
  Handler own_ = nullptr;
  bool isKnown_ = false; ///< CPython has an action of its own
};

} // namespace gebridge

#endif // GE_BRIDGE_SIGNALS_H
