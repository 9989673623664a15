//===- Interrupt.h - work that its caller can end half-way ------------------------------------===//
//
// A host installs one check (geSetInterruptCheck); the bindings install one that detects Ctrl-C.
// Entry points whose work can be undone open an Interrupt::Scope, and loops inside it poll.
//
#ifndef GE_SUPPORT_INTERRUPT_H
#define GE_SUPPORT_INTERRUPT_H

#include <cstddef>
#include <cstdint>
#include <exception>

namespace ge {

/// Thrown by a poll when the check says that the work is to end. Not an Error: code that
/// reports failures and goes on must not catch it.
class Interrupted : public std::exception {
public:
  const char *what() const noexcept override { return "interrupted"; }
};

/// The counter of a loop. Polls are allowed only where everything done so far can be undone: not
/// inside a mutation primitive, a destructor or a rollback.
class Interrupt {
public:
  /// Whether the work of this thread is to end.
  using Check = bool (*)(void *data);
  static void setCheck(Check check, void *data);

  /// For steps below a millisecond: a decrement, and each 64th time a look().
  void poll() {
    if (--left_ == 0) [[unlikely]] {
      left_ = kStride;
      look();
    }
  }
  /// For loops over bytes: a look() each 64 KiB.
  void pollBytes(size_t bytes) {
    if (bytes < leftBytes_) [[likely]] {
      leftBytes_ -= bytes;
      return;
    }
    leftBytes_ = kPiece;
    look();
  }
  /// Bytes to handle between two calls of look().
  static constexpr size_t kPiece = 65536;

  /// For longer steps: reads a coarse clock (10 ns), and calls the check if the last call was 50 ms
  /// ago. Does nothing outside of a Scope, or while an exception propagates.
  static void look();

  /// While one lives, polls of this thread take effect.
  class Scope {
  public:
    Scope();
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
  };

  /// A number for the outermost Scope of this thread, of its own in the process; 0 outside of one.
  static uint64_t callOfThread();

  /// Whether this thread is inside the check, which may run foreign code in the middle of other
  /// work: that code has no part in the access of this thread to graphs.
  static bool isChecking();

private:
  static constexpr uint32_t kStride = 64;
  uint32_t left_ = kStride;
  size_t leftBytes_ = kPiece;
};

} // namespace ge

#endif // GE_SUPPORT_INTERRUPT_H
