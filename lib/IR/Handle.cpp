//===- Handle.cpp - handle records of IR objects ----------------------------------------------===//

#include "ge/IR/Handle.h"

#include "ge/IR/Root.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace ge {

namespace {

thread_local const EditScope *currentScope = nullptr;

/// Readers create records concurrently; the critical section has some twenty instructions, so it
/// spins.
class SpinGuard {
public:
  explicit SpinGuard(std::atomic_flag &flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
  }
  ~SpinGuard() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag &flag_;
};

/// For roots without concurrent access: a locked instruction costs as much as the rest of a call.
int64_t plainAdd(std::atomic<int64_t> &count, int64_t n) {
  int64_t old = count.load(std::memory_order_relaxed);
  count.store(old + n, std::memory_order_relaxed);
  return old;
}

/// The state of a record without references that is on no list. Not zero, so that a late release,
/// which acts on zero only, does not touch a freed record.
constexpr uint32_t kFreeRecord = 1;
constexpr uint32_t kFirstChunk = 8, kMaxChunk = 4096;

size_t noteSize(size_t length) { return sizeof(DeathNote) + length; }

DeathNote *makeNote(Arena &arena, Context &context, HandleKind kind, void *object,
                    DeathCause cause) {
  std::string generated;
  std::string_view name;
  uint32_t op = 0, index = 0;
  switch (kind) {
  case HandleKind::Graph:
    name = static_cast<Graph *>(object)->name();
    break;
  case HandleKind::Node: {
    auto *node = static_cast<Node *>(object);
    if (!node->hasName())
      node->appendName(generated);
    name = node->hasName() ? node->name() : generated;
    op = node->opId();
    break;
  }
  case HandleKind::Value: {
    auto *value = static_cast<Value *>(object);
    if (!value->hasName())
      value->appendName(generated);
    name = value->hasName() ? value->name() : generated;
    op = value->node()->opId();
    index = value->index();
    break;
  }
  }
  auto *note = static_cast<DeathNote *>(arena.allocate(noteSize(name.size())));
  const EditScope *scope = EditScope::current();
  note->pass = scope ? scope->passIn(context) : nullptr;
  note->where = scope ? scope->whereIn(context) : nullptr;
  note->op = op;
  note->index = index;
  note->length = uint32_t(name.size());
  note->cause = cause;
  std::memcpy(note->name, name.data(), name.size());
  return note;
}

std::string describeParts(HandleKind kind, const Context &context, std::string_view name,
                          uint32_t op, uint32_t index) {
  switch (kind) {
  case HandleKind::Graph:
    return cat("graph '", name, "'");
  case HandleKind::Node:
    return cat("node '", name, "' (", context.operatorAt(op)->str(), ")");
  case HandleKind::Value:
    return cat("value '", name, "' (result ", index, " of ", context.operatorAt(op)->str(), ")");
  }
  return {};
}

} // namespace

// A scope with a location only keeps the pass of the enclosing scope.
EditScope::EditScope(const Identifier *pass, const Location *where)
    : pass(pass || !currentScope ? pass : currentScope->pass), where(where), outer_(currentScope) {
  currentScope = this;
  open_.fetch_add(1, std::memory_order_relaxed);
}
EditScope::~EditScope() {
  open_.fetch_sub(1, std::memory_order_relaxed);
  currentScope = outer_;
}
const EditScope *EditScope::ofThread() { return currentScope; }

const Identifier *EditScope::passIn(Context &context) const {
  return !pass || &pass->context() == &context ? pass : context.identifier(pass->str());
}

const Location *EditScope::whereIn(Context &context) const {
  if (!where || &where->context() == &context)
    return where;
  const Location *file = where->firstFile();
  return file ? context.fileLocation(file->file(), file->line(), file->column()) : nullptr;
}

Link &HandleRecord::link() const {
  switch (kind) {
  case HandleKind::Graph:
    return static_cast<Graph *>(object)->link_;
  case HandleKind::Node:
    return static_cast<Node *>(object)->link_;
  case HandleKind::Value:
    break;
  }
  return static_cast<Value *>(object)->link_;
}

std::string HandleRecord::describe() const {
  const Context &context = root.load()->context();
  if (!isAlive())
    return describeParts(kind, context, {note->name, note->length}, note->op, note->index);
  switch (kind) {
  case HandleKind::Graph:
    return static_cast<Graph *>(object)->describe();
  case HandleKind::Node:
    return static_cast<Node *>(object)->describe();
  case HandleKind::Value:
    break;
  }
  auto *value = static_cast<Value *>(object);
  std::string name;
  value->appendName(name);
  return describeParts(kind, context, name, value->node()->opId(), value->index());
}

std::string HandleRecord::reason() const {
  if (isAlive())
    return {};
  std::string text;
  switch (note->cause) {
  case DeathCause::Expired:
    return cat("graph handle has expired: ", describe(),
               " belongs to a graph that was lent only until the end of the run");
  case DeathCause::RolledBack:
    text = cat(describe(), " was rolled back with the transaction that had created it");
    break;
  case DeathCause::Moved:
    text = cat(describe(), " was moved: its graph was consumed");
    break;
  default:
    text = cat(describe(), " was erased");
    break;
  }
  if (note->pass)
    text += cat(" by pass '", note->pass->str(), "'");
  if (const Location *file = note->where ? note->where->firstFile() : nullptr)
    text += cat(" (", file->file(), ":", file->line(), ")");
  return text;
}

// --- The table
// ---------------------------------------------------------------------------------------

HandleTable::~HandleTable() = default;

HandleRecord *HandleTable::allocate() {
  if (HandleRecord *record = free_) {
    free_ = record->next;
    return record;
  }
  if (chunkUsed_ == chunkSize_) {
    chunkSize_ = chunkSize_ == 0 ? kFirstChunk : std::min(chunkSize_ * 2, kMaxChunk);
    chunkUsed_ = 0;
    chunks_.push_back(std::make_unique<HandleRecord[]>(chunkSize_));
  }
  return &chunks_.back()[chunkUsed_++];
}

void HandleTable::free(Root &root, HandleRecord *record) {
  if (record->object)
    forget(record->link());
  if (DeathNote *note = record->note) {
    root.arena_.deallocate(note, noteSize(note->length));
    record->note = nullptr;
  }
  record->refs.store(kFreeRecord, std::memory_order_release);
  record->next = free_;
  free_ = record;
}

void HandleTable::enlist(HandleRecord *&list, HandleRecord *record) {
  record->prev = nullptr;
  record->next = list;
  if (list)
    list->prev = record;
  list = record;
}

void HandleTable::unlink(HandleRecord *record) {
  HandleRecord *&list = record->isAlive() ? live_ : parked_;
  (record->prev ? record->prev->next : list) = record->next;
  if (record->next)
    record->next->prev = record->prev;
}

HandleRecord *HandleTable::make(Root &root, HandleKind kind, void *object, Link &link) {
  HandleRecord *record = allocate();
  record->kind = kind;
  record->cause.store(DeathCause::None, std::memory_order_relaxed);
  record->object = object;
  record->root.store(&root, std::memory_order_relaxed);
  record->home = &root;
  record->name = link.load();
  record->lending = lastLending_ = lending_;
  record->note = nullptr;
  record->slot.store(nullptr, std::memory_order_relaxed);
  enlist(live_, record);
  record->refs.store(2, std::memory_order_relaxed);
  link.store(reinterpret_cast<uintptr_t>(record) | Link::kRecord);
  return record;
}

HandleRecord *HandleTable::acquire(Root &root, HandleKind kind, void *object, Link &link) {
  HandleRecord *record = link.record();
  if (!record && hasReleased())
    root.drainReleased();
  if (root.isQuiet()) [[likely]] {
    uint32_t refs = record ? record->refs.load(std::memory_order_relaxed) : 0;
    if (record)
      record->refs.store(refs + 2, std::memory_order_relaxed);
    else
      record = make(root, kind, object, link);
    Root &home = *record->home;
    if (refs < 2 && plainAdd(home.handles_, 1) == 0)
      home.hold();
    return record;
  }
  bool first = false;
  if (!record) {
    SpinGuard guard(lock_);
    record = link.record(); // another reader has created it
    if (!record) {
      record = make(root, kind, object, link);
      first = true;
    }
  }
  if (!first)
    first = record->refs.fetch_add(2, std::memory_order_acq_rel) < 2;
  if (first && record->home->handles_.fetch_add(1, std::memory_order_acq_rel) == 0)
    record->home->hold();
  return record;
}

void HandleTable::push(HandleRecord *record) {
  HandleRecord *head = released_.load(std::memory_order_relaxed);
  do
    record->nextReleased = head;
  while (!released_.compare_exchange_weak(head, record, std::memory_order_acq_rel));
}

void HandleTable::drain(Root &root) {
  HandleRecord *record = released_.exchange(nullptr, std::memory_order_acq_rel);
  while (record) {
    HandleRecord *next = record->nextReleased;
    // References cannot be taken meanwhile (that needs access), so a record without holders stays
    // without.
    if (record->refs.load(std::memory_order_acquire) == 1 ||
        record->refs.fetch_and(~1u, std::memory_order_acq_rel) == 1)
      free(root, record);
    record = next;
  }
}

void HandleTable::kill(Root &root, Link &link, DeathCause cause, bool parked) {
  HandleRecord *record = link.record();
  if (!record)
    return;
  record->note = makeNote(root.arena_, root.context(), record->kind, record->object, cause);
  if (parked)
    unlink(record);
  else
    forget(link);
  record->cause.store(cause, std::memory_order_release);
  if (parked)
    enlist(parked_, record);
}

void HandleTable::revive(HandleRecord *record) {
  Root &root = *record->root.load();
  if (DeathNote *note = record->note) {
    root.arena_.deallocate(note, noteSize(note->length));
    record->note = nullptr;
  }
  unlink(record);
  enlist(live_, record);
  record->cause.store(DeathCause::None, std::memory_order_release);
}

void HandleTable::forget(Link &link) {
  if (HandleRecord *record = link.record()) {
    unlink(record);
    link.store(record->name);
    record->object = nullptr;
  }
}

void HandleTable::killAll(Root &root, DeathCause cause) {
  while (HandleRecord *record = live_)
    kill(root, record->link(), cause, false);
}

void HandleTable::expire(Root &root, uint64_t lending) {
  if (lastLending_ < lending)
    return;
  for (HandleRecord *record = live_; record;) {
    HandleRecord *next = record->next;
    if (record->lending >= lending)
      kill(root, record->link(), DeathCause::Expired, false);
    record = next;
  }
  // Parked by a transaction that encloses the lending and may still roll back.
  for (HandleRecord *record = parked_; record;) {
    HandleRecord *next = record->next;
    if (record->lending >= lending)
      forget(record->link());
    record = next;
  }
}

void HandleTable::retarget(Root &into) {
  // Dead records are on no list, but in the chunks.
  for (size_t c = 0; c < chunks_.size(); ++c) {
    bool last = c + 1 == chunks_.size();
    uint32_t size =
        last ? chunkUsed_ : std::min<uint32_t>(kFirstChunk << std::min<size_t>(c, 16), kMaxChunk);
    for (uint32_t i = 0; i < size; ++i)
      chunks_[c][i].root.store(&into, std::memory_order_release);
  }
}

void HandleTable::adopt(Root &into, Root &from) {
  HandleTable &theirs = from.table_;
  theirs.drain(from);
  theirs.retarget(into);
  for (auto &shell : from.absorbed_) // its records are still in its own chunks
    shell->table_.retarget(into);
  while (HandleRecord *record = theirs.live_) {
    theirs.unlink(record);
    record->lending = 0; // the number belongs to another table
    enlist(live_, record);
  }
}

// --- References
// --------------------------------------------------------------------------------------

HandleRecord *acquireHandle(Graph *graph) {
  return graph->root().table_.acquire(graph->root(), HandleKind::Graph, graph, graph->link_);
}
HandleRecord *acquireHandle(Node *node) {
  return node->root().table_.acquire(node->root(), HandleKind::Node, node, node->link_);
}
HandleRecord *acquireHandle(Value *value) {
  return value->root().table_.acquire(value->root(), HandleKind::Value, value, value->link_);
}

void releaseHandle(HandleRecord *record) {
  Root *home = record->home;
  Root *root = record->root.load(std::memory_order_acquire);
  if (root->isQuiet()) [[likely]] {
    uint32_t refs = record->refs.load(std::memory_order_relaxed);
    if (refs >= 4) {
      record->refs.store(refs - 2, std::memory_order_relaxed);
      return;
    }
    // A record that is still in the release list stays there.
    record->refs.store(refs - 2, std::memory_order_relaxed);
    if (!(refs & 1))
      root->table_.free(*root, record);
    if (plainAdd(home->handles_, -1) == 1)
      home->drop();
    return;
  }
  uint32_t old = record->refs.fetch_sub(2, std::memory_order_acq_rel);
  if (old >= 4)
    return;
  // After this, another thread may free and reuse the record, which the exchange detects; the root
  // lives until its count of handles is lowered below.
  uint32_t zero = 0;
  if (!(old & 1) && record->refs.compare_exchange_strong(zero, 1, std::memory_order_acq_rel))
    root->table_.push(record);
  if (home->handles_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    home->drop();
}

} // namespace ge
