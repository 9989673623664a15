//===- Origins.cpp - where nodes come from ----------------------------------------------------===//
#include "MutationImpl.h"

#include <algorithm>
#include <cstring>

namespace ge {

OriginView Origins::operator[](size_t index) const {
  const OriginList::Entry *entries = list_->entries();
  const OriginList::Entry &entry = entries[index];
  uint32_t begin = index ? entries[index - 1].textEnd : 0;
  auto identifier = [&](uint32_t id) {
    return id == OriginList::kNone ? nullptr : context_->identifierAt(id);
  };
  return {{list_->text() + begin, entry.textEnd - begin},
          entry.op == OriginList::kNone ? nullptr : context_->operatorAt(entry.op),
          identifier(entry.pass),
          identifier(entry.rule),
          entry.where == OriginList::kNone ? nullptr : context_->locationAt(entry.where)};
}

Origins Node::origins() const {
  const Root &root = this->root();
  const OriginList *list = nullptr;
  if (flags_ & kHasOrigins) {
    uint32_t operands =
        flags_ & kOperandsOutside ? NodeBlock::inlineOperands(uses()) : numOperands_;
    list = flags_ & NodeBlock::kHasOriginPlace ? NodeBlock::originPlace(this, numResults_, operands)
                                               : root.origins_.find(this)->second;
  }
  return {root.context(), list};
}

// --- The packed list

namespace {

OriginList *newList(Arena &arena, size_t capacity, size_t textCapacity) {
  if (textCapacity > UINT32_MAX || capacity > UINT32_MAX)
    throwError(ErrorKind::Value, "the origins of a node have more than 4 GiB of names");
  auto *list = static_cast<OriginList *>(arena.allocate(OriginList::bytes(capacity, textCapacity)));
  *list = {0, uint32_t(capacity), uint32_t(textCapacity)};
  return list;
}

void use(Root &root, const OriginView &origin) {
  for (const Identifier *text : {origin.pass, origin.rule})
    if (text)
      root.interned().use(text);
  if (origin.where)
    root.interned().use(origin.where);
}

/// Writes without a check: the buffer is large enough.
void append(OriginList &list, const OriginView &origin) {
  auto id = [](const auto *object) { return object ? object->id() : OriginList::kNone; };
  uint32_t begin = list.textSize();
  if (!origin.node.empty())
    std::memcpy(list.text() + begin, origin.node.data(), origin.node.size());
  list.entries()[list.count++] = {begin + uint32_t(origin.node.size()), id(origin.op),
                                  id(origin.pass), id(origin.rule), id(origin.where)};
}

} // namespace

OriginList *Mutation::Impl::packOrigins(Root &root, std::span<const OriginView> origins) {
  if (origins.empty())
    return nullptr;
  size_t text = 0;
  for (const OriginView &origin : origins)
    text += origin.node.size();
  OriginList *list = newList(root.arena_, origins.size(), text);
  auto id = [](const auto *object) { return object ? object->id() : OriginList::kNone; };
  OriginList::Entry *entry = list->entries();
  char *to = list->text();
  const OriginView *last = nullptr; // consecutive origins usually share pass, rule and location
  uint32_t pass = 0, rule = 0, where = 0, end = 0;
  for (const OriginView &origin : origins) {
    if (!last || origin.pass != last->pass || origin.rule != last->rule ||
        origin.where != last->where) {
      use(root, origin);
      pass = id(origin.pass);
      rule = id(origin.rule);
      where = id(origin.where);
    }
    if (!origin.node.empty())
      std::memcpy(to + end, origin.node.data(), origin.node.size());
    end += uint32_t(origin.node.size());
    *entry++ = {end, id(origin.op), pass, rule, where};
    last = &origin;
  }
  list->count = uint32_t(origins.size());
  return list;
}

void Mutation::Impl::freeOrigins(Root &root, OriginList *list) {
  if (list)
    root.arena_.deallocate(list, OriginList::bytes(list->capacity, list->textCapacity));
}

OriginList *Mutation::Impl::originsOf(const Node *node) {
  if (!(node->flags_ & Node::kHasOrigins))
    return nullptr;
  if (node->flags_ & NodeBlock::kHasOriginPlace)
    return originPlace(node);
  return node->root().origins_.find(node)->second;
}

OriginList *Mutation::Impl::exchangeOrigins(Node *node, OriginList *list) {
  if (node->flags_ & NodeBlock::kHasOriginPlace) {
    node->flags_ = list ? node->flags_ | Node::kHasOrigins : node->flags_ & ~Node::kHasOrigins;
    return std::exchange(originPlace(node), list);
  }
  Root &root = node->root();
  bool had = node->flags_ & Node::kHasOrigins;
  if (!had && !list)
    return nullptr;
  if (!had) {
    root.origins_.emplace(node, list);
    node->flags_ |= Node::kHasOrigins;
    return nullptr;
  }
  auto it = root.origins_.find(node);
  OriginList *old = std::exchange(it->second, list);
  if (!list) {
    root.origins_.erase(it);
    node->flags_ &= ~Node::kHasOrigins;
  }
  return old;
}

void Mutation::Impl::popOrigin(Node *node) {
  if (--originsOf(node)->count == 0)
    freeOrigins(node->root(), exchangeOrigins(node, nullptr));
}

// --- Primitives

void Mutation::setOrigins(Node *node, std::span<const OriginView> origins) {
  Root &root = node->root();
  OriginList *list = Impl::packOrigins(root, origins);
  OriginList *old = Impl::exchangeOrigins(node, list);
  const Journal *journal = root.journal_.get();
  if (journal && !journal->justMade(node))
    return Impl::record(root, undo::OriginsSet{node, old});
  Impl::freeOrigins(root, old);
  ++root.changeCount_;
}

void Mutation::setOrigins(Node *node, const std::vector<Origin> &origins) {
  std::vector<OriginView> views(origins.begin(), origins.end());
  setOrigins(node, std::span<const OriginView>(views));
}

void Mutation::addOrigin(Node *node, const OriginView &origin) {
  Root &root = node->root();
  OriginList *list = Impl::originsOf(node);
  uint32_t text = list ? list->textSize() : 0;
  if (!list) {
    Impl::exchangeOrigins(node, Impl::packOrigins(root, {&origin, 1}));
  } else if (list->count < list->capacity && list->textCapacity - text >= origin.node.size()) {
    use(root, origin);
    append(*list, origin);
  } else {
    OriginList *larger =
        newList(root.arena_, 2 * size_t(list->count) + 1, 2 * (size_t(text) + origin.node.size()));
    std::copy_n(list->entries(), list->count, larger->entries());
    std::copy_n(list->text(), text, larger->text());
    larger->count = list->count;
    use(root, origin);
    append(*larger, origin);
    Impl::freeOrigins(root, Impl::exchangeOrigins(node, larger));
  }
  Impl::record(root, undo::OriginAdded{node});
}

Origin Mutation::originFrom(const Node *node) {
  const EditScope *scope = EditScope::current();
  Origin origin;
  node->appendName(origin.node);
  origin.op = node->op();
  origin.pass = scope ? scope->passIn(node->context()) : nullptr;
  origin.where = scope ? scope->whereIn(node->context()) : nullptr;
  return origin;
}

} // namespace ge
