//===- NarrowFloats.cpp - arithmetic of f16 and bf16, which runtimes do in f32 ----------------===//
//
// Looks at nodes and rewrites nothing, so it needs no matcher.
//
#include "NarrowFloats.h"

#include "PassEditor.h"

#include "ge/IR/FloatFormat.h"

#include <algorithm>
#include <vector>

namespace ge::builtin {

namespace {

/// Operators that move elements.
bool movesData(const Node *node) {
  constexpr std::string_view kOps[] = {
      "Concat",   "Constant", "ConstantOfShape", "Expand", "Flatten", "Gather",  "GatherND",
      "Identity", "Pad",      "Reshape",         "Slice",  "Split",   "Squeeze", "Transpose",
      "Tile",     "Unsqueeze"};
  return std::ranges::any_of(kOps, [&](std::string_view op) { return isOnnx(node, op); });
}

bool isNarrow(const Value *value) {
  DType type = dtypeOf(value);
  return type == DType::F16 || type == DType::BF16;
}

/// Computes with numbers of 16 bits, or rounds to them: a runtime also leaves out the Cast to 16
/// bits before such a computation.
bool isNarrowArithmetic(const Node *node) {
  bool isOfNarrow = node->numResults() != 0 && isNarrow(node->result(0));
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    isOfNarrow |= node->operand(i) && isNarrow(node->operand(i));
  bool widens = isOnnx(node, "Cast") && node->numOperands() == 1 && isNarrow(node->operand(0));
  return isOfNarrow && !widens && !movesData(node);
}

/// Its results jump where the operand changes by a rounding.
bool amplifies(const Node *node) {
  constexpr std::string_view kOps[] = {"Ceil", "Floor", "Round", "Sign", "Mod"};
  return !node->numResults() || !hasFloatFormat(dtypeOf(node->result(0))) ||
         std::ranges::any_of(kOps, [&](std::string_view op) { return isOnnx(node, op); });
}

bool reachesAmplifier(const Node *node) {
  std::vector<const Node *> waiting{node};
  for (size_t next = 0; next != waiting.size() && next != 64; ++next)
    for (uint32_t i = 0; i != waiting[next]->numResults(); ++i)
      for (const Use *use = waiting[next]->result(i)->firstUse(); use; use = use->next()) {
        const Node *user = use->owner();
        if (user->isNetOutput() || std::ranges::find(waiting, user) != waiting.end())
          continue;
        if (amplifies(user))
          return true;
        if (waiting.size() != 64)
          waiting.push_back(user);
      }
  return false;
}

} // namespace

bool roundsOtherwise(const Node *node, bool isExact) {
  if (!isNarrowArithmetic(node))
    return false;
  if (isExact)
    for (uint32_t i = 0; i != node->numResults(); ++i)
      for (const Use *use = node->result(i)->firstUse(); use; use = use->next())
        if (isNarrowArithmetic(use->owner()) || amplifies(use->owner()))
          return true;
  return amplifies(node) || reachesAmplifier(node);
}

} // namespace ge::builtin
