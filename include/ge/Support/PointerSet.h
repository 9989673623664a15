//===- PointerSet.h - a hash set of pointers with removal -------------------------------------===//
#ifndef GE_SUPPORT_POINTERSET_H
#define GE_SUPPORT_POINTERSET_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ge {

/// A hash set of objects that have `hash()`, with linear probing. Does not own them. Not
/// thread-safe; see InternTable for a set that is read without a lock.
template <typename T> class PointerSet {
public:
  template <typename Same> T *find(uint64_t hash, const Same &same) const {
    if (!size_)
      return nullptr;
    for (size_t i = hash & mask_; slots_[i].object; i = (i + 1) & mask_)
      if (slots_[i].hash == hash && same(*slots_[i].object))
        return slots_[i].object;
    return nullptr;
  }
  bool contains(const T *object) const {
    return find(object->hash(), [object](const T &other) { return &other == object; });
  }

  /// Room for one more, so that insert() cannot throw.
  void reserveOne() {
    size_t capacity = slots_ ? mask_ + 1 : 0;
    if ((size_ + 1) * 8 <= capacity * 5)
      return;
    size_t larger = capacity ? capacity * 2 : kFirstCapacity;
    auto grown = std::make_unique<Slot[]>(larger);
    grown.swap(slots_);
    mask_ = larger - 1;
    for (size_t i = 0; i < capacity; ++i)
      if (grown[i].object)
        put(grown[i]);
  }
  /// After reserveOne(). `object` is not in the set.
  void insert(T *object) {
    put({object->hash(), object});
    ++size_;
  }
  /// `object` is in the set.
  void erase(const T *object) {
    size_t hole = object->hash() & mask_;
    while (slots_[hole].object != object)
      hole = (hole + 1) & mask_;
    // What follows in the run moves up, unless that would put it before its first place.
    for (size_t i = (hole + 1) & mask_; slots_[i].object; i = (i + 1) & mask_)
      if (((i - slots_[i].hash) & mask_) >= ((i - hole) & mask_)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    slots_[hole] = {};
    --size_;
  }
  size_t size() const { return size_; }
  template <typename F> void forEach(const F &visit) const {
    for (size_t i = 0, n = slots_ ? mask_ + 1 : 0; i < n; ++i)
      if (slots_[i].object)
        visit(slots_[i].object);
  }

private:
  struct Slot {
    uint64_t hash = 0;
    T *object = nullptr;
  };
  static constexpr size_t kFirstCapacity = 16;
  void put(const Slot &slot) {
    size_t i = slot.hash & mask_;
    while (slots_[i].object)
      i = (i + 1) & mask_;
    slots_[i] = slot;
  }

  std::unique_ptr<Slot[]> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

} // namespace ge

#endif // GE_SUPPORT_POINTERSET_H
