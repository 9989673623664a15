//===- ContextImpl.h - what a context keeps ---------------------------------------------------===//
//
// Shared by the files of lib/IR that intern one kind of object each.
//
#ifndef GE_LIB_IR_CONTEXTIMPL_H
#define GE_LIB_IR_CONTEXTIMPL_H

#include "ge/IR/Context.h"
#include "ge/IR/InternScope.h"
#include "ge/Support/Arena.h"
#include "ge/Support/InternTable.h"

#include <new>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ge {

// What an object is made of, by a call of `visit` for each.
template <typename F> void forEachChild(const Identifier &, const F &) {}
template <typename F> void forEachChild(std::span<const Dim> dims, const F &visit) {
  for (const Dim &dim : dims)
    if (dim.symbol)
      visit(dim.symbol);
}
template <typename F> void forEachChild(const Type &type, const F &visit) {
  forEachChild(type.shape(), visit);
  forEachChild(type.originShape(), visit);
  for (const Identifier *text : {type.format(), type.originFormat(), type.payload()})
    if (text)
      visit(text);
  if (type.element())
    visit(type.element());
}
template <typename F> void forEachChild(const Location &location, const F &visit) {
  if (location.text())
    visit(location.text());
  for (const Location *part : location.parts())
    visit(part);
}
template <typename F> void forEachChild(std::span<const Attribute> elements, const F &visit) {
  for (Attribute element : elements)
    if (const AttrStorage *storage = element.interned())
      visit(storage);
    else if (element.kind() == AttrKind::Type)
      visit(element.typeValue());
}
template <typename F> void forEachKey(const AttrStorage &storage, const F &visit) {
  if (storage.kind != AttrKind::Dict)
    return;
  const Attribute *elements = storage.payload<Attribute>();
  for (const Identifier *key : std::span(
           reinterpret_cast<const Identifier *const *>(elements + storage.size), storage.size))
    visit(key);
}
template <typename F> void forEachChild(const AttrStorage &storage, const F &visit) {
  if (storage.kind != AttrKind::List && storage.kind != AttrKind::Dict)
    return;
  const Attribute *elements = storage.payload<Attribute>();
  forEachChild(std::span(elements, storage.size), visit);
  forEachKey(storage, visit);
}

template <typename T> Context &contextOf(const T &object) { return object.context(); }
inline Context &contextOf(const AttrStorage &storage) { return *storage.context; }

/// One kind of object. Permanent objects are found without a lock; scoped objects, which may be
/// freed, only under the lock, or in the set of the model that is being read.
template <typename T> class Interner {
public:
  template <typename Same> T *find(uint64_t hash, const Same &same) const {
    return table_.find(hash, same);
  }
  /// `make(arena)` returns a complete object in the arena; it may throw, and must not intern the
  /// same kind, whose lock is held. `children(visit)` names what the object is made of. `set` is
  /// null for a permanent object.
  template <typename Same, typename Children, typename Make>
  T *intern(Context &context, PointerSet<T> *set, uint64_t hash, const Same &same,
            const Children &children, const Make &make) {
    if (T *found = table_.find(hash, same))
      return found;
    return set ? internScoped(*set, hash, same, children, make)
               : internPermanent(context, hash, same, children, make);
  }
  void makePermanent(T *object) noexcept {
    std::lock_guard guard(lock_);
    if (object->lifetime().isPermanent())
      return;
    try {
      table_.reserveOne();
      scoped_.erase(object);
      table_.insert(object);
    } catch (const std::bad_alloc &) {
      // The object does not move, and is found under the lock.
    }
    object->lifetime().setPermanent();
  }
  /// Returns true for the last user: the object can then no longer be looked up.
  bool releaseLast(const T *object) noexcept {
    std::lock_guard guard(lock_);
    if (object->lifetime().isPermanent() || !object->lifetime().releaseLast())
      return false;
    scoped_.erase(object);
    return true;
  }
  /// `free(arena)` gives back memory, under the lock.
  template <typename Free> void free(const Free &free) noexcept {
    std::lock_guard guard(lock_);
    free(arena_);
  }
  size_t scopedCount() {
    std::lock_guard guard(lock_);
    return scoped_.size();
  }

private:
  template <typename Same, typename Children, typename Make>
  T *internPermanent(Context &context, uint64_t hash, const Same &same, const Children &children,
                     const Make &make) {
    children([&](const auto *child) { context.makePermanent(child); });
    T *scoped = nullptr;
    {
      std::lock_guard guard(lock_);
      if (T *found = table_.find(hash, same))
        return found;
      scoped = scoped_.find(hash, same);
      if (!scoped) {
        table_.reserveOne();
        T *object = make(arena_);
        object->lifetime().setPermanent();
        table_.insert(object);
        return object;
      }
      scoped->lifetime().retain(); // keeps it until it is permanent
    }
    context.makePermanent(scoped);
    return scoped;
  }
  template <typename Same, typename Children, typename Make>
  T *internScoped(PointerSet<T> &set, uint64_t hash, const Same &same, const Children &children,
                  const Make &make) {
    if (T *found = set.find(hash, same))
      return found;
    set.reserveOne();
    std::lock_guard guard(lock_);
    if (T *found = table_.find(hash, same))
      return found;
    T *object = scoped_.find(hash, same);
    if (!object) {
      scoped_.reserveOne();
      object = make(arena_);
      scoped_.insert(object);
      children([](const auto *child) { Context::retain(child); });
    }
    object->lifetime().retain();
    set.insert(object);
    return object;
  }

  InternTable<T> table_;
  PointerSet<T> scoped_;
  std::mutex lock_;
  Arena arena_;
};

struct Context::Impl {
  /// Operator names by their spelling, so that neither splitting nor aliases are processed twice.
  struct Spelling {
    uint64_t hashValue;
    const OperatorName *op;
    const char *text;
    size_t length;
    mutable Lifetime life;
    Lifetime &lifetime() const { return life; }
    uint64_t hash() const { return hashValue; }
    std::string_view str() const { return {text, length}; }
  };

  Interner<Identifier> identifiers;
  Interner<OperatorName> operators;
  Interner<Spelling> spellings;
  Interner<Type> types;
  Interner<Location> locations;
  Interner<AttrStorage> attributes;

  template <typename T> auto &of() {
    if constexpr (std::is_same_v<T, Identifier>)
      return identifiers;
    else if constexpr (std::is_same_v<T, Type>)
      return types;
    else if constexpr (std::is_same_v<T, Location>)
      return locations;
    else
      return attributes;
  }

  mutable std::mutex rootLock;
  std::unordered_set<Root *> roots;

  std::mutex handlerLock;
  uint64_t nextHandler = 1;
  std::vector<std::pair<uint64_t, std::shared_ptr<DiagnosticHandler>>> handlers;
};

template <typename T> uint32_t Context::IdTable<T>::reserve() {
  if (firstFree_ != UINT32_MAX)
    return firstFree_;
  uint64_t position = uint64_t(size_) + kFirst;
  unsigned chunk = unsigned(std::bit_width(position)) - kFirstWidth;
  if (chunk >= kChunks || size_ == UINT32_MAX)
    throwError(ErrorKind::Memory, "a context holds at most ", UINT32_MAX, " objects of one kind");
  if (!chunks_[chunk].load(std::memory_order_relaxed))
    chunks_[chunk].store(new const T *[kFirst << chunk](), std::memory_order_release);
  return size_;
}

template <typename T> void Context::IdTable<T>::add(const T *object) {
  if (firstFree_ == UINT32_MAX) {
    entry(size_++) = object;
    return;
  }
  const T *&place = entry(firstFree_);
  firstFree_ = uint32_t(reinterpret_cast<uintptr_t>(place) >> 1);
  place = object;
}

template <typename T> void Context::IdTable<T>::remove(uint32_t id) {
  entry(id) = reinterpret_cast<const T *>(uintptr_t(firstFree_) << 1 | 1);
  firstFree_ = id;
}

size_t payloadBytes(const AttrStorage &storage); ///< of the payload that follows it

// In Attributes.cpp; what attrHash() gives for a list or dictionary of these.
uint64_t hashList(std::span<const Attribute> elements);
uint64_t hashDict(std::span<const Identifier *const> keys, std::span<const Attribute> values);

/// A copy of `values` in `arena`; null for none.
template <typename T> const T *copyInto(Arena &arena, std::span<const T> values) {
  if (values.empty())
    return nullptr;
  T *copy = static_cast<T *>(arena.allocate(values.size_bytes()));
  std::uninitialized_copy(values.begin(), values.end(), copy);
  return copy;
}

} // namespace ge

#endif // GE_LIB_IR_CONTEXTIMPL_H
