//===- MutationSegments.cpp - the stored lengths of operand and result lists ------------------===//

#include "MutationImpl.h"

#include "ge/IR/Segments.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <utility>

namespace ge {

std::unique_ptr<NodeSegments>
Mutation::Impl::exchangeSegments(Node *node, std::unique_ptr<NodeSegments> segments) {
  if (!segments && !(node->flags_ & Node::kHasExtra))
    return nullptr;
  std::unique_ptr<NodeSegments> old = std::exchange(extra(node).segments, std::move(segments));
  dropExtraIfEmpty(node);
  return old;
}

void Mutation::Impl::setSegments(Node *node, std::span<const int32_t> operands,
                                 std::span<const int32_t> results) {
  operands = storedSegments(*node->op(), false, operands, node->numOperands_);
  results = storedSegments(*node->op(), true, results, node->numResults_);
  if (std::ranges::equal(operands, node->operandSegments()) &&
      std::ranges::equal(results, node->resultSegments()))
    return;
  std::unique_ptr<NodeSegments> made;
  if (!operands.empty() || !results.empty())
    made = std::make_unique<NodeSegments>(
        NodeSegments{{operands.begin(), operands.end()}, {results.begin(), results.end()}});
  forgetInference(node);
  Root &root = node->root();
  record(root, undo::SegmentsSet{node, exchangeSegments(node, std::move(made))});
  notify(root, [&](MutationListener &l) { l.operandChanged(node, UINT32_MAX, nullptr); });
}

namespace {

/// "'b'", or the parameter's number where the operator has no record.
std::string nameOf(const std::optional<std::vector<SegmentSlot>> &slots, size_t parameter) {
  return slots && parameter < slots->size() ? cat("'", (*slots)[parameter].name, "'")
                                            : cat("parameter ", parameter);
}

} // namespace

std::vector<int32_t> Mutation::Impl::segmentsAfterInsertion(const Node *node, uint32_t index,
                                                            uint32_t parameter) {
  std::span<const int32_t> stored = node->operandSegments();
  bool isGiven = parameter != kAnyParameter;
  if (node->isNetOutput() || (stored.empty() && !isGiven && node->numOperands_ != 0))
    return {}; // nothing to keep true: implied, or unknown already
  auto slots = segmentSlots(*node->op(), false);
  std::vector<int32_t> lengths(stored.begin(), stored.end());
  if (lengths.empty()) {
    if (slots && leavesChoice(*slots) && node->numOperands_ == 0) {
      lengths.assign(slots->size(), 0);
    } else if (auto implied = slots ? impliedSegments(*slots, node->numOperands_) : std::nullopt) {
      if (!isGiven)
        return {};
      lengths = std::move(*implied);
    } else {
      if (isGiven)
        throwError(ErrorKind::Value, node->describe(), " does not say which operands belong to ",
                   nameOf(slots, parameter), "; set the lengths of its operand lists first");
      return {};
    }
  }
  if (slots && lengths.size() < slots->size())
    lengths.resize(slots->size());
  if (isGiven && parameter >= lengths.size())
    throwError(ErrorKind::Index, node->describe(), " has ", lengths.size(),
               " operand parameters, no parameter ", parameter);
  std::vector<size_t> candidates;
  uint32_t begin = 0;
  for (size_t i = 0; i != lengths.size(); ++i) {
    uint32_t end = begin + uint32_t(lengths[i]);
    bool isInside = index >= begin && index <= end;
    if (isGiven && i == parameter && !isInside)
      throwError(ErrorKind::Value, "place ", index, " is not in the operands of ", nameOf(slots, i),
                 " of ", node->describe(), ", which are from ", begin, " to ", end);
    const SegmentSlot *slot = slots && i < slots->size() ? &(*slots)[i] : nullptr;
    bool isFull =
        slot && !slot->isList && !slot->isRemainder && uint32_t(lengths[i]) >= slot->width;
    if (isInside && (isGiven ? i == parameter : !isFull))
      candidates.push_back(i);
    begin = end;
  }
  if (candidates.size() != 1)
    throwError(ErrorKind::Value, "place ", index, " of ", node->describe(),
               candidates.empty() ? std::string(" is in no list of operands")
                                  : cat(" is the end of ", nameOf(slots, candidates.front()),
                                        " and the beginning of ", nameOf(slots, candidates.back()),
                                        "; name the parameter that takes the operand"));
  ++lengths[candidates.front()];
  return lengths;
}

void Mutation::setOperandSegments(Node *node, std::span<const int32_t> lengths) {
  checkSegments(lengths, node->numOperands_, "operand");
  Impl::setSegments(node, std::vector<int32_t>(lengths.begin(), lengths.end()),
                    node->resultSegments());
}

void Mutation::setResultSegments(Node *node, std::span<const int32_t> lengths) {
  checkSegments(lengths, node->numResults_, "result");
  Impl::setSegments(node, node->operandSegments(),
                    std::vector<int32_t>(lengths.begin(), lengths.end()));
}

} // namespace ge
