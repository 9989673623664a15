//===- InternTable.h - a set of interned objects, read without a lock -------------------------===//
#ifndef GE_SUPPORT_INTERNTABLE_H
#define GE_SUPPORT_INTERNTABLE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ge {

/// A hash set of pointers that only grows. Finding takes no lock; inserting happens under one lock
/// of the owner, after a second look under it:
///
///   if (T *found = table.find(hash, same)) return found;
///   std::lock_guard guard(lock);
///   if (T *found = table.find(hash, same)) return found;
///   table.insert(made);
///
/// T has `hash()` and an alignment of 8 at least: the three low bits of a slot carry bits of the
/// hash, so that few objects are touched in vain. Does not own the objects. A table that was
/// outgrown stays until the end, because readers may still be in it; all of them together are as
/// large as the last.
template <typename T> class InternTable {
public:
  InternTable() = default;
  InternTable(const InternTable &) = delete;
  InternTable &operator=(const InternTable &) = delete;

  template <typename Same> T *find(uint64_t hash, Same &&same) const {
    const Table *table = current_.load(std::memory_order_acquire);
    if (!table)
      return nullptr;
    uintptr_t tag = tagOf(hash);
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
      uintptr_t slot = table->slots[i].load(std::memory_order_acquire);
      if (!slot)
        return nullptr;
      if ((slot & kTagMask) == tag) {
        T *object = reinterpret_cast<T *>(slot & ~kTagMask);
        if (object->hash() == hash && same(*object))
          return object;
      }
    }
  }

  /// Room for one more, so that insert() cannot throw. Under the owner's lock.
  void reserveOne() {
    Table *table = tables_.empty() ? nullptr : tables_.back().get();
    size_t capacity = table ? table->mask + 1 : 0;
    if ((size_ + 1) * 8 <= capacity * 5)
      return;
    auto grown = std::make_unique<Table>(capacity ? capacity * 2 : kFirstCapacity);
    for (size_t i = 0; i < capacity; ++i)
      if (uintptr_t slot = table->slots[i].load(std::memory_order_relaxed))
        put(*grown, reinterpret_cast<T *>(slot & ~kTagMask)->hash(), slot);
    tables_.push_back(std::move(grown));
    current_.store(tables_.back().get(), std::memory_order_release);
  }
  /// After reserveOne(), under the same lock. `object` is complete: others see it from here on.
  void insert(T *object) {
    uint64_t hash = object->hash();
    put(*tables_.back(), hash, reinterpret_cast<uintptr_t>(object) | tagOf(hash));
    ++size_;
  }
  size_t size() const { return size_; } ///< under the owner's lock

private:
  struct Table {
    explicit Table(size_t capacity)
        : mask(capacity - 1), slots(new std::atomic<uintptr_t>[capacity]()) {}
    size_t mask;
    std::unique_ptr<std::atomic<uintptr_t>[]> slots;
  };
  static constexpr uintptr_t kTagMask = 7;
  static constexpr size_t kFirstCapacity = 16;
  static uintptr_t tagOf(uint64_t hash) { return uintptr_t(hash >> 61); }
  static void put(Table &table, uint64_t hash, uintptr_t slot) {
    size_t i = hash & table.mask;
    while (table.slots[i].load(std::memory_order_relaxed))
      i = (i + 1) & table.mask;
    table.slots[i].store(slot, std::memory_order_release);
  }

  std::atomic<const Table *> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  size_t size_ = 0;
};

} // namespace ge

#endif // GE_SUPPORT_INTERNTABLE_H
