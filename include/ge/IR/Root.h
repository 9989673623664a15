//===- Root.h - what a root graph and its subgraphs share -------------------------------------===//

#ifndef GE_IR_ROOT_H
#define GE_IR_ROOT_H

#include "ge/IR/Graph.h"
#include "ge/IR/InternScope.h"
#include "ge/Support/Arena.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ge {

class Journal;
class MutationListener;

/// Access to a root graph, or to a module's list of graphs: free, n readers, or one writer.
/// Acquiring never waits: a conflict is Error(Busy), which names subject, work and thread. The
/// thread with write access may acquire again.
class AccessWord {
public:
  /// The name of the subject in errors: "graph 'main'". Stored here, because the error of another
  /// thread must not read an object that is being written. `mayReturn`: a rollback may give the old
  /// one back. Returns the old one.
  std::string setSubject(std::string subject, bool mayReturn = false);
  std::vector<std::string> forgetFormer();   ///< those that a rollback could give back
  std::vector<std::string> subjects() const; ///< this one, and those
  bool subjectIs(std::string_view subject) const;
  bool subjectIsOrMayBe(std::string_view subject) const;
  void acquireRead() {
    if (!tryAcquireRead())
      throwBusy();
  }
  bool tryAcquireRead();
  void releaseRead();
  /// `work` says what is done, for the other's error.
  void acquireWrite(std::string_view work) {
    if (!tryAcquireWrite(work))
      throwBusy();
  }
  bool tryAcquireWrite(std::string_view work);
  void releaseWrite();
  /// For serialized contexts: throws when a read (write) now would conflict; takes nothing.
  void checkRead() const {
    if (state_.load(std::memory_order_acquire) == kWriter)
      checkSlow(false);
  }
  void checkWrite() const {
    if (state_.load(std::memory_order_acquire) != 0)
      checkSlow(true);
  }
  bool isFree() const { return state_.load(std::memory_order_acquire) == 0; }
  bool heldByThisThread() const; ///< as the writer

private:
  static constexpr uint32_t kWriter = ~0u;
  void checkSlow(bool write) const;
  [[noreturn]] void throwBusy() const;
  std::atomic<uint32_t> state_{0};
  std::atomic<uint64_t> writer_{0}; ///< thread number of the writer
  std::atomic<uint32_t> nested_{0}; ///< further acquisitions by the writer
  mutable std::mutex textLock_;     ///< guards the texts
  std::string work_;
  std::string subject_;
  std::vector<std::string> former_;
};

/// Scope of access: takes the word in unserialized contexts, checks it in serialized ones.
/// `force` takes it in both: for work that lets go of the GIL.
class ReadAccess {
public:
  explicit ReadAccess(Root &root, bool force = false);
  ~ReadAccess();
  ReadAccess(const ReadAccess &) = delete;
  ReadAccess &operator=(const ReadAccess &) = delete;

private:
  Root *root_; ///< null when nothing was taken
};
class WriteAccess {
public:
  WriteAccess(Root &root, std::string_view work, bool force = false);
  ~WriteAccess();
  WriteAccess(const WriteAccess &) = delete;
  WriteAccess &operator=(const WriteAccess &) = delete;

private:
  Root *root_;
};

/// Unique names of one space (nodes or values), and the counters behind `_1`, `_2`, ...
/// A slot is the holder and one byte of its name's hash; the name itself is read through the
/// holder.
class NameIndex {
public:
  explicit NameIndex(bool ofValues) : ofValues_(ofValues) {}
  void *find(std::string_view text) const; ///< Node* or Value*
  void *find(std::string_view text, uint32_t hash) const;
  /// Enters `holder`, whose name no other holder in the index has.
  void insert(const Name *name, void *holder);
  void erase(const Name *name); ///< nothing when it is not entered
  void reserve(size_t more);    ///< so many names to come: the index grows once
  /// Prefetches the slot of a name that is inserted soon.
  void prepare(const Name *name) const;
  /// Prefetches the slot of a name whose holder is set soon.
  void loadHolder(const Name *name) const {
    if (name->isEntered)
      prefetch(static_cast<const void *>(&holders_[name->place]));
  }
  void setHolder(const Name *name, void *holder) {
    if (name->isEntered)
      holders_[name->place] = holder;
  }
  uint32_t size() const { return used_; }
  /// The name to give instead of `wanted`, which is taken. Amortised O(1), deterministic.
  std::string uniqueName(std::string_view wanted);
  uint32_t counter(std::string_view base) const;
  void setCounter(std::string_view base, uint32_t value); ///< 0 forgets it
  static uint32_t hash(std::string_view text);

private:
  const Name *nameOf(const void *holder) const;
  void place(const Name *name, uint32_t hash, void *holder);
  void rehash(uint32_t capacity);
  uint32_t home(uint32_t hash) const { return uint32_t((uint64_t(hash) * capacity_) >> 32); }
  static uint8_t tag(uint32_t hash) { return uint8_t(hash & 0x7f) | 0x80; }
  std::unique_ptr<void *[]> holders_;
  std::unique_ptr<uint8_t[]> tags_; ///< 0: free, 1: erased, else tag(hash)
  uint32_t capacity_ = 0;
  uint32_t used_ = 0;
  uint32_t filled_ = 0; ///< used and erased
  bool ofValues_;
  std::unordered_map<std::string, uint32_t> counters_;
};

/// The records of one root: made, found, killed and freed here.
class HandleTable {
public:
  ~HandleTable();
  HandleRecord *acquire(Root &root, HandleKind kind, void *object, Link &link);
  /// Kills the record of an object, if it has one. `parked`: a rollback may bring the object back.
  void kill(Root &root, Link &link, DeathCause cause, bool parked);
  void revive(HandleRecord *record);
  /// The object is freed now, or no rollback brings it back to its record, which forgets it.
  void forget(Link &link);
  void killAll(Root &root, DeathCause cause);
  uint64_t lend() { return ++lending_; }
  void expire(Root &root, uint64_t lending);
  /// Frees records without a holder. Only with exclusive access.
  void drain(Root &root);
  void adopt(Root &into, Root &from); ///< all records of `from` belong to `into` now
  void push(HandleRecord *record);    ///< lock-free
  bool hasReleased() const { return released_.load(std::memory_order_relaxed) != nullptr; }

private:
  void retarget(Root &into);
  friend void releaseHandle(HandleRecord *record);
  HandleRecord *allocate();
  HandleRecord *make(Root &root, HandleKind kind, void *object, Link &link);
  void free(Root &root, HandleRecord *record);
  void enlist(HandleRecord *&list, HandleRecord *record);
  void unlink(HandleRecord *record);
  HandleRecord *live_ = nullptr;
  HandleRecord *parked_ = nullptr; ///< dead ones whose object a rollback may bring back
  HandleRecord *free_ = nullptr;
  uint64_t lending_ = 0;     ///< the latest
  uint64_t lastLending_ = 0; ///< of the record that was made last
  std::atomic<HandleRecord *> released_{nullptr};
  std::atomic_flag lock_ = ATOMIC_FLAG_INIT; ///< readers make records at the same time
  /// Never given back while the root lives: a late release may still look at a freed record.
  std::vector<std::unique_ptr<HandleRecord[]>> chunks_;
  uint32_t chunkUsed_ = 0;
  uint32_t chunkSize_ = 0;
};

/// Arena, names, handles, listeners of a root graph. Freed when no handle into it
/// is held and no module owns it.
class Root {
public:
  /// A new graph with its NetOutput, held once by the caller (hold/drop).
  static Root *create(Context &context, std::string_view name);

  Context &context() const { return *context_; }
  uint64_t id() const { return id_; }     ///< no other root of the process has it
  Graph *graph() const { return graph_; } ///< null once moved into another root, or erased
  Module *module() const { return module_; }

  void hold();             ///< adds a reference
  void drop();             ///< removes one: may destroy it, and with it its module and context
  int64_t handles() const; ///< records that are held: its share of live_handle_count

  AccessWord &access() const { return access_; }
  /// Sets the graph's name in the access word. `mayReturn`: see AccessWord.
  void nameChanged(bool mayReturn);
  void forgetFormerNames();
  /// True if only the caller, which holds the host's lock, accesses this root.
  bool isQuiet() const { return context_->isSerialized() && access_.isFree(); }
  Node *findNode(std::string_view name) const { return static_cast<Node *>(nodeNames_.find(name)); }
  Value *findValue(std::string_view name) const {
    return static_cast<Value *>(valueNames_.find(name));
  }
  /// Nodes with that operator in `graph` itself, in list order. Kept from the first call on.
  /// O(found log found).
  std::vector<Node *> findAll(const Graph *graph, const OperatorName *op);

  /// The scoped objects that live as long as this root.
  InternedSets &interned() { return interned_; }

  uint64_t changeCount() const { return changeCount_; } ///< grows with every primitive
  bool inTransaction() const { return journal_ != nullptr; }
  Journal *journal() const { return journal_.get(); }

  /// Frees records without a holder and abandoned cursors, if this thread has the access
  /// (exclusive, or serialized and free).
  void drainReleased();
  bool hasReleased() const {
    return table_.hasReleased() || abandoned_.load(std::memory_order_relaxed) != nullptr;
  }
  /// Takes over a cursor made with new, from a thread that has no access: it is deleted by the next
  /// one that has. Lock-free. The caller keeps the root alive until this returns.
  void abandon(NodeCursor *cursor);
  /// Kills all handles. Error(Value) inside a transaction.
  void killHandles(DeathCause cause);
  /// Lends the graph: handles created from now on expire with expireHandles of the returned number,
  /// and no rollback revives them. Earlier handles stay valid, and so do those of a root that moved
  /// in, which was not lent. Lendings nest. O(handles) if handles were created, else O(1).
  uint64_t lendHandles() { return table_.lend(); }
  void expireHandles(uint64_t lending) { table_.expire(*this, lending); }

  /// Between the rollback of a transaction and the end of its block the graph must not change,
  /// because the change would survive the rollback.
  bool editsBlocked() const { return blocks_.load(std::memory_order_relaxed) != 0; }
  void blockEdits() { blocks_.fetch_add(1, std::memory_order_relaxed); }
  void unblockEdits() { blocks_.fetch_sub(1, std::memory_order_relaxed); }
  /// While a walk calls foreign code, the graph must not change and no transaction may be opened
  /// or closed: the walk continues on the state it has.
  bool isFrozen() const { return frozen_.load(std::memory_order_relaxed) != 0; }
  void freeze() {
    frozen_.fetch_add(1, std::memory_order_relaxed);
    blockEdits();
  }
  void thaw() {
    unblockEdits();
    frozen_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// What a higher room keeps with this graph, such as the program that runs it; destroyed with the
  /// graph. Thread-safe.
  std::shared_ptr<void> attachment() const;
  void setAttachment(std::shared_ptr<void> attachment);

  void addListener(MutationListener *listener);
  void removeListener(MutationListener *listener);

private:
  friend class Mutation;
  friend class HandleTable;
  friend class Journal;
  friend class Module;
  friend class Absorber;
  friend class Node;
  friend class NodeCursor;
  friend class Value;
  friend class Graph;
  friend struct std::default_delete<Root>;
  friend class WriteAccess;
  friend class Transaction;
  friend void releaseHandle(HandleRecord *);
  friend HandleRecord *acquireHandle(Graph *);
  friend HandleRecord *acquireHandle(Node *);
  friend HandleRecord *acquireHandle(Value *);
  explicit Root(Context &context);
  ~Root();
  void destroyGraph(Graph *graph); ///< with its contents; kills no handles, notifies nothing
  void freeNode(Node *node);
  /// Defers freeing the erased nodes of a chain (linked through `prev_`) until their memory is
  /// needed. No rollback can revive them.
  void freeLater(Node *first, Node *last);
  bool freeSome(); ///< frees a batch of them; returns whether more remain
  void dropOpIndex();
  void dropContents(); ///< frees the graph; the shell stays for dead handles
  void deleteAbandoned();

  ContextPtr context_;
  InternedSets interned_;
  mutable AccessWord access_;
  std::atomic<int64_t> holds_{1};
  std::atomic<int64_t> handles_{0};
  Arena arena_;
  Graph *graph_ = nullptr;
  Graph *limbo_ = nullptr; ///< holds detached nodes
  Node *toBeFreed_ = nullptr;
  Module *module_ = nullptr;
  Root *movedInto_ = nullptr; ///< this is a shell: its graph moved there
  NameIndex nodeNames_{false};
  NameIndex valueNames_{true};
  HandleTable table_;
  std::unordered_map<const Node *, NodeExtra> extras_;
  std::unordered_map<const Node *, OriginList *> origins_;
  std::vector<MutationListener *> listeners_;
  std::mutex opIndexLock_; ///< readers ask for the index at the same time
  std::unique_ptr<MutationListener> opIndex_;
  std::unique_ptr<Journal> journal_;
  mutable std::mutex absorbedLock_; ///< handles() is asked without access
  std::vector<std::unique_ptr<Root>>
      absorbed_; ///< shells of roots moved in; their handles still count there
  std::atomic<NodeCursor *> abandoned_{nullptr};
  std::atomic_flag cursorLock_ = ATOMIC_FLAG_INIT; ///< readers make cursors at the same time
  std::atomic<uint32_t> blocks_{0}, frozen_{0};
  const uint64_t id_;
  mutable std::mutex attachmentLock_;
  std::shared_ptr<void> attachment_;
  uint64_t changeCount_ = 0;
  uint64_t nextSerial_ = 0;
};

} // namespace ge

#endif // GE_IR_ROOT_H
