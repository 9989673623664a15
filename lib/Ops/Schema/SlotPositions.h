//===- SlotPositions.h - which slot of an operator a position belongs to ----------------------===//
#ifndef GE_LIB_OPS_SCHEMA_SLOTPOSITIONS_H
#define GE_LIB_OPS_SCHEMA_SLOTPOSITIONS_H

#include "ge/Ops/Schema/OpSegments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ge {

/// Maps operands or results of a node to slots: each slot has one position, a tuple one for each of
/// its elements, and a list the remaining ones. Where that leaves a choice (leavesChoice()), the
/// lengths that the node stores decide; without them the mapping is unknown from the first list on.
class SlotPositions {
public:
  static constexpr size_t kUnknown = SIZE_MAX;

  /// `slotAt(i)`: a parameter or result; `count` operands; `lengths`: those that the node stores.
  template <typename SlotAt>
  SlotPositions(size_t slots, size_t count, const SlotAt &slotAt, bool hasChoice,
                std::span<const int32_t> lengths)
      : slots_(slots), list_(slots) {
    if (!lengths.empty()) {
      widths_.assign(slots, 0);
      for (size_t i = 0; i != std::min(slots, lengths.size()); ++i)
        widths_[i] = uint32_t(lengths[i]);
      return;
    }
    size_t lists = 0, singles = 0;
    for (size_t i = 0; i != slots; ++i) {
      if (slotAt(i).isVariadic()) {
        if (lists++ == 0)
          list_ = i;
        continue;
      }
      size_t width = slotWidth(slotAt(i).type);
      singles += width;
      if (width != 1) {
        widths_.resize(slots, 1);
        widths_[i] = uint32_t(width);
      }
    }
    isShared_ = hasChoice;
    size_ = lists != 0 && count > singles ? count - singles : 0;
  }

  bool hasList() const { return list_ != slots_; }
  bool isShared() const { return isShared_; }                    ///< several slots share positions
  size_t numKnown() const { return isShared_ ? list_ : slots_; } ///< number of mapped slots
  size_t countOf(size_t slot) const {                            ///< of a known one
    return slot == list_ ? size_ : widths_.empty() ? 1 : widths_[slot];
  }
  /// Returns kUnknown also beyond the last slot.
  size_t slotOf(size_t position) const {
    if (!widths_.empty())
      return slotOfWide(position);
    if (position < list_)
      return position;
    if (isShared_ || !hasList())
      return kUnknown;
    size_t slot = position < list_ + size_ ? list_ : position - size_ + 1;
    return slot < slots_ ? slot : kUnknown;
  }

private:
  size_t slotOfWide(size_t position) const {
    for (size_t slot = 0; slot != numKnown(); ++slot) {
      if (position < countOf(slot))
        return slot;
      position -= countOf(slot);
    }
    return kUnknown;
  }
  size_t slots_, list_, size_ = 0;
  std::vector<uint32_t> widths_; ///< empty: no slot is a tuple, and no lengths are given
  bool isShared_ = false;
};

} // namespace ge

#endif // GE_LIB_OPS_SCHEMA_SLOTPOSITIONS_H
