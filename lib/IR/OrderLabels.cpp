//===- OrderLabels.cpp - list labelling -------------------------------------------------------===//

#include "OrderLabels.h"

namespace ge {

namespace {
constexpr uint64_t kUniverse = uint64_t(1) << 62;
constexpr uint64_t kStride = uint64_t(1) << 30; ///< between neighbours that are appended
constexpr double kDensity = 1.4;                ///< the paper's T, between 1 and 2
} // namespace

void OrderLabels::assign(Node *node) {
  Node *before = node->prev_, *after = node->next_;
  if (!before && !after) {
    node->order_ = kUniverse / 2;
    return;
  }
  uint64_t low = before ? before->order_ : 0;
  uint64_t high = after ? after->order_ : kUniverse;
  if (!after && high - low > 2 * kStride) {
    node->order_ = low + kStride;
  } else if (!before && high - low > 2 * kStride) {
    node->order_ = high - kStride;
  } else if (high - low >= 2) {
    node->order_ = low + (high - low) / 2;
  } else {
    node->order_ = low; // makes room for itself among equals
    relabelAround(node);
  }
}

void OrderLabels::relabelAround(Node *node) {
  Node *first = node, *last = node;
  uint64_t count = 1;
  double capacity = 1;
  for (unsigned bits = 1; bits <= 62; ++bits) {
    uint64_t size = uint64_t(1) << bits;
    uint64_t start = node->order_ & ~(size - 1);
    while (first->prev_ && first->prev_->order_ >= start) {
      first = first->prev_;
      ++count;
    }
    while (last->next_ && last->next_->order_ - start < size) {
      last = last->next_;
      ++count;
    }
    capacity *= 2 / kDensity;
    if (double(count) > capacity && bits < 62)
      continue;
    uint64_t gap = size / (count + 1);
    if (gap < 2 && bits < 62)
      continue;
    uint64_t label = start;
    for (Node *n = first;; n = n->next_) {
      label += gap;
      n->order_ = label;
      if (n == last)
        return;
    }
  }
}

} // namespace ge
