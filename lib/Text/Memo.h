//===- Memo.h - what a piece of the text was read as ----------------------------------------------===//
#ifndef GE_LIB_TEXT_MEMO_H
#define GE_LIB_TEXT_MEMO_H

#include "ge/Support/StringUtil.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ge::text {

/// From a piece of the text to what it means, by open addressing. A graph has many nodes and few
/// types, operators and attribute names, so nearly all of them are found here. The pieces point
/// into the text.
template <typename T> class Memo {
public:
  T *find(std::string_view piece) {
    if (slots_.empty())
      return nullptr;
    uint64_t hash = hashBytes(piece);
    for (size_t i = hash & mask();; i = (i + 1) & mask()) {
      Slot &slot = slots_[i];
      if (!slot.used)
        return nullptr;
      if (slot.hash == uint32_t(hash >> 32) && slot.piece == piece)
        return &slot.value;
    }
  }
  /// `piece` is not in yet.
  T &insert(std::string_view piece, T value) {
    if (count_ * 2 >= slots_.size())
      grow();
    ++count_;
    return put({hashBytes(piece), piece, std::move(value)});
  }

private:
  struct Entry {
    uint64_t hash;
    std::string_view piece;
    T value;
  };
  struct Slot {
    std::string_view piece;
    T value{};
    uint32_t hash = 0;
    bool used = false;
  };
  size_t mask() const { return slots_.size() - 1; }
  T &put(Entry entry) {
    size_t i = entry.hash & mask();
    while (slots_[i].used)
      i = (i + 1) & mask();
    slots_[i] = {entry.piece, std::move(entry.value), uint32_t(entry.hash >> 32), true};
    return slots_[i].value;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (Slot &slot : old)
      if (slot.used)
        put({hashBytes(slot.piece), slot.piece, std::move(slot.value)});
  }
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

} // namespace ge::text

#endif // GE_LIB_TEXT_MEMO_H
