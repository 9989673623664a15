//===- SlotPositions.h - which slot of an operator a position belongs to ----------------------===//
#ifndef GE_LIB_OPS_SLOTPOSITIONS_H
#define GE_LIB_OPS_SLOTPOSITIONS_H

#include <cstddef>
#include <cstdint>

namespace ge {

/// Where the operands, or the results, of a node belong: each slot has one, and a list what the
/// others leave. How several lists share is in the node's other attributes: from the first of them
/// on nothing is known.
class SlotPositions {
public:
  static constexpr size_t kUnknown = SIZE_MAX;

  /// `isList(i)` of each slot; `count` operands.
  template <typename IsList>
  SlotPositions(size_t slots, size_t count, const IsList &isList) : slots_(slots), list_(slots) {
    size_t lists = 0;
    for (size_t i = 0; i != slots; ++i)
      if (isList(i) && lists++ == 0)
        list_ = i;
    isShared_ = lists > 1;
    size_t singles = slots - lists;
    size_ = lists != 0 && count > singles ? count - singles : 0;
  }

  bool hasList() const { return list_ != slots_; }
  bool isShared() const { return isShared_; }                             ///< among several lists
  size_t numKnown() const { return isShared_ ? list_ : slots_; }          ///< slots
  size_t countOf(size_t slot) const { return slot == list_ ? size_ : 1; } ///< of a known one
  /// kUnknown also past the last slot.
  size_t slotOf(size_t position) const {
    if (position < list_)
      return position;
    if (isShared_ || !hasList())
      return kUnknown;
    size_t slot = position < list_ + size_ ? list_ : position - size_ + 1;
    return slot < slots_ ? slot : kUnknown;
  }

private:
  size_t slots_, list_, size_;
  bool isShared_;
};

} // namespace ge

#endif // GE_LIB_OPS_SLOTPOSITIONS_H
