//===- Arena.cpp ------------------------------------------------------------------------------===//
#include "ge/Support/Arena.h"

#include "ge/Support/Reserve.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

namespace ge {

// 32 bytes, so that the block behind it keeps malloc's alignment.
struct alignas(16) Arena::LargeBlock {
  LargeBlock *next;
  LargeBlock *previous;
  size_t bytes; ///< header included
};

namespace {

/// A slab begins with its size.
constexpr size_t kSlabHeader = sizeof(size_t);

size_t sizeOf(const void *slab) {
  size_t bytes = 0;
  std::memcpy(&bytes, slab, sizeof bytes);
  return bytes;
}

/// Slabs of destroyed arenas, for reuse. malloc returns large blocks of a thread's heap to the
/// system, so that each graph of a thread would cost its page faults again.
class SlabPool {
public:
  /// Null: none of that size.
  void *take(size_t bytes) {
    size_t list = listOf(bytes);
    // Does not wait: after a fork, the lock may be held by a thread that does not exist.
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (list == kLists || !lock || lists_[list].empty())
      return nullptr;
    void *slab = lists_[list].back();
    lists_[list].pop_back();
    held_ -= bytes;
    return slab;
  }
  /// Returns false if the caller must free it.
  bool keep(void *slab, size_t bytes) noexcept {
    size_t list = listOf(bytes);
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (list == kLists || !lock || held_ + bytes > kMostBytes)
      return false;
    try {
      lists_[list].push_back(slab);
    } catch (const std::bad_alloc &) {
      return false;
    }
    held_ += bytes;
    return true;
  }
  static SlabPool &get() {
    // Never destroyed: threads may be at work when the process ends.
    static auto &pool = *new SlabPool;
    return pool;
  }

private:
  static constexpr size_t kLeast = size_t(64) << 10; ///< smaller ones are left to malloc
  static constexpr size_t kLists = 6;                ///< up to 2 MiB
  /// The amount that glibc keeps for the main thread's heap.
  static constexpr size_t kMostBytes = size_t(64) << 20;

  /// kLists: none.
  static size_t listOf(size_t bytes) {
    for (size_t i = 0; i != kLists; ++i)
      if (bytes == kLeast << i)
        return i;
    return kLists;
  }

  std::mutex mutex_;
  std::array<std::vector<void *>, kLists> lists_;
  size_t held_ = 0;
};

} // namespace

void *takeSlab(size_t bytes) {
  if (void *kept = SlabPool::get().take(bytes))
    return kept;
  if (void *slab = std::malloc(bytes))
    return slab;
  throw std::bad_alloc();
}

void giveSlab(void *slab, size_t bytes) noexcept {
  if (!SlabPool::get().keep(slab, bytes))
    std::free(slab);
}

Arena::~Arena() {
  for (void *slab : slabs_)
    giveSlab(slab, sizeOf(slab));
  if (!large_)
    return;
  large_->previous->next = nullptr;
  for (LargeBlock *block = large_; block;) {
    LargeBlock *next = block->next;
    std::free(block);
    block = next;
  }
}

void *Arena::allocateLarge(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2)
    throw std::bad_alloc();
  size_t total = sizeof(LargeBlock) + std::max(bytes, kGranule);
  auto *block = static_cast<LargeBlock *>(std::malloc(total));
  if (!block)
    throw std::bad_alloc();
  block->bytes = total;
  if (large_) {
    block->next = large_;
    block->previous = large_->previous;
    block->previous->next = block;
    large_->previous = block;
  } else {
    block->next = block->previous = large_ = block;
  }
  reserved_ += total;
  return block + 1;
}

bool Arena::refill(size_t cls) {
  if (!refill_(refillOwner_))
    refill_ = nullptr;
  return free_[cls] != nullptr;
}

void *Arena::allocateSlow(size_t bytes) {
  if (GE_ARENA_SEPARATE_BLOCKS || bytes > kMaxSmall)
    return allocateLarge(bytes);
  // The slab's rest is smaller than the request, so it has a size class.
  if (size_t rest = size_t(end_ - cursor_))
    push(cursor_, rest / kGranule);
  cursor_ = end_ = nullptr;
  if (!spare_.empty() && size_t(spare_.back().end - spare_.back().begin) > kMaxSmall) {
    cursor_ = spare_.back().begin;
    end_ = spare_.back().end;
    spare_.pop_back();
  } else {
    reserveMore(slabs_, 1);
    auto *slab = static_cast<char *>(takeSlab(nextSlab_));
    slabs_.push_back(slab);
    std::memcpy(slab, &nextSlab_, sizeof nextSlab_);
    cursor_ = slab + kSlabHeader;
    end_ = slab + nextSlab_;
    reserved_ += nextSlab_;
    nextSlab_ = std::min(nextSlab_ * 2, kLastSlab);
  }
  void *block = cursor_;
  cursor_ += sizeClass(bytes) * kGranule;
  return block;
}

void Arena::deallocateSlow(void *memory, size_t) {
  LargeBlock *block = static_cast<LargeBlock *>(memory) - 1;
  if (block->next == block) {
    large_ = nullptr;
  } else {
    block->next->previous = block->previous;
    block->previous->next = block->next;
    if (large_ == block)
      large_ = block->next;
  }
  reserved_ -= block->bytes;
  std::free(block);
}

void Arena::absorb(Arena &other) {
  if (&other == this)
    return;
  // Everything that may throw comes first.
  reserveMore(slabs_, other.slabs_.size());
  reserveMore(spare_, other.spare_.size() + 1);

  slabs_.insert(slabs_.end(), other.slabs_.begin(), other.slabs_.end());
  spare_.insert(spare_.end(), other.spare_.begin(), other.spare_.end());
  for (size_t cls = 1; cls < kClasses; ++cls) {
    if (!other.free_[cls])
      continue;
    other.freeTail_[cls]->next = free_[cls];
    if (!free_[cls])
      freeTail_[cls] = other.freeTail_[cls];
    free_[cls] = other.free_[cls];
    other.free_[cls] = nullptr;
  }
  Range rest{other.cursor_, other.end_};
  if (rest.end - rest.begin > end_ - cursor_) {
    std::swap(rest.begin, cursor_);
    std::swap(rest.end, end_);
  }
  if (size_t size = size_t(rest.end - rest.begin); size > kMaxSmall)
    spare_.push_back(rest);
  else if (size)
    push(rest.begin, size / kGranule);
  if (!large_) {
    large_ = other.large_;
  } else if (other.large_) {
    LargeBlock *ours = large_->previous;
    LargeBlock *theirs = other.large_->previous;
    ours->next = other.large_;
    other.large_->previous = ours;
    theirs->next = large_;
    large_->previous = theirs;
  }
  reserved_ += other.reserved_;
  nextSlab_ = std::max(nextSlab_, other.nextSlab_);

  other.slabs_.clear();
  other.spare_.clear();
  other.large_ = nullptr;
  other.cursor_ = other.end_ = nullptr;
  other.reserved_ = 0;
  other.nextSlab_ = kFirstSlab;
}

} // namespace ge
