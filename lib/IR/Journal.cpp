//===- Journal.cpp - undo ---------------------------------------------------------------------===//

#include "Journal.h"

#include "MutationImpl.h"

#include <algorithm>
#include <array>

namespace ge {

namespace {

template <typename... Fs> struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs> Overloaded(Fs...) -> Overloaded<Fs...>;

} // namespace

/// A parked node stores its former graph in `order_`, its former successor in `next_`, and the
/// chain of parked nodes in `prev_`; these fields are unused while a node is in no list.
void Journal::recordParked(Node *node, Graph *graph, Node *before) {
  if (undoing_)
    return;
  push(Tag::Parked, node);
  node->order_ = reinterpret_cast<uintptr_t>(graph);
  node->next_ = before;
  node->prev_ = firstParked_;
  if (!firstParked_)
    lastParked_ = node;
  firstParked_ = node;
}

undo::Destroyed Journal::unpark(Node *node) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  undo::Destroyed entry{node, reinterpret_cast<Graph *>(node->order_), node->next_};
  firstParked_ = node->prev_;
  node->prev_ = node->next_ = nullptr;
  return entry;
}

template <typename F> void Journal::undoLast(F &undo) {
  uint64_t last = popWord();
  auto apply = [&](auto entry) { undo(entry); };
  switch (tagOf(last)) {
  case Tag::Created:
    return apply(undo::Created{pointer<Node>(last)});
  case Tag::Parked:
    return apply(unpark(pointer<Node>(last)));
  case Tag::Operand: {
    auto *old = pointer<Value>(popWord());
    return apply(undo::OperandSet{pointer<Node>(popWord()), old, nullptr, low(last), 0});
  }
  case Tag::OperandAt: {
    auto *owner = pointer<Node>(popWord());
    auto *old = pointer<Value>(popWord());
    return apply(undo::OperandSet{pointer<Node>(popWord()), old, owner, low(last), high(last)});
  }
  case Tag::NodeName: {
    uintptr_t old = popWord();
    return apply(undo::NameMoved<Node>{pointer<Node>(popWord()), pointer<Node>(last), old});
  }
  case Tag::ValueName: {
    uintptr_t old = popWord();
    return apply(undo::NameMoved<Value>{pointer<Value>(popWord()), pointer<Value>(last), old});
  }
  case Tag::Entry: {
    while (entries_.size() > (last >> kTagBits) + 1) // its word was not added: out of memory
      entries_.popBack();
    Entry entry = std::move(entries_.back());
    entries_.popBack();
    std::visit(undo, entry);
  }
  }
}

/// Nodes, their names and the slots of the names in the index are scattered in memory: prefetches
/// each of them some records before it is needed.
class Journal::LookAhead {
public:
  LookAhead(const BlockSequence<uint64_t> &words, Root &root, size_t mark)
      : words_(words), root_(root), mark_(mark), at_(words.size()) {}

  /// Called before each record is undone.
  void step() {
    size_t size = words_.size();
    if (at_ >= size) {
      at_ = size;
      waiting_ = 0;
    }
    for (; waiting_ != kRecords && at_ > mark_; ++waiting_) {
      const uint64_t *last = words_.fromEnd(size - at_);
      if (!last)
        break; // in the block before
      Tag tag = tagOf(*last);
      see(tag == Tag::Parked ? pointer<Node>(*last) : nullptr);
      at_ -= lengthOf(tag);
    }
    waiting_ -= waiting_ != 0;
  }

private:
  static constexpr size_t kRecords = 24, kStep = 8, kKept = 32;

  void see(const Node *node) {
    using Impl = Mutation::Impl;
    recent_[count_ % kKept] = node;
    if (node)
      Impl::loadNode(node);
    if (const Node *before = recent_[(count_ - kStep) % kKept])
      Impl::loadNames(before);
    if (const Node *before = recent_[(count_ - 2 * kStep) % kKept])
      Impl::loadPlaces(root_, before);
    ++count_;
  }

  const BlockSequence<uint64_t> &words_;
  Root &root_;
  size_t mark_;
  size_t at_; ///< the words before it were not looked at
  size_t waiting_ = 0;
  size_t count_ = kKept;
  std::array<const Node *, kKept> recent_{};
};

void Journal::undoTo(Root &root, size_t mark) {
  using Impl = Mutation::Impl;
  undoing_ = true;
  auto undo = Overloaded{
      [&](undo::Created &e) { Impl::uncreate(e.node); },
      [&](undo::Destroyed &e) {
        Impl::revive(e.node);
        if (!e.graph)
          return;
        Impl::unlink(e.node);
        Impl::link(e.node, e.graph, e.before);
      },
      [&](undo::Inserted &e) {
        Impl::unlink(e.node);
        Impl::link(e.node, root.limbo_, nullptr);
      },
      [&](undo::Removed &e) {
        Impl::unlink(e.node);
        Impl::link(e.node, e.graph, e.before);
        for (Graph *inner : e.node->subgraphs())
          Impl::setDepth(inner, e.graph->depth() + 1);
      },
      [&](undo::OperandSet &e) {
        Use &use = e.node->uses()[e.index];
        Value *now = use.value_;
        if (now)
          Impl::unlinkUse(use);
        if (e.old)
          Impl::linkUseAt(use, e.old, {e.placeOwner, e.placeIndex});
        Impl::operandReplaced(e.node, now, e.old);
        Impl::notify(root, [&](MutationListener &l) { l.operandChanged(e.node, e.index, now); });
      },
      [&](undo::OperandsResized &e) { Impl::resizeOperands(e.node, e.old); },
      [&](undo::TypeSet &e) {
        uint32_t now = std::exchange(e.value->type_, e.old);
        Impl::forgetUsers(e.value);
        e.value->typeSource_ = uint32_t(e.source);
        Impl::notify(
            root, [&](MutationListener &l) { l.typeChanged(e.value, root.context().typeAt(now)); });
      },
      [&](undo::AttributeSet &e) {
        std::visit(
            Overloaded{
                [&](Value *) {},
                [&](auto *object) {
                  AttributeList &list = object->attrs_;
                  // A changed attribute exists, so the list has a table.
                  if (e.position ==
                      UINT32_MAX) // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
                    std::exchange(list.values()[list.indexOf(e.name)], e.old.take()).release();
                  else
                    Impl::insertAttribute(root.arena_, list, e.position, e.name, e.old.take());
                  Impl::changedAttribute(root, object, e.name);
                }},
            e.object);
      },
      [&](undo::AttributeAdded &e) {
        std::visit(Overloaded{[&](Value *) {},
                              [&](auto *object) {
                                AttributeList &list = object->attrs_;
                                auto at = uint32_t(list.indexOf(e.name));
                                list.at(at).release();
                                Impl::eraseAttribute(list, at);
                                Impl::changedAttribute(root, object, e.name);
                              }},
                   e.object);
      },
      [&](undo::Renamed &e) {
        if (auto *node = std::get_if<Node *>(&e.object))
          Impl::setNameWord(root, *node, e.old);
        else if (auto *value = std::get_if<Value *>(&e.object))
          Impl::setNameWord(root, *value, e.old);
      },
      [&]<typename T>(undo::NameMoved<T> &e) {
        Impl::moveName(root, e.to, e.from);
        e.to->link_.setName(e.old);
      },
      [&](undo::GraphRenamed &e) {
        e.graph->name_ = std::move(*e.old);
        if (e.graph->isRoot())
          root.nameChanged(false);
      },
      [&](undo::CounterSet &e) { Impl::index(root, e.ofValues).setCounter(*e.base, e.old); },
      [&](undo::LocationSet &e) { e.node->location_ = e.old; },
      [&](undo::OriginsSet &e) { Impl::freeOrigins(root, Impl::exchangeOrigins(e.node, e.old)); },
      [&](undo::OriginAdded &e) { Impl::popOrigin(e.node); },
      [&](undo::ControlAdded &e) { Impl::unlinkControl(e.from, e.to); },
      [&](undo::ControlRemoved &e) {
        Impl::linkControl(e.from, e.to, e.outPosition, e.inPosition);
      },
      [&](undo::InputInserted &e) { Impl::removeInput(e.node); },
      [&](undo::InputRemoved &e) { Impl::insertInput(e.graph, e.node, e.index); },
      [&](undo::OutputNamesSet &e) { e.graph->outputNames_ = std::move(e.old); },
      [&](undo::SubgraphAdded &e) { Impl::unlinkSubgraph(e.node, e.graph); },
      [&](undo::SubgraphRemoved &e) {
        Impl::linkSubgraph(e.node, e.graph, e.index);
        Impl::enterName(root, e.graph->output_);
        for (Link *link : {&e.graph->link_, &e.graph->output_->link_})
          if (HandleRecord *record = link->record())
            root.table_.revive(record);
      },
      [&](undo::SegmentsSet &e) { Impl::exchangeSegments(e.node, std::move(e.old)); },
      [&](undo::Reordered &e) { Impl::reorder(e.graph, e.old); },
  };
  LookAhead ahead(words_, root, mark);
  while (words_.size() > mark) {
    ahead.step();
    undoLast(undo);
    ++root.changeCount_;
  }
  undoing_ = false;
}

void Journal::finish(Root &root) {
  using Impl = Mutation::Impl;
  // Oldest first: a graph that was removed is freed after its former contents. The nodes are
  // scattered in memory, so they are prefetched some entries ahead.
  constexpr size_t kNodes = 16, kNames = 8;
  entries_.forEachSpan(0, [&](std::span<Entry> entries) {
    auto ahead = [&](size_t index) -> const Node * {
      auto *later =
          index < entries.size() ? std::get_if<undo::Destroyed>(&entries[index]) : nullptr;
      return later ? later->node : nullptr;
    };
    for (size_t i = 0; i != entries.size(); ++i) {
      if (const Node *node = ahead(i + kNodes))
        Impl::loadNode(node);
      if (const Node *node = ahead(i + kNames))
        Impl::loadNames(node);
      if (auto *destroyed = std::get_if<undo::Destroyed>(&entries[i])) {
        Impl::leaveNames(destroyed->node);
        root.freeNode(destroyed->node);
      } else if (auto *renamed = std::get_if<undo::Renamed>(&entries[i])) {
        Impl::freeNameWord(root, renamed->old);
      } else if (auto *origins = std::get_if<undo::OriginsSet>(&entries[i])) {
        Impl::freeOrigins(root, origins->old);
      } else if (auto *removed = std::get_if<undo::SubgraphRemoved>(&entries[i])) {
        root.destroyGraph(removed->graph);
      }
    }
  });
  entries_.clear();
  words_.clear();
  if (firstParked_)
    root.freeLater(std::exchange(firstParked_, nullptr), lastParked_);
}

// --- Transaction
// -------------------------------------------------------------------------------------

Transaction::Transaction(Root &root) : root_(&root) {
  if (!root.journal_)
    root.journal_ = std::make_unique<Journal>();
  Journal &journal = *root.journal_;
  mark_ = journal.size();
  journal.serials.push_back(root.nextSerial_);
  journal.open.push_back(this);
}

Transaction::~Transaction() { rollbackAll(); }

bool Transaction::isInnermost() const { return open_ && root_->journal_->open.back() == this; }

bool Transaction::hasEdits() const { return root_->journal_->size() > mark_; }

namespace {

void checkClosable(const Transaction &transaction) {
  if (!transaction.isOpen())
    throwError(ErrorKind::Value, "the transaction is closed already");
  if (!transaction.isInnermost())
    throwError(ErrorKind::Value, "a transaction inside this one is still open; close that first");
}

} // namespace

void Transaction::commit() {
  checkClosable(*this);
  open_ = false;
  Journal &journal = *root_->journal_;
  journal.serials.pop_back();
  journal.open.pop_back();
  if (!journal.open.empty())
    return;
  std::unique_ptr<Journal> done = std::move(root_->journal_);
  done->finish(*root_);
  root_->forgetFormerNames();
}

void Transaction::rollback() {
  checkClosable(*this);
  open_ = false;
  Journal &journal = *root_->journal_;
  journal.undoTo(*root_, mark_);
  root_->nextSerial_ = journal.serials.back();
  journal.serials.pop_back();
  journal.open.pop_back();
  if (!journal.open.empty())
    return;
  root_->journal_.reset();
  root_->forgetFormerNames();
}

void Transaction::rollbackAll() {
  while (open_)
    root_->journal_->open.back()->rollback();
}

} // namespace ge
