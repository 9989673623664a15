//===- BlockSequence.h - a sequence that grows and shrinks at its end -------------------------===//
#ifndef GE_SUPPORT_BLOCKSEQUENCE_H
#define GE_SUPPORT_BLOCKSEQUENCE_H

#include "ge/Support/Arena.h"
#include "ge/Support/Reserve.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ge {

/// Elements in blocks that double up to 2 MiB and are reused after it dies; no element moves.
/// For long sequences that are read block by block: std::deque divides for each index, and gets 512
/// bytes at a time from malloc.
template <typename T> class BlockSequence {
  static_assert(alignof(T) <= alignof(std::max_align_t));

public:
  BlockSequence() = default;
  BlockSequence(const BlockSequence &) = delete;
  BlockSequence &operator=(const BlockSequence &) = delete;
  ~BlockSequence() { clear(); }

  bool empty() const { return size() == 0; }
  size_t size() const { return full_ + size_t(top_ - begin_); }
  T &back() { return top_[-1]; }
  const T &back() const { return top_[-1]; }
  /// The element that stands `distance` before the last, if it is in the last block; else null.
  const T *fromEnd(size_t distance) const {
    return distance < size_t(top_ - begin_) ? top_ - 1 - distance : nullptr;
  }
  template <typename... Args> void emplaceBack(Args &&...args) {
    if (top_ == end_) [[unlikely]]
      addBlock();
    std::construct_at(top_, std::forward<Args>(args)...);
    ++top_;
  }
  /// Adds all of them, or throws and adds none.
  template <size_t N> void append(const T (&elements)[N]) {
    if (size_t(end_ - top_) >= N) [[likely]] {
      for (const T &element : elements)
        std::construct_at(top_++, element);
      return;
    }
    size_t before = size();
    try {
      for (const T &element : elements)
        emplaceBack(element);
    } catch (...) {
      while (size() != before)
        popBack();
      throw;
    }
  }
  void popBack() {
    std::destroy_at(--top_);
    if (top_ == begin_)
      dropBlock();
  }
  void clear() {
    forEachSpan(0, [](std::span<T> elements) { std::destroy(elements.begin(), elements.end()); });
    top_ = begin_;
    while (!blocks_.empty())
      dropBlock();
  }
  /// Calls `visit` with the elements from `first` on, a part of them each time.
  template <typename F> void forEachSpan(size_t first, const F &visit) const {
    for (size_t i = 0; i != blocks_.size(); ++i) {
      const Block &block = blocks_[i];
      size_t used = i + 1 == blocks_.size() ? size_t(top_ - begin_) : block.capacity();
      if (first < used)
        visit(std::span<T>(block.begin + first, used - first));
      first -= std::min(first, used);
    }
  }

  /// Reads the elements in order, starting at index `first`. Invalidated by adding or removing.
  class Reader {
  public:
    Reader(const BlockSequence &sequence, size_t first) : sequence_(&sequence) {
      const std::vector<Block> &blocks = sequence.blocks_;
      while (block_ + 1 < blocks.size() && first >= blocks[block_].capacity())
        first -= blocks[block_++].capacity();
      if (!blocks.empty())
        enter(first);
    }
    bool atEnd() const { return at_ == end_; }
    const T &next() {
      const T &element = *at_++; // NOLINT(clang-analyzer-core.NullDereference): not at the end
      if (at_ == end_ && block_ + 1 < sequence_->blocks_.size()) [[unlikely]] {
        ++block_;
        enter(0);
      }
      return element;
    }

  private:
    void enter(size_t first) {
      const Block &block = sequence_->blocks_[block_];
      at_ = block.begin + first;
      end_ = block_ + 1 == sequence_->blocks_.size() ? sequence_->top_
                                                     : block.begin + block.capacity();
    }
    const BlockSequence *sequence_;
    size_t block_ = 0;
    const T *at_ = nullptr, *end_ = nullptr;
  };

private:
  static constexpr size_t kFirst = size_t(64) << 10, kLast = size_t(2) << 20;
  struct Block {
    T *begin;
    size_t bytes;
    size_t capacity() const { return bytes / sizeof(T); }
  };
  void addBlock() {
    size_t bytes = blocks_.empty() ? kFirst : std::min(blocks_.back().bytes * 2, kLast);
    reserveMore(blocks_, 1);
    full_ = size();
    blocks_.push_back({static_cast<T *>(takeSlab(bytes)), bytes});
    enterLast();
    top_ = begin_;
  }
  void dropBlock() { // which is empty
    giveSlab(blocks_.back().begin, blocks_.back().bytes);
    blocks_.pop_back();
    if (blocks_.empty()) {
      begin_ = top_ = end_ = nullptr;
      full_ = 0;
      return;
    }
    enterLast();
    top_ = end_;
    full_ -= size_t(end_ - begin_);
  }
  void enterLast() {
    begin_ = blocks_.back().begin;
    end_ = begin_ + blocks_.back().capacity();
  }

  T *begin_ = nullptr, *top_ = nullptr, *end_ = nullptr; ///< of the last block
  size_t full_ = 0;                                      ///< elements in the blocks before it
  std::vector<Block> blocks_;
};

} // namespace ge

#endif // GE_SUPPORT_BLOCKSEQUENCE_H
