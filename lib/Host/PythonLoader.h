//===- PythonLoader.h - the bridge, opened when passes in Python are requested --------------------===//
#ifndef GE_LIB_HOST_PYTHONLOADER_H
#define GE_LIB_HOST_PYTHONLOADER_H

#include "PythonBridge.h"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

namespace ge::host {

/// Makes `status` with `text` the thread's last error.
GeStatus fail(GeStatus status, const std::string &text);

/// Of the process. Calls of the bridge are made without a lock: they run Python code. The caller
/// keeps shutdown() away from other calls.
class PythonLoader {
public:
  /// Whether an interpreter is up for us.
  bool isUp() const { return api_.load(std::memory_order_acquire) != nullptr; }
  /// Opens the bridge and starts the interpreter. `python`: the option, may be NULL.
  GeStatus start(const char *python);
  /// Nothing while the interpreter is not up.
  GeStatus load(const GePythonBridgeLoad &request);
  GeStatus unload();
  /// Ends the interpreter if it is ours and `mayEnd`, and closes the bridge when nothing needs it.
  GeStatus shutdown(bool isExit, bool mayEnd);

  /// While one lives, hooks on this thread take the GIL cheaply.
  class Thread {
  public:
    explicit Thread(PythonLoader &loader) : api_(loader.api_.load(std::memory_order_acquire)) {
      state_ = api_ ? api_->enterThread() : nullptr;
    }
    ~Thread() { leave(); }
    /// Ends it before the end of its scope; whether Ctrl-C came meanwhile.
    GePythonInterrupt leave() {
      void *state = std::exchange(state_, nullptr);
      return state ? api_->leaveThread(state) : GE_PYTHON_NO_INTERRUPT;
    }
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;

  private:
    const GePythonBridgeApi *api_;
    void *state_;
  };

private:
  /// Null, and the thread's last error, when the bridge cannot be opened.
  const GePythonBridgeApi *open();

  std::mutex mutex_; ///< of opening alone
  void *library_ = nullptr;
  std::atomic<const GePythonBridgeApi *> opened_{nullptr};
  std::atomic<const GePythonBridgeApi *> api_{nullptr}; ///< opened, and its interpreter is up
  std::atomic<bool> hasEnded_{false};
};

} // namespace ge::host

#endif // GE_LIB_HOST_PYTHONLOADER_H
