//===- Deferred.cpp - folded constants that are not yet in the graph --------------------------===//
//
// Stores constants and rewrites nothing, so it needs no matcher.
//
#include "Deferred.h"

#include <algorithm>

namespace ge::builtin {

const TensorPtr &DeferredConstant::tensor() {
  if (parts.size() > 1) {
    std::vector<TensorPtr> all(parts.begin(), parts.end());
    parts.assign(1, concatenate(type, axis, all));
  }
  return parts.front();
}

DeferredConstant *DeferredConstants::find(const Value *value) {
  if (byValue_.empty()) // most often
    return nullptr;
  auto found = byValue_.find(value);
  return found == byValue_.end() ? nullptr : &found->second;
}

std::optional<DeferredConstant> DeferredConstants::take(const Value *value) {
  auto found = byValue_.find(value);
  if (found == byValue_.end())
    return std::nullopt;
  std::optional<DeferredConstant> taken(std::move(found->second));
  byValue_.erase(found);
  return taken;
}

DeferredConstant DeferredConstants::join(const Type *type, size_t axis,
                                         std::span<Value *const> operands,
                                         std::span<const TensorPtr> constants) {
  std::vector<std::deque<TensorPtr>> lists;
  uint64_t charged = 0;
  for (size_t i = 0; i != operands.size(); ++i) {
    std::deque<TensorPtr> &list = lists.emplace_back();
    if (std::optional<DeferredConstant> taken = take(operands[i])) {
      charged += taken->charged;
      if (taken->axis != axis)
        taken->tensor();
      list = std::move(taken->parts);
    } else {
      list.push_back(constants[i]);
    }
  }
  auto largest = std::ranges::max_element(lists, {}, [](const auto &list) { return list.size(); });
  std::deque<TensorPtr> joined = std::move(*largest);
  for (auto list = largest; list != lists.begin();) {
    --list;
    joined.insert(joined.begin(), list->begin(), list->end());
  }
  for (auto list = largest + 1; list != lists.end(); ++list)
    joined.insert(joined.end(), list->begin(), list->end());
  return {type, axis, std::move(joined), charged};
}

std::vector<const Value *> DeferredConstants::values() const {
  std::vector<const Value *> values;
  for (const auto &[value, constant] : byValue_)
    values.push_back(value);
  return values;
}

} // namespace ge::builtin
