//===- MutationOperands.cpp - uses, operand lists, types of values ----------------------------===//

#include "MutationImpl.h"

#include "ge/IR/Segments.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace ge {

namespace {

/// The header in front of operands that have moved out of their node's block.
struct OutsideHeader {
  uint32_t capacity;
  uint32_t inlineOperands; ///< capacity of the node's own block
};

} // namespace

uint32_t NodeBlock::inlineOperands(const Use *outside) {
  return (reinterpret_cast<const OutsideHeader *>(outside) - 1)->inlineOperands;
}

// --- Use lists
// ---------------------------------------------------------------------------------------

void Mutation::Impl::linkUse(Use &use, Value *value) {
  use.value_ = value;
  use.next_ = value->firstUse_;
  use.link_ = &value->firstUse_;
  if (use.next_)
    use.next_->link_ = &use.next_;
  value->firstUse_ = &use;
}

void Mutation::Impl::linkUseAt(Use &use, Value *value, UsePlace place) {
  if (!place.owner) {
    linkUse(use, value);
    return;
  }
  Use &before = place.owner->uses()[place.index];
  use.value_ = value;
  use.next_ = before.next_;
  use.link_ = &before.next_;
  if (use.next_)
    use.next_->link_ = &use.next_;
  before.next_ = &use;
}

void Mutation::Impl::unlinkUse(Use &use) {
  *use.link_ = use.next_;
  if (use.next_)
    use.next_->link_ = use.link_;
  use.value_ = nullptr;
}

UsePlace Mutation::Impl::placeOf(const Use &use) {
  if (use.link_ == &use.value_->firstUse_)
    return {};
  constexpr size_t kNext = offsetof(Use, next_);
  auto *before = reinterpret_cast<const Use *>(reinterpret_cast<const char *>(use.link_) - kNext);
  return {before->owner_, uint32_t(before - before->owner_->uses())};
}

void Mutation::Impl::setOperand(Node *node, uint32_t index, Value *value) {
  Root &root = node->root();
  Use &use = node->uses()[index];
  Value *old = use.value_;
  if (old == value)
    return;
  UsePlace place;
  if (old) {
    if (root.journal_)
      place = placeOf(use);
    unlinkUse(use);
  }
  if (value)
    linkUse(use, value);
  operandReplaced(node, old, value);
  record(root, undo::OperandSet{node, old, place.owner, index, place.index});
  notify(root, [&](MutationListener &l) { l.operandChanged(node, index, old); });
}

/// Integers and bools may be shapes, whose contents inference uses.
bool Mutation::mayInferOtherwise(const Value *a, const Value *b) {
  if (!a || !b || a->type_ != b->type_)
    return true;
  const Type *type = a->type();
  return !type->isTensor() || !isFloat(type->dtype());
}

void Mutation::Impl::forgetInference(Node *node) {
  for (uint32_t i = 0; i != node->numResults_; ++i)
    node->result(i)->typeSource_ = uint32_t(TypeSource::Declared);
}

void Mutation::Impl::forgetUsers(Value *value) {
  for (const Use *use = value->firstUse_; use; use = use->next_)
    forgetInference(use->owner_);
}

void Mutation::Impl::operandReplaced(Node *node, const Value *old, const Value *now) {
  if (mayInferOtherwise(old, now))
    forgetInference(node);
}

void Mutation::Impl::resizeOperands(Node *node, uint32_t count) {
  uint32_t old = node->numOperands_;
  if (old == count)
    return;
  Root &root = node->root();
  Arena &arena = root.arena_;
  auto header = [](Use *uses) { return reinterpret_cast<OutsideHeader *>(uses) - 1; };
  static_assert(sizeof(OutsideHeader) % alignof(Use) == 0);
  bool outside = node->flags_ & Node::kOperandsOutside;
  uint32_t capacity = outside ? header(node->uses())->capacity : old;
  if (!outside || count > capacity) {
    // The first move leaves some room; the node's own block must know its capacity, so shrinking
    // moves operands out, too.
    uint32_t room = std::max(count, outside || count > old ? capacity + capacity / 2 + 2 : count);
    auto *block =
        static_cast<OutsideHeader *>(arena.allocate(sizeof(OutsideHeader) + room * sizeof(Use)));
    block->capacity = room;
    block->inlineOperands = outside ? header(node->uses())->inlineOperands : old;
    auto *fresh = reinterpret_cast<Use *>(block + 1);
    Use *uses = node->uses();
    for (uint32_t i = 0; i < std::min(old, count); ++i) {
      fresh[i] = uses[i];
      if (fresh[i].value_) {
        *fresh[i].link_ = &fresh[i];
        if (fresh[i].next_)
          fresh[i].next_->link_ = &fresh[i].next_;
      }
    }
    if (outside)
      arena.deallocate(header(uses), sizeof(OutsideHeader) + capacity * sizeof(Use));
    node->flags_ |= Node::kOperandsOutside;
    *static_cast<Use **>(node->tail()) = fresh;
  }
  for (uint32_t i = old; i < count; ++i)
    node->uses()[i] = Use{};
  for (uint32_t i = old; i < count; ++i)
    node->uses()[i].owner_ = node;
  node->numOperands_ = count;
  record(root, undo::OperandsResized{node, old});
  notify(root, [&](MutationListener &l) { l.operandChanged(node, UINT32_MAX, nullptr); });
}

void Mutation::Impl::dropOperands(Node *node) {
  Root &root = node->root();
  if (!root.journal_ && root.listeners_.empty()) {
    Use *uses = node->uses();
    for (uint32_t i = 0, n = node->numOperands_; i < n; ++i)
      if (uses[i].value_)
        unlinkUse(uses[i]);
    return;
  }
  for (uint32_t i = node->numOperands_; i-- > 0;)
    setOperand(node, i, nullptr);
}

namespace {
/// The data of a parked use, stored in its own memory; operands of a dead node are not read.
struct ParkedUse {
  Value *absent; ///< where a use has its value
  Value *value;
  UsePlace place;
};
static_assert(sizeof(ParkedUse) <= sizeof(Use) && std::is_trivially_copyable_v<ParkedUse>);
} // namespace

void Mutation::Impl::parkOperands(Node *node) {
  Root &root = node->root();
  Use *uses = node->uses();
  for (uint32_t i = node->numOperands_; i-- > 0;) {
    Value *value = uses[i].value_;
    ParkedUse parked{nullptr, value, value ? placeOf(uses[i]) : UsePlace{}};
    if (value) {
      unlinkUse(uses[i]);
      notify(root, [&](MutationListener &l) { l.operandChanged(node, i, value); });
    }
    std::memcpy(static_cast<void *>(&uses[i]), &parked, sizeof parked);
  }
}
void Mutation::Impl::restoreOperands(Node *node) {
  Root &root = node->root();
  Use *uses = node->uses();
  for (uint32_t i = 0; i < node->numOperands_; ++i) {
    ParkedUse parked;
    std::memcpy(&parked, static_cast<const void *>(&uses[i]), sizeof parked);
    uses[i] = Use{};
    uses[i].owner_ = node;
    if (!parked.value)
      continue;
    linkUseAt(uses[i], parked.value, parked.place);
    notify(root, [&](MutationListener &l) { l.operandChanged(node, i, nullptr); });
  }
}

/// Frees the node's blocks; all pointers to it are gone.
void Root::freeNode(Node *node) {
  for (uint32_t i = 0; i < node->numResults_; ++i) {
    table_.forget(node->result(i)->link_);
    Mutation::Impl::freeNameWord(*this, node->result(i)->link_.name());
  }
  table_.forget(node->link_);
  Mutation::Impl::freeNameWord(*this, node->link_.name());
  Mutation::Impl::freeAttributes(arena_, node->attrs_);
  if (node->flags_ & Node::kHasExtra)
    extras_.erase(node);
  if (node->flags_ & Node::kHasOrigins)
    Mutation::Impl::freeOrigins(*this, Mutation::Impl::exchangeOrigins(node, nullptr));
  size_t bytes = NodeBlock::bytes(node->numResults_, Mutation::Impl::inlineOperands(node),
                                  node->flags_ & NodeBlock::kHasOriginPlace);
  if (node->flags_ & Node::kOperandsOutside) {
    OutsideHeader *header = reinterpret_cast<OutsideHeader *>(node->uses()) - 1;
    arena_.deallocate(header, sizeof(OutsideHeader) + header->capacity * sizeof(Use));
  }
  arena_.deallocate(node, bytes);
}

void Root::freeLater(Node *first, Node *last) {
  last->prev_ = toBeFreed_;
  toBeFreed_ = first;
  // Frees at once under AddressSanitizer, which would miss uses of nodes that are freed later.
  if (GE_ARENA_SEPARATE_BLOCKS)
    while (freeSome())
      ;
  else
    arena_.deferFrees([](void *root) { return static_cast<Root *>(root)->freeSome(); }, this);
}

bool Root::freeSome() {
  using Impl = Mutation::Impl;
  constexpr size_t kMost = 32;
  std::array<Node *, kMost> nodes;
  size_t count = 0;
  for (; toBeFreed_ && count != kMost; toBeFreed_ = toBeFreed_->prev_) {
    nodes[count++] = toBeFreed_;
    Impl::loadNames(toBeFreed_);
  }
  for (Node *node : std::span(nodes).first(count)) {
    Impl::leaveNames(node);
    freeNode(node);
  }
  return toBeFreed_ != nullptr;
}

// --- Primitives
// --------------------------------------------------------------------------------------

void Mutation::setOperand(Node *node, uint32_t index, Value *value) {
  Impl::checkOperand(node->root(), value);
  if (index >= node->numOperands_)
    throwError(ErrorKind::Index, node->describe(), " has ", node->numOperands_,
               " operands, no operand ", index);
  Impl::setOperand(node, index, value);
}

static void refuseInput(const Node *node) {
  if (node->isData())
    throwError(ErrorKind::Value, node->describe(), " is an input of its graph and has no operands");
}

void Mutation::setOperands(Node *node, std::span<Value *const> values,
                           std::span<const int32_t> segments) {
  refuseInput(node);
  for (const Value *value : values)
    Impl::checkOperand(node->root(), value);
  auto count = uint32_t(values.size());
  checkSegments(segments, count, "operand");
  std::vector<int32_t> lengths(segments.begin(), segments.end());
  if (std::span<const int32_t> stored = node->operandSegments(); lengths.empty()) {
    if (!stored.empty() && count != 0 && count != node->numOperands_)
      throwError(ErrorKind::Value, node->describe(), " has operand lists of lengths ",
                 segmentsText(stored), "; ", count,
                 " operands do not say how long each list is: give a list for each parameter");
    if (count != 0)
      lengths.assign(stored.begin(), stored.end());
    else
      lengths.assign(stored.size(), 0);
  }
  for (uint32_t i = node->numOperands_; i-- > count;)
    Impl::setOperand(node, i, nullptr);
  Impl::resizeOperands(node, count);
  for (uint32_t i = 0; i < count; ++i)
    Impl::setOperand(node, i, values[i]);
  Impl::setSegments(node, lengths, node->resultSegments());
  if (node->isNetOutput() && node->graph()->outputNames_.size() > count) {
    std::vector<std::string> names = node->graph()->outputNames_;
    names.resize(count);
    Impl::setOutputNames(node->graph(), std::move(names));
  }
}

void Mutation::insertOperand(Node *node, uint32_t index, Value *value, uint32_t parameter) {
  refuseInput(node);
  Impl::checkOperand(node->root(), value);
  uint32_t count = node->numOperands_;
  if (index > count)
    throwError(ErrorKind::Index, node->describe(), " has ", count, " operands, no place ", index,
               " for another");
  std::vector<int32_t> lengths = Impl::segmentsAfterInsertion(node, index, parameter);
  Impl::resizeOperands(node, count + 1);
  for (uint32_t i = count; i > index; --i)
    Impl::setOperand(node, i, node->operand(i - 1));
  Impl::setOperand(node, index, value);
  Impl::setSegments(node, lengths, node->resultSegments());
  if (node->isNetOutput() && index < node->graph()->outputNames_.size()) {
    std::vector<std::string> names = node->graph()->outputNames_;
    names.insert(names.begin() + index, std::string());
    Impl::setOutputNames(node->graph(), std::move(names));
  }
}

void Mutation::eraseOperand(Node *node, uint32_t index) {
  uint32_t count = node->numOperands_;
  if (index >= count)
    throwError(ErrorKind::Index, node->describe(), " has ", count, " operands, no operand ", index);
  std::span<const int32_t> stored = node->operandSegments();
  std::vector<int32_t> lengths(stored.begin(), stored.end());
  auto shorter = lengths.begin();
  for (uint32_t end = 0; shorter != lengths.end() && index >= (end += uint32_t(*shorter));)
    ++shorter;
  if (shorter != lengths.end())
    --*shorter;
  for (uint32_t i = index; i + 1 < count; ++i)
    Impl::setOperand(node, i, node->operand(i + 1));
  Impl::setOperand(node, count - 1, nullptr);
  Impl::resizeOperands(node, count - 1);
  Impl::setSegments(node, lengths, node->resultSegments());
  if (!node->isNetOutput())
    return;
  // The name of an output is erased with it.
  Graph *graph = node->graph();
  if (index < graph->outputNames_.size()) {
    std::vector<std::string> names = graph->outputNames_;
    names.erase(names.begin() + index);
    Impl::setOutputNames(graph, std::move(names));
  }
}

void Mutation::replaceAllUses(Value *from, Value *to, std::span<Node *const> except) {
  Root &root = from->root();
  Impl::checkOperand(root, to);
  if (!to)
    throwError(ErrorKind::Type,
               "uses are replaced by a value; erase with force to make operands absent");
  if (from == to || !from->firstUse_)
    return;
  if (!root.journal_ && root.listeners_.empty() && except.empty()) {
    Use *last = from->firstUse_;
    if (mayInferOtherwise(from, to))
      Impl::forgetUsers(from);
    last->value_ = to;
    while (last->next_) {
      last = last->next_;
      last->value_ = to;
    }
    last->next_ = to->firstUse_;
    if (to->firstUse_)
      to->firstUse_->link_ = &last->next_;
    to->firstUse_ = from->firstUse_;
    to->firstUse_->link_ = &to->firstUse_;
    from->firstUse_ = nullptr;
    ++root.changeCount_;
    return;
  }
  auto isKept = [&](const Use *use) {
    return std::find(except.begin(), except.end(), use->owner_) != except.end();
  };
  if (Use *only = from->firstUse_; !only->next_) {
    if (!isKept(only))
      Impl::setOperand(only->owner_, only->index(), to);
    return;
  }
  std::vector<Use *> uses;
  for (Use *use = from->firstUse_; use; use = use->next_)
    if (!isKept(use))
      uses.push_back(use);
  // Oldest first, to keep their order.
  for (auto it = uses.rbegin(); it != uses.rend(); ++it)
    Impl::setOperand((*it)->owner_, (*it)->index(), to);
}

void Mutation::setType(Value *value, const Type *type, TypeSource source) {
  Root &root = value->root();
  Impl::checkContext(root.context(), &type->context(), "the type");
  if (type->isNone() && value->node()->isData())
    throwError(ErrorKind::Value, value->node()->describe(),
               " is an input of its graph and cannot be absent (type none)");
  if (type->isNone() && value->hasUses())
    throwError(ErrorKind::Value, "result ", value->index(), " of ", value->node()->describe(),
               " is used and cannot become absent (type none)");
  if (type->isNone() && value->hasName())
    rename(value, {});
  root.interned().use(type);
  uint32_t old = value->type_;
  TypeSource oldSource = value->typeSource();
  value->type_ = type->id();
  if (old != value->type_)
    Impl::forgetUsers(value);
  value->typeSource_ = uint32_t(source);
  Impl::record(root, undo::TypeSet{value, old, oldSource});
  Impl::notify(root,
               [&](MutationListener &l) { l.typeChanged(value, root.context().typeAt(old)); });
}

void Mutation::confirmType(Value *value) { value->typeSource_ = uint32_t(TypeSource::Inferred); }

} // namespace ge
