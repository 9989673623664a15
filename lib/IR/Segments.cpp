//===- Segments.cpp - lengths of operand and result lists -------------------------------------===//

#include "ge/IR/Segments.h"

#include "ge/IR/Node.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <atomic>

namespace ge {

namespace {

std::atomic<SegmentSlotSource> source{nullptr};

constexpr auto kIsList = &SegmentSlot::isList;

} // namespace

bool leavesChoice(std::span<const SegmentSlot> slots) {
  auto list = std::ranges::find_if(slots, kIsList);
  return list != slots.end() && std::any_of(list + 1, slots.end(), [](const SegmentSlot &slot) {
           return !slot.isRemainder && (slot.isList || slot.isOptional);
         });
}

std::optional<std::vector<int32_t>> impliedSegments(std::span<const SegmentSlot> slots,
                                                    size_t count) {
  std::vector<int32_t> lengths(slots.size());
  if (count == 0)
    return lengths;
  if (leavesChoice(slots))
    return std::nullopt;
  size_t singles = 0, left = count;
  for (const SegmentSlot &slot : slots)
    singles += slot.isList || slot.isRemainder ? 0 : slot.width;
  for (size_t i = 0; i != slots.size(); ++i) {
    size_t wanted = slots[i].isList        ? count - std::min(count, singles)
                    : slots[i].isRemainder ? left
                                           : slots[i].width;
    lengths[i] = int32_t(std::min(left, wanted));
    left -= size_t(lengths[i]);
  }
  if (left != 0)
    return std::nullopt;
  return lengths;
}

std::string segmentsFault(std::span<const SegmentSlot> slots, std::span<const int32_t> lengths) {
  if (lengths.size() > slots.size())
    return cat("has the lengths ", segmentsText(lengths), " for ", slots.size(),
               slots.size() == 1 ? " parameter" : " parameters");
  for (size_t i = 0; i != lengths.size(); ++i) {
    const SegmentSlot &slot = slots[i];
    auto length = uint32_t(lengths[i]);
    if (!slot.isList && !slot.isRemainder && length != 0 && length != slot.width)
      return cat("has the lengths ", segmentsText(lengths), ", but '", slot.name, "' takes ",
                 slot.width, " at most, not ", length);
  }
  if (auto implied = impliedSegments(slots, [&] {
        size_t sum = 0;
        for (int32_t length : lengths)
          sum += size_t(length);
        return sum;
      }())) {
    std::vector<int32_t> given(lengths.begin(), lengths.end());
    given.resize(slots.size());
    if (given != *implied)
      return cat("has the lengths ", segmentsText(lengths), ", the operator's record implies ",
                 segmentsText(*implied));
  }
  return {};
}

void checkSegments(std::span<const int32_t> lengths, size_t count, std::string_view what) {
  if (lengths.empty())
    return;
  uint64_t sum = 0;
  for (int32_t length : lengths) {
    if (length < 0)
      throwError(ErrorKind::Value, "the length of a list of ", what,
                 "s is negative: ", segmentsText(lengths));
    sum += uint32_t(length);
  }
  if (sum != count)
    throwError(ErrorKind::Value, "the lengths ", segmentsText(lengths), " of lists of ", what,
               "s add up to ", sum, ", the node has ", count, " ", what, count == 1 ? "" : "s");
}

std::string segmentsText(std::span<const int32_t> lengths) {
  constexpr size_t kMost = 32;
  std::string text = "(";
  for (size_t i = 0; i != std::min(lengths.size(), kMost); ++i)
    text += cat(i ? ", " : "", lengths[i]);
  return text + (lengths.size() > kMost ? ", ...)" : lengths.size() == 1 ? ",)" : ")");
}

void setSegmentSlotSource(SegmentSlotSource now) { source.store(now); }

std::optional<std::vector<SegmentSlot>> segmentSlots(const OperatorName &op, bool ofResults) {
  SegmentSlotSource from = source.load(std::memory_order_acquire);
  std::optional<std::vector<SegmentSlot>> slots(std::in_place);
  if (!from || !from(op, ofResults, *slots))
    slots.reset();
  return slots;
}

std::span<const int32_t> storedSegments(const OperatorName &op, bool ofResults,
                                        std::span<const int32_t> lengths, size_t count) {
  if (lengths.empty())
    return {};
  auto slots = segmentSlots(op, ofResults);
  auto implied = slots ? impliedSegments(*slots, count) : std::nullopt;
  if (!implied)
    return lengths;
  bool isSame = lengths.size() <= implied->size() &&
                std::ranges::equal(lengths, std::span(*implied).first(lengths.size()));
  return isSame ? std::span<const int32_t>() : lengths;
}

namespace {

/// The lengths of a node's lists without empty ones at the end. Nothing if they are unknown.
std::optional<std::vector<int32_t>> compared(const Node *node, bool ofResults) {
  std::span<const int32_t> stored = ofResults ? node->resultSegments() : node->operandSegments();
  std::optional<std::vector<int32_t>> lengths;
  if (!stored.empty())
    lengths.emplace(stored.begin(), stored.end());
  else if (auto slots = segmentSlots(*node->op(), ofResults))
    lengths = impliedSegments(*slots, ofResults ? node->numResults() : node->numOperands());
  while (lengths && !lengths->empty() && lengths->back() == 0)
    lengths->pop_back();
  return lengths;
}

bool haveSame(const Node *a, const Node *b, bool ofResults) {
  bool isStored = ofResults ? !a->resultSegments().empty() || !b->resultSegments().empty()
                            : !a->operandSegments().empty() || !b->operandSegments().empty();
  return !isStored || compared(a, ofResults) == compared(b, ofResults);
}

uint64_t hashOf(const Node *node, bool ofResults) {
  if ((ofResults ? node->resultSegments() : node->operandSegments()).empty())
    return 0;
  // What the record implies has the hash of a node without stored lengths.
  if (auto slots = segmentSlots(*node->op(), ofResults); slots && !leavesChoice(*slots))
    return 0;
  uint64_t hash = 0;
  std::optional<std::vector<int32_t>> lengths = compared(node, ofResults);
  for (int32_t length : *lengths)
    hash = hashCombine(hash, uint64_t(length) + 1);
  return hash;
}

} // namespace

bool sameSegments(const Node *a, const Node *b) {
  return haveSame(a, b, false) && haveSame(a, b, true);
}

uint64_t hashSegments(const Node *node) {
  uint64_t operands = hashOf(node, false), results = hashOf(node, true);
  return operands || results ? hashCombine(operands, results) : 0;
}

} // namespace ge
