//===- Budget.h - how much one execution of a pass may make -----------------------------------===//
//
// A model states sizes, and a large size costs it nothing until memory is allocated. Code that
// allocates by such a size first charges it here, and leaves the node unchanged if the charge is
// refused.
//
#ifndef GE_SUPPORT_BUDGET_H
#define GE_SUPPORT_BUDGET_H

#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace ge {

/// a + b and a * b, or the largest number where that does not fit.
inline uint64_t addSaturated(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<uint64_t>::max() : sum;
}
inline uint64_t multiplySaturated(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

/// Why a charge was refused. Empty (false): it was not.
class Refusal {
public:
  Refusal() = default;
  Refusal(std::string_view unit, uint64_t needed, uint64_t left, uint64_t limit)
      : unit_(unit), needed_(needed), left_(left), limit_(limit) {}
  explicit operator bool() const { return !unit_.empty(); }
  /// "it needs 12 nodes, and 5 of 10 are left; option 'nodes' raises the limit"
  std::string str() const {
    return cat("it needs ", needed_, " ", unit_, ", and ", left_, " of ", limit_,
               " are left; option '", unit_, "' raises the limit");
  }

private:
  std::string_view unit_; ///< a literal, and the name of the option
  uint64_t needed_ = 0, left_ = 0, limit_ = 0;
};

/// Bytes and nodes. Not thread-safe: one execution has one.
class Budget {
public:
  static constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
  /// Refunded bytes may be charged again, up to a multiple of the limit, which bounds the work.
  static constexpr uint64_t kTurnover = 16;

  explicit Budget(uint64_t bytes, uint64_t nodes = kUnlimited)
      : byteLimit_(bytes), nodeLimit_(nodes) {}

  /// Charges both, or nothing.
  [[nodiscard]] Refusal charge(uint64_t bytes, uint64_t nodes = 0) {
    if (nodes > nodeLimit_ - nodes_)
      return {"nodes", nodes, nodeLimit_ - nodes_, nodeLimit_};
    uint64_t workLeft = multiplySaturated(byteLimit_, kTurnover) - worked_;
    uint64_t bytesLeft = std::min(byteLimit_ - bytes_, workLeft);
    if (bytes > bytesLeft)
      return {"bytes", bytes, bytesLeft, byteLimit_};
    bytes_ += bytes;
    worked_ += bytes;
    nodes_ += nodes;
    return {};
  }
  /// What was charged and is freed again, or was not needed.
  void refund(uint64_t bytes) { bytes_ -= bytes; }
  void raise(uint64_t bytes) { byteLimit_ = addSaturated(byteLimit_, bytes); }

private:
  uint64_t byteLimit_, nodeLimit_;
  uint64_t bytes_ = 0, nodes_ = 0, worked_ = 0;
};

} // namespace ge

#endif // GE_SUPPORT_BUDGET_H
