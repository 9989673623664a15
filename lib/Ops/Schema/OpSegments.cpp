//===- OpSegments.cpp - lengths of operand and result lists by the record ---------------------===//
#include "ge/Ops/Schema/OpSegments.h"

#include "ge/IR/Node.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge {

uint32_t slotWidth(const SchemaType *type) {
  type = type->required();
  if (type->kind() != SchemaTypeKind::Tuple)
    return 1;
  uint32_t width = 0;
  for (const SchemaType *element : type->elements())
    width += slotWidth(element);
  return width;
}

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

namespace {

bool isConstantPart(const SchemaType *type) {
  switch (type->atom()) {
  case SchemaAtom::Int:
  case SchemaAtom::Float:
  case SchemaAtom::Bool:
  case SchemaAtom::Complex:
  case SchemaAtom::Scalar:
  case SchemaAtom::SymInt:
  case SchemaAtom::SymFloat:
  case SchemaAtom::SymBool:
  case SchemaAtom::Str:
  case SchemaAtom::Device:
  case SchemaAtom::Layout:
  case SchemaAtom::MemoryFormat:
  case SchemaAtom::QScheme:
  case SchemaAtom::Dimname:
    return true;
  default:
    return false;
  }
}

/// `isPart`: an element of a tuple.
bool hasNodeForm(const SchemaType *type, bool isPart) {
  type = type->required();
  auto isTuple = [](const SchemaType *one) {
    return one->required()->kind() == SchemaTypeKind::Tuple;
  };
  auto isTensor = [](const SchemaType *one) { return one->required()->is(SchemaAtom::Tensor); };
  switch (type->kind()) {
  case SchemaTypeKind::Atom:
    return isTensor(type) || (isPart && isConstantPart(type));
  case SchemaTypeKind::Union:
    return std::ranges::any_of(type->elements(), isTensor);
  case SchemaTypeKind::List:
    return !isPart && (isTensor(type->element()) || isTuple(type->element())) &&
           hasNodeForm(type->element(), true);
  case SchemaTypeKind::Tuple:
    return std::ranges::all_of(type->elements(),
                               [](const SchemaType *one) { return hasNodeForm(one, true); });
  default:
    return false;
  }
}

} // namespace

std::string nodeFormFault(const Param &param) {
  if (hasNodeForm(param.type, false))
    return {};
  return cat("operand '", param.name, "' is of type ", param.type->str(),
             ", which no node can hold: the operands of a node are tensors, tuples of tensors, "
             "numbers, bools and texts, and lists of either; call the operator outside of graphs "
             "(ops.call), or declare a parameter for each part");
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
