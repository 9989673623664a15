//===- Handle.h - safe references to IR objects from outside ----------------------------------===//
//
// An IR object with handles outside the core has one HandleRecord. The object's link word points to
// the record, which stores the displaced word (the name). The root graph links its records in a
// list, so killing them visits only objects with handles. Erasing an object invalidates its record,
// which stores the cause; the record is freed with its last reference.
//
// A record keeps its root graph (and through it module and context) alive. Not promised: that a
// graph object stays in its module or at its position.
//

#ifndef GE_IR_HANDLE_H
#define GE_IR_HANDLE_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace ge {

class Context;
class Graph;
class Identifier;
class Location;
class Node;
class Root;
class Value;
struct HandleRecord;

enum class HandleKind : uint8_t { Graph, Node, Value };

/// Why an object is gone.
enum class DeathCause : uint8_t {
  None,       ///< alive
  Erased,     ///< erased by itself, or with what contains it
  RolledBack, ///< created inside a transaction that was rolled back
  Moved,      ///< its graph was consumed
  Expired,    ///< borrowed, and the run it was lent for is over
};

/// The origin of edits on this thread, for causes of death and origins: a pass and the line of user
/// code, both optional.
struct EditScope {
  explicit EditScope(const Identifier *pass, const Location *where = nullptr);
  ~EditScope();
  EditScope(const EditScope &) = delete;
  EditScope &operator=(const EditScope &) = delete;
  /// Null outside of a scope. Does not access thread-local memory while no thread is in a scope.
  static const EditScope *current() {
    return open_.load(std::memory_order_relaxed) ? ofThread() : nullptr;
  }
  /// The same, interned in another graph's context, so that references stored there stay valid.
  const Identifier *passIn(Context &context) const;
  const Location *whereIn(Context &context) const;
  const Identifier *pass;
  const Location *where;

private:
  static const EditScope *ofThread();
  static inline std::atomic<uint32_t> open_{0};
  const EditScope *outer_;
};

/// Description of a dead object, in the root's arena, followed by its text.
struct DeathNote {
  const Identifier *pass;
  const Location *where;
  uint32_t op;     ///< operator id of the node, or of the value's node; 0 for graphs
  uint32_t index;  ///< of the value
  uint32_t length; ///< of the name
  DeathCause cause;
  char name[1];
};

/// The word in every node, value and graph: a name, a creation number or the handle record.
class Link {
public:
  static constexpr uintptr_t kRecord = 1, kSerial = 2, kTags = 3;
  explicit Link(uintptr_t bits = 0) : bits_(bits) {}
  uintptr_t load() const { return bits_.load(std::memory_order_acquire); }
  void store(uintptr_t bits) { bits_.store(bits, std::memory_order_release); }
  HandleRecord *record() const {
    uintptr_t bits = load();
    return (bits & kRecord) ? reinterpret_cast<HandleRecord *>(bits & ~kTags) : nullptr;
  }
  uintptr_t name() const; ///< the word without the record: Name*, serial or 0
  void setName(uintptr_t bits);

private:
  std::atomic<uintptr_t> bits_;
};

struct HandleRecord {
  std::atomic<uint32_t> refs; ///< holders * 2, + 1 while in the release list
  HandleKind kind;
  std::atomic<DeathCause> cause; ///< None while alive: validity is this one load
  void *object;                  ///< Graph, Node or Value; of a dead one null, or parked
  std::atomic<Root *> root;      ///< changes when the graph is moved into another root
  Root *home;                    ///< whose count of handles it is in; never changes
  uintptr_t name;                ///< the link word that the record displaced
  uint64_t lending;              ///< of its root, when it was made
  HandleRecord *prev, *next;     ///< of the live ones, or of the parked ones
  HandleRecord *nextReleased;    ///< release list
  DeathNote *note;
  std::atomic<void *> slot; ///< the language binding's wrapper

  bool isAlive() const { return cause.load(std::memory_order_acquire) == DeathCause::None; }
  /// `node 'relu3' (onnx.Relu)`, alive or dead.
  std::string describe() const;
  /// The whole StaleHandleError text of a dead one.
  std::string reason() const;
  Link &link() const; ///< of its object, which must exist
};

inline uintptr_t Link::name() const {
  uintptr_t bits = load();
  return (bits & kRecord) ? reinterpret_cast<HandleRecord *>(bits & ~kTags)->name : bits;
}
inline void Link::setName(uintptr_t bits) {
  if (HandleRecord *r = record())
    r->name = bits;
  else
    store(bits);
}

/// A new reference to the record of an object, made if there is none. Needs read access. O(1).
HandleRecord *acquireHandle(Graph *graph);
HandleRecord *acquireHandle(Node *node);
HandleRecord *acquireHandle(Value *value);
inline void retainHandle(HandleRecord *r) { r->refs.fetch_add(2, std::memory_order_relaxed); }
/// May be called on any thread, at any time, without access. Releasing the last reference may
/// destroy the root graph.
void releaseHandle(HandleRecord *record);

} // namespace ge

#endif // GE_IR_HANDLE_H
