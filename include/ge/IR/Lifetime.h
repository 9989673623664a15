//===- Lifetime.h - how long an interned object lives -----------------------------------------===//
#ifndef GE_IR_LIFETIME_H
#define GE_IR_LIFETIME_H

#include <atomic>
#include <cstdint>

namespace ge {

/// Most interned objects are permanent: they live as long as their context. An object that a model
/// introduced is scoped: it is counted, by the InternedSet of each model that uses it and by the
/// objects that contain it (a type with its symbols, a list with its elements), and freed with the
/// last of these. A scoped object becomes permanent as soon as anything else refers to it.
class Lifetime {
public:
  explicit constexpr Lifetime(uint32_t count = 0) : word_(count) {}
  Lifetime(const Lifetime &) : Lifetime() {} // the copy is another object
  Lifetime &operator=(const Lifetime &) = delete;

  bool isPermanent() const { return word_.load(std::memory_order_acquire) & kPermanent; }
  void setPermanent() { word_.fetch_or(kPermanent, std::memory_order_release); }

  /// Adds a user. The caller has a reference already, or holds the interner's lock.
  uint32_t retain() { return word_.fetch_add(1, std::memory_order_relaxed); }
  /// Removes a user, unless it is the last. The count of a permanent object is meaningless, because
  /// a user from before it became permanent may end later.
  bool releaseShared() {
    uint32_t word = word_.load(std::memory_order_relaxed);
    while (!(word & kPermanent) && word > 1)
      if (word_.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel))
        return true;
    return word & kPermanent;
  }
  /// Removes a user; true when it was the last. The caller holds the interner's lock, so that no
  /// look-up finds the object meanwhile.
  bool releaseLast() { return word_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
  static constexpr uint32_t kPermanent = uint32_t(1) << 31;
  std::atomic<uint32_t> word_;
};

} // namespace ge

#endif // GE_IR_LIFETIME_H
