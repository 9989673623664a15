//===- NodeSegments.cpp - ge-c/IR.h: lengths of operand and result lists ----------------------===//
#include "NodeSegments.h"

#include "Live.h"
#include "Ops.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Run/Call/Call.h"

#include <algorithm>

using namespace ge;
using namespace ge::capi;

namespace {

/// Throws for lengths that do not fit the slots. Of those that the record implies only the widths
/// count: absent operands are added later.
void needFit(std::span<const SegmentSlot> slots, std::span<const int32_t> lengths) {
  std::string fault;
  if (lengths.size() > slots.size() || leavesChoice(slots))
    fault = segmentsFault(slots, lengths);
  for (size_t i = 0; fault.empty() && i != lengths.size(); ++i)
    if (const SegmentSlot &slot = slots[i];
        !slot.isList && !slot.isRemainder && uint32_t(lengths[i]) > slot.width)
      fault = cat("has ", lengths[i], " operands for '", slot.name, "', which takes ", slot.width);
  if (!fault.empty())
    throwError(ErrorKind::Value, "the node ", fault);
}

} // namespace

namespace ge::capi {

ArrangedOperands::ArrangedOperands(std::span<Value *const> operands,
                                   std::span<const int32_t> lengths,
                                   const std::optional<std::vector<SegmentSlot>> &slots)
    : operands_(operands), lengths_(lengths) {
  if (lengths.empty())
    return;
  checkSegments(lengths, operands.size(), "operand");
  if (!slots)
    return;
  needFit(*slots, lengths);
  bool hasChoice = leavesChoice(*slots);
  size_t next = 0;
  for (size_t i = 0; i != slots->size(); ++i) {
    const SegmentSlot &slot = (*slots)[i];
    size_t length = i < lengths.size() ? size_t(lengths[i]) : 0;
    std::span<Value *const> own = operands.subspan(next, length);
    next += length;
    bool isSingle = !slot.isList && !slot.isRemainder;
    if (hasChoice && isSingle && std::ranges::all_of(own, [](Value *v) { return !v; }))
      own = {};
    ownOperands_.insert(ownOperands_.end(), own.begin(), own.end());
    if (!hasChoice && isSingle)
      ownOperands_.resize(ownOperands_.size() + slot.width - own.size());
    ownLengths_.push_back(int32_t(own.size()));
  }
  if (!hasChoice) {
    // As builders leave absent operands out at the end, but for those of a list.
    size_t most = ownOperands_.size();
    for (size_t i = slots->size(); i != 0 && !(*slots)[i - 1].isList; --i)
      for (uint32_t k = 0; k != (*slots)[i - 1].width && most && !ownOperands_[most - 1]; ++k)
        --most;
    ownOperands_.resize(most);
    ownLengths_.clear();
  }
  operands_ = ownOperands_;
  lengths_ = ownLengths_;
}

void checkResultSegments(std::span<const int32_t> lengths, size_t count,
                         const std::optional<std::vector<SegmentSlot>> &slots) {
  checkSegments(lengths, count, "result");
  if (slots && !lengths.empty())
    needFit(*slots, lengths);
}

/// The record of an operator in the opset of a graph; null: it has none.
static OpDefRef recordIn(const OperatorName *op, const Graph *graph) {
  return recordOf(op, graph ? opsetOf(graph, op->domain()) : 0);
}

std::optional<std::vector<SegmentSlot>> slotsFor(const OperatorName *op, const Graph *graph,
                                                 bool ofResults, std::span<const int32_t> lengths) {
  if (lengths.empty())
    return std::nullopt;
  if (OpDefRef record = recordIn(op, graph))
    return ofResults ? resultSlots(*record) : operandSlots(*record);
  return segmentSlots(*op, ofResults);
}

std::span<const int32_t> notImplied(std::span<const int32_t> lengths, size_t count,
                                    const std::optional<std::vector<SegmentSlot>> &slots) {
  auto implied = slots ? impliedSegments(*slots, count) : std::nullopt;
  bool isImplied = implied && lengths.size() <= implied->size() &&
                   std::ranges::equal(lengths, std::span(*implied).first(lengths.size()));
  return isImplied ? std::span<const int32_t>() : lengths;
}

} // namespace ge::capi

namespace {

OpDefRef recordOf(const Node *node) { return recordIn(node->op(), node->graph()); }

void giveLengths(const std::optional<std::vector<int32_t>> &lengths, int32_t *out, size_t capacity,
                 size_t *count, bool *known) {
  needArray(out, capacity, "out");
  size_t &size = result(count, "count");
  size = lengths ? lengths->size() : 0;
  if (known)
    *known = lengths.has_value();
  if (lengths)
    std::copy_n(lengths->begin(), std::min(size, capacity), out);
}

} // namespace

GeStatus geNodeGetOperandSegments(GeNodeRef *node, int32_t *out, size_t capacity, size_t *count,
                                  bool *known) {
  return guarded([&] {
    Reading<Node> n(node, "node");
    giveLengths(operandSegments(n.get(), recordOf(n.get()).get()), out, capacity, count, known);
  });
}

GeStatus geNodeGetResultSegments(GeNodeRef *node, int32_t *out, size_t capacity, size_t *count,
                                 bool *known) {
  return guarded([&] {
    Reading<Node> n(node, "node");
    giveLengths(resultSegments(n.get(), recordOf(n.get()).get()), out, capacity, count, known);
  });
}

GeStatus geNodeSetOperandSegments(GeNodeRef *node, const int32_t *lengths, size_t count) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    std::span<const int32_t> given = segmentsOf(lengths, count, "lengths");
    checkSegments(given, n->numOperands(), "operand");
    auto slots = slotsFor(n->op(), n->graph(), false, given);
    if (slots)
      needFit(*slots, given);
    Mutation::setOperandSegments(n.get(), notImplied(given, n->numOperands(), slots));
  });
}

GeStatus geNodeSetResultSegments(GeNodeRef *node, const int32_t *lengths, size_t count) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    std::span<const int32_t> given = segmentsOf(lengths, count, "lengths");
    auto slots = slotsFor(n->op(), n->graph(), true, given);
    checkResultSegments(given, n->numResults(), slots);
    Mutation::setResultSegments(n.get(), notImplied(given, n->numResults(), slots));
  });
}

GeStatus geNodeSetOperandLists(GeNodeRef *node, GeValueRef *const *values, size_t count,
                               const int32_t *lengths, size_t numLengths) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Peers<Value> operands(n, values, count, "values", true);
    std::span<const int32_t> given = segmentsOf(lengths, numLengths, "lengths");
    if (n->isNetOutput())
      throwError(ErrorKind::Value, "outputs of a graph have no lists; use geGraphSetOutputs");
    ArrangedOperands arranged(operands, given, slotsFor(n->op(), n->graph(), false, given));
    if (arranged.lengths().empty() && !n->operandSegments().empty())
      Mutation::setOperandSegments(n.get(), {});
    Mutation::setOperands(n.get(), arranged.operands(), arranged.lengths());
  });
}

GeStatus geNodeInsertOperandOf(GeNodeRef *node, size_t parameter, size_t index, GeValueRef *value) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    Value *operand = n.peerOrNull<Value>(value, "value");
    uint32_t place = needIndex("place for an operand", index, size_t(n->numOperands()) + 1);
    if (parameter >= Mutation::kAnyParameter)
      throwError(ErrorKind::Index, n->describe(), " has no operand parameter ", parameter);
    Mutation::insertOperand(n.get(), place, operand, uint32_t(parameter));
  });
}
