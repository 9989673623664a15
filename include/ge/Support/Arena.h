//===- Arena.h - slabs with free lists, for objects of one graph ----------------------------------===//
#ifndef GE_SUPPORT_ARENA_H
#define GE_SUPPORT_ARENA_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ge {

/// Memory in multiples of 8 bytes without a header for each block. Freed blocks go to a list of their
/// size; everything else goes back when the arena dies. Not thread-safe. Objects are not destroyed.
///
/// Under AddressSanitizer every block is an allocation of its own, so that a use after free is seen.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  void *allocate(size_t bytes);
  /// `bytes` must be what was asked for.
  void deallocate(void *block, size_t bytes);
  /// Takes over all memory of `other`, free blocks included; `other` is empty afterwards. O(size
  /// classes + slabs of `other`).
  void absorb(Arena &other);
  /// Bytes held from the system.
  size_t bytesReserved() const { return reserved_; }

private:
  struct FreeBlock {
    FreeBlock *next;
  };
  static constexpr size_t kGranule = 8;
  static constexpr size_t kMaxSmall = 1024; ///< larger blocks come from malloc one by one
  static constexpr size_t kClasses = kMaxSmall / kGranule + 1;
  struct LargeBlock; ///< header of a block from malloc, linked for release

  void *allocateSlow(size_t bytes);

  FreeBlock *free_[kClasses] = {};
  FreeBlock *freeTail_[kClasses] = {};
  char *cursor_ = nullptr;
  char *end_ = nullptr;
  std::vector<void *> slabs_;
  LargeBlock *large_ = nullptr;
  size_t reserved_ = 0;
  size_t nextSlab_ = 4096; ///< grows to 1 MiB, so that a small graph stays small
};

} // namespace ge

#endif // GE_SUPPORT_ARENA_H
