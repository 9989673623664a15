//===- NodeSegments.h - operands that a caller gives as lists ---------------------------------===//
#ifndef GE_LIB_CAPI_NODESEGMENTS_H
#define GE_LIB_CAPI_NODESEGMENTS_H

#include "Guard.h"

#include "ge/IR/Mutation.h"
#include "ge/IR/Segments.h"

#include <optional>
#include <span>
#include <vector>

namespace ge::capi {

/// Operands with the length of each operand parameter, in the form that nodes have. Where the
/// record implies the lengths, absent operands take their places and nothing is stored; elsewhere
/// an absent operand has length 0. Throws Error(Value) for lengths that are no division of the
/// operands or do not fit the record.
class ArrangedOperands {
public:
  /// `slots`: of the record; nothing: there is none. The spans stay the caller's.
  ArrangedOperands(std::span<Value *const> operands, std::span<const int32_t> lengths,
                   const std::optional<std::vector<SegmentSlot>> &slots);
  std::span<Value *const> operands() const { return operands_; }
  std::span<const int32_t> lengths() const { return lengths_; }

private:
  std::span<Value *const> operands_;
  std::span<const int32_t> lengths_;
  std::vector<Value *> ownOperands_;
  std::vector<int32_t> ownLengths_;
};

/// Throws Error(Value) when lengths of results are no division of `count` or do not fit the slots.
void checkResultSegments(std::span<const int32_t> lengths, size_t count,
                         const std::optional<std::vector<SegmentSlot>> &slots);

inline std::span<const int32_t> segmentsOf(const int32_t *lengths, size_t count, const char *what) {
  needArray(lengths, count, what);
  return {lengths, count};
}

/// The slots of an operator's record, if lengths are given: of the form that it has in the opset of
/// a graph (null: the newest).
std::optional<std::vector<SegmentSlot>> slotsFor(const OperatorName *op, const Graph *graph,
                                                 bool ofResults, std::span<const int32_t> lengths);
/// The lengths, or none where the slots imply them.
std::span<const int32_t> notImplied(std::span<const int32_t> lengths, size_t count,
                                    const std::optional<std::vector<SegmentSlot>> &slots);

} // namespace ge::capi

#endif // GE_LIB_CAPI_NODESEGMENTS_H
