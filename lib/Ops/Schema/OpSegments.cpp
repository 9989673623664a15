//===- OpSegments.cpp - lengths of operand and result lists by the record ---------------------===//
#include "ge/Ops/Schema/OpSegments.h"

#include "SlotPositions.h"

#include "ge/IR/Node.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge {

namespace {

SegmentSlot slotOf(const Slot &slot, bool hasDefault) {
  SegmentSlot made;
  made.name = slot.name;
  made.isList = slot.isVariadic();
  made.isOptional = slot.type->isOptional() || hasDefault;
  if (!made.isList)
    made.width = slotWidth(slot.type);
  return made;
}

void addRemainder(std::vector<SegmentSlot> &slots, bool isOpen) {
  if (isOpen)
    slots.push_back({"...", 1, false, true, true});
}

std::optional<std::vector<int32_t>> lengthsOf(std::span<const int32_t> stored, size_t count,
                                              std::vector<SegmentSlot> slots) {
  if (!stored.empty())
    return std::vector<int32_t>(stored.begin(), stored.end());
  return impliedSegments(slots, count);
}

} // namespace

std::vector<SegmentSlot> operandSlots(const OpDef &def) {
  std::vector<SegmentSlot> slots;
  for (const Param &param : def.params)
    if (param.isOperand())
      slots.push_back(slotOf(param, param.defaultValue.has_value()));
  addRemainder(slots, def.vararg);
  return slots;
}

std::vector<SegmentSlot> resultSlots(const OpDef &def) {
  std::vector<SegmentSlot> slots;
  for (const Result &result : def.results)
    slots.push_back(slotOf(result, false));
  addRemainder(slots, def.varret);
  return slots;
}

std::optional<std::vector<int32_t>> operandSegments(const Node *node, const OpDef *def) {
  if (!def && node->operandSegments().empty())
    return std::nullopt;
  return lengthsOf(node->operandSegments(), node->numOperands(),
                   def ? operandSlots(*def) : std::vector<SegmentSlot>());
}

std::optional<std::vector<int32_t>> resultSegments(const Node *node, const OpDef *def) {
  if (!def && node->resultSegments().empty())
    return std::nullopt;
  return lengthsOf(node->resultSegments(), node->numResults(),
                   def ? resultSlots(*def) : std::vector<SegmentSlot>());
}

bool takesLists(const OpDef &def) { return std::ranges::any_of(def.params, &Param::isVariadic); }

std::string missingSegmentsText(const OpDef &def, bool ofResults, size_t count) {
  std::string names;
  for (const SegmentSlot &slot : ofResults ? resultSlots(def) : operandSlots(def))
    if (!slot.isRemainder)
      names += cat(names.empty() ? "'" : "', '", slot.name);
  const char *what = ofResults ? "result" : "operand";
  return cat("has ", count, " ", what, count == 1 ? "" : "s", " for ", names,
             "', and does not say how many each of these takes; set its ", what,
             "_segments, the length of each");
}

} // namespace ge
