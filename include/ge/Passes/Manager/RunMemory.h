//===- RunMemory.h - what the passes of one run remember in common ----------------------------===//
#ifndef GE_PASSES_MANAGER_RUNMEMORY_H
#define GE_PASSES_MANAGER_RUNMEMORY_H

#include <memory>
#include <unordered_map>

namespace ge {

/// One object of each type for all passes of a run, made when it is first asked for: accounts that
/// hold for the whole run, however often a pass executes in it.
class RunMemory {
public:
  /// Of the run on this thread while it lives; those of a run inside a pass are its own.
  RunMemory();
  ~RunMemory();
  RunMemory(const RunMemory &) = delete;
  RunMemory &operator=(const RunMemory &) = delete;
  /// Null outside of a run.
  static RunMemory *ofThread();

  template <typename T> T &get() {
    static const char key = 0; // its address is that of the type
    std::shared_ptr<void> &slot = slots_[&key];
    if (!slot)
      slot = std::make_shared<T>();
    return *static_cast<T *>(slot.get());
  }

private:
  RunMemory *outer_;
  std::unordered_map<const void *, std::shared_ptr<void>> slots_;
};

} // namespace ge

#endif // GE_PASSES_MANAGER_RUNMEMORY_H
