//===- Arena.h - slabs with free lists, for objects of one graph ------------------------------===//
#ifndef GE_SUPPORT_ARENA_H
#define GE_SUPPORT_ARENA_H

#include <cstddef>
#include <cstdint>
#include <vector>

// Under AddressSanitizer every block is malloc's own, so that it sees a use after free.
#if defined(__SANITIZE_ADDRESS__)
#define GE_ARENA_SEPARATE_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GE_ARENA_SEPARATE_BLOCKS 1
#endif
#endif
#ifndef GE_ARENA_SEPARATE_BLOCKS
#define GE_ARENA_SEPARATE_BLOCKS 0
#endif

namespace ge {

/// Begins to load a cache line that is read soon.
inline void prefetch([[maybe_unused]] const void *address) {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}

/// A block of memory. Sizes of 64 KiB times a power of two, up to 2 MiB, come from blocks that were
/// given back, if there is one: malloc returns large blocks to the system, so that each would cost
/// its page faults again. Throws std::bad_alloc.
void *takeSlab(size_t bytes);
void giveSlab(void *slab, size_t bytes) noexcept; ///< `bytes` must be what was asked for

/// Memory in multiples of 8 bytes without a header for each block, aligned to 8. Freed blocks go to
/// a list of their size; everything else goes back when the arena dies. Not thread-safe. Objects
/// are not destroyed. Throws std::bad_alloc.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  void *allocate(size_t bytes) {
    if (!GE_ARENA_SEPARATE_BLOCKS && bytes <= kMaxSmall) {
      size_t cls = sizeClass(bytes);
      if (FreeBlock *block = free_[cls]) {
        free_[cls] = block->next;
        return block;
      }
      size_t rounded = cls * kGranule;
      if (refill_ && refill(cls)) [[unlikely]]
        return allocate(bytes);
      if (size_t(end_ - cursor_) >= rounded) {
        void *block = cursor_;
        cursor_ += rounded;
        return block;
      }
    }
    return allocateSlow(bytes);
  }
  /// `bytes` must be what was asked for.
  void deallocate(void *block, size_t bytes) {
    if (GE_ARENA_SEPARATE_BLOCKS || bytes > kMaxSmall)
      return deallocateSlow(block, bytes);
    push(block, sizeClass(bytes));
  }
  /// Takes over all memory of `other`, free blocks included; `other` is empty afterwards. O(size
  /// classes + slabs of `other`).
  void absorb(Arena &other);
  /// Sets a callback that frees blocks whose release was deferred. The arena calls it before it
  /// uses fresh memory; it frees some of them and returns whether there are more. After false it is
  /// not called again.
  using Refill = bool (*)(void *owner);
  void deferFrees(Refill refill, void *owner) {
    refill_ = refill;
    refillOwner_ = owner;
  }
  /// Bytes held from the system.
  size_t bytesReserved() const { return reserved_; }

private:
  struct FreeBlock {
    FreeBlock *next;
  };
  struct Range {
    char *begin;
    char *end;
  };
  static constexpr size_t kGranule = 8;
  static constexpr size_t kMaxSmall = 1024; ///< larger blocks come from malloc one by one
  static constexpr size_t kClasses = kMaxSmall / kGranule + 1;
  static constexpr size_t kFirstSlab = 4096, kLastSlab = size_t(2) << 20;
  struct LargeBlock; ///< header of a block from malloc, in a ring for release

  static size_t sizeClass(size_t bytes) { return (bytes + (bytes == 0) + kGranule - 1) / kGranule; }
  void push(void *memory, size_t cls) {
    FreeBlock *block = static_cast<FreeBlock *>(memory);
    block->next = free_[cls];
    if (!block->next)
      freeTail_[cls] = block;
    free_[cls] = block;
  }
  bool refill(size_t cls); ///< whether there is a free block of that size now
  void *allocateSlow(size_t bytes);
  void deallocateSlow(void *block, size_t bytes);
  void *allocateLarge(size_t bytes);

  FreeBlock *free_[kClasses] = {};
  FreeBlock *freeTail_[kClasses] = {}; ///< stale while the list is empty
  char *cursor_ = nullptr;
  char *end_ = nullptr;
  std::vector<void *> slabs_;
  std::vector<Range> spare_; ///< unused ends of absorbed slabs
  LargeBlock *large_ = nullptr;
  size_t reserved_ = 0;
  Refill refill_ = nullptr;
  void *refillOwner_ = nullptr;
  size_t nextSlab_ = kFirstSlab; ///< grows to 2 MiB, so that a small graph stays small
};

} // namespace ge

#endif // GE_SUPPORT_ARENA_H
