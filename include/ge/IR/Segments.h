//===- Segments.h - lengths of operand and result lists ---------------------------------------===//
//
// The operands of a node are one flat list. Where the record of its operator has several lists of
// operands, or a list before optional operands, that list does not say which operand belongs to
// which parameter: the node stores the length of each parameter (Node::operandSegments). Results
// likewise. Where the record leaves no choice nothing is stored.
//
// The functions here work on slots, the parameters or results of a record; the operator registry
// provides them.
//

#ifndef GE_IR_SEGMENTS_H
#define GE_IR_SEGMENTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ge {

class Node;
class OperatorName;

/// The number of operands that a parameter takes, or of results that a result is.
struct SegmentSlot {
  std::string name;
  uint32_t width = 1;       ///< if it is no list: 1, or the elements of a tuple
  bool isList = false;      ///< any number
  bool isOptional = false;  ///< `width` or 0
  bool isRemainder = false; ///< `...`: what follows the last slot; only the last one
};

/// Whether a flat list does not say how many each slot has: there are several lists, or a list
/// before an optional slot. Optional slots before the list keep their places when absent.
bool leavesChoice(std::span<const SegmentSlot> slots);

/// The length of each slot when there are `count` in all. Nothing if the slots leave a choice or
/// take fewer.
std::optional<std::vector<int32_t>> impliedSegments(std::span<const SegmentSlot> slots,
                                                    size_t count);

/// Why lengths do not fit the slots: "has 3 lengths, ...". Empty: they fit.
std::string segmentsFault(std::span<const SegmentSlot> slots, std::span<const int32_t> lengths);

/// Throws Error(Value) for a negative length and unless they add up to `count`. `what`: "operand".
void checkSegments(std::span<const int32_t> lengths, size_t count, std::string_view what);

/// "(1, 2)".
std::string segmentsText(std::span<const int32_t> lengths);

/// Gives the slots of an operator's newest record; false: it has none.
using SegmentSlotSource = bool (*)(const OperatorName &op, bool ofResults,
                                   std::vector<SegmentSlot> &slots);
/// The registry installs itself when it is loaded.
void setSegmentSlotSource(SegmentSlotSource source);
/// Nothing: there is no record.
std::optional<std::vector<SegmentSlot>> segmentSlots(const OperatorName &op, bool ofResults);

/// `lengths`, or nothing where the record implies them: what a node with `count` operands stores.
std::span<const int32_t> storedSegments(const OperatorName &op, bool ofResults,
                                        std::span<const int32_t> lengths, size_t count);

/// Whether the operands, and the results, are divided alike: as stored, or as the records imply.
/// O(1) for nodes without stored lengths.
bool sameSegments(const Node *a, const Node *b);
/// Equal for nodes with sameSegments and the same operator; 0 for those without stored lengths.
uint64_t hashSegments(const Node *node);

} // namespace ge

#endif // GE_IR_SEGMENTS_H
