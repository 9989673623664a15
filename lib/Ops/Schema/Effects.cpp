//===- Effects.cpp - which values operators write, by the alias sets of their schemas ---------===//
#include "ge/Ops/Schema/Effects.h"

#include "SlotPositions.h"

#include <unordered_map>
#include <vector>

namespace ge {

bool isWrite(const AliasInfo &alias) {
  if (alias.isWrite)
    return true;
  for (const AliasInfo &inner : alias.contained)
    if (isWrite(inner))
      return true;
  return false;
}

namespace {

void collectSets(const AliasInfo &alias, std::vector<std::string_view> &sets) {
  sets.insert(sets.end(), alias.before.begin(), alias.before.end());
  sets.insert(sets.end(), alias.after.begin(), alias.after.end());
  for (const AliasInfo &inner : alias.contained)
    collectSets(inner, sets);
}

/// What is kept of an operator.
enum class Effect : uint8_t { Unknown, None, Aliases, Writes };

Effect effectOf(const OpDef *def) {
  if (!def)
    return Effect::None;
  if (writesOperands(*def))
    return Effect::Writes;
  for (const Result &result : def->results)
    if (result.alias)
      return Effect::Aliases;
  return Effect::None;
}

/// Values in one storage have one representative.
class Storages {
public:
  const Value *find(const Value *value) {
    auto [at, isNew] = parents_.try_emplace(value, value);
    if (isNew || at->second == value)
      return value;
    const Value *top = value;
    for (const Value *up = parents_[top]; up != top; up = parents_[top])
      top = up;
    while (value != top)
      value = std::exchange(parents_[value], top);
    return top;
  }
  void join(const Value *a, const Value *b) {
    if (a && b)
      parents_[find(a)] = find(b);
  }
  void write(const Value *value) {
    if (value)
      written_.push_back(value);
  }
  std::unordered_set<const Value *> take() {
    std::unordered_set<const Value *> tops, all;
    for (const Value *value : written_)
      tops.insert(find(value));
    if (tops.empty())
      return all;
    for (auto &[value, parent] : parents_)
      all.insert(value);
    std::erase_if(all, [&](const Value *value) { return !tops.contains(find(value)); });
    return all;
  }

private:
  std::unordered_map<const Value *, const Value *> parents_;
  std::vector<const Value *> written_;
};

class EffectCollector {
public:
  explicit EffectCollector(const std::function<const OpDef *(const Node *)> &definition)
      : definition_(definition) {}

  /// Whether anything in it is written.
  bool visit(const Graph &graph) {
    bool writes = false;
    for (const Node *node = graph.front(); node; node = node->next()) {
      Effect effect = of(node);
      writes |= effect == Effect::Writes;
      if (effect > Effect::None)
        connect(node, *definition_(node));
      if (node->subgraphs().empty())
        continue;
      bool inner = false;
      for (const Graph *body : node->subgraphs())
        inner |= visit(*body);
      if (inner)
        joinAll(node);
      writes |= inner;
    }
    return writes;
  }
  std::unordered_set<const Value *> take() { return storages_.take(); }

private:
  Effect of(const Node *node) {
    uint32_t id = node->opId();
    if (id >= effects_.size())
      effects_.resize(id + 1, Effect::Unknown);
    if (effects_[id] == Effect::Unknown)
      effects_[id] = effectOf(definition_(node));
    return effects_[id];
  }

  void connect(const Node *node, const OpDef &def) {
    bySet_.clear();
    std::span<const uint32_t> params = def.operands();
    each(
        params.size(), node->numOperands(),
        [&](size_t slot) -> const Slot & { return def.params[params[slot]]; },
        [&](uint32_t i) { return node->operand(i); }, true, def.hasOperandChoice(),
        node->operandSegments());
    each(
        def.results.size(), node->numResults(),
        [&](size_t slot) -> const Slot & { return def.results[slot]; },
        [&](uint32_t i) { return node->result(i); }, false, def.hasResultChoice(),
        node->resultSegments());
    const Value *any = bySet_.contains("*") ? bySet_["*"] : nullptr;
    for (auto &[set, value] : bySet_)
      storages_.join(any, value);
  }

  template <typename SlotAt, typename ValueAt>
  void each(size_t slots, uint32_t count, SlotAt slotAt, ValueAt valueAt, bool areOperands,
            bool hasChoice, std::span<const int32_t> lengths) {
    SlotPositions positions(slots, count, slotAt, hasChoice, lengths);
    for (uint32_t i = 0; i != count; ++i) {
      const Value *value = valueAt(i);
      size_t at = positions.slotOf(i);
      if (!value || at == SlotPositions::kUnknown)
        continue;
      const Slot &slot = slotAt(at);
      if (!slot.alias)
        continue;
      if (areOperands && isWrite(*slot.alias))
        storages_.write(value);
      std::vector<std::string_view> sets;
      collectSets(*slot.alias, sets);
      for (std::string_view set : sets) {
        auto [found, isNew] = bySet_.try_emplace(set, value);
        if (!isNew)
          storages_.join(found->second, value);
      }
    }
  }

  void joinAll(const Node *node) {
    const Value *first = nullptr;
    auto join = [&](const Value *value) {
      if (!value)
        return;
      storages_.join(first ? first : value, value);
      first = value;
    };
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      join(node->operand(i));
    for (uint32_t i = 0; i != node->numResults(); ++i)
      join(node->result(i));
    for (const Graph *body : node->subgraphs()) {
      for (uint32_t i = 0; i != body->numInputs(); ++i)
        join(body->input(i));
      for (uint32_t i = 0; i != body->numOutputs(); ++i)
        join(body->outputValue(i));
    }
  }

  const std::function<const OpDef *(const Node *)> &definition_;
  std::vector<Effect> effects_; ///< by operator
  std::unordered_map<std::string_view, const Value *> bySet_;
  Storages storages_;
};

} // namespace

bool writesOperands(const OpSpec &spec) {
  for (const Param &param : spec.params)
    if (param.alias && isWrite(*param.alias))
      return true;
  return false;
}

std::unordered_set<const Value *>
writtenValues(const Graph &root, const std::function<const OpDef *(const Node *)> &definition) {
  EffectCollector collector(definition);
  collector.visit(root);
  return collector.take();
}

} // namespace ge
