//===- ContextImpl.h - what a context keeps ---------------------------------------------------===//
//
// Shared by the files of lib/IR that intern one kind of object each.
//
#ifndef GE_LIB_IR_CONTEXTIMPL_H
#define GE_LIB_IR_CONTEXTIMPL_H

#include "ge/IR/Context.h"
#include "ge/Support/Arena.h"
#include "ge/Support/InternTable.h"

#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ge {

/// One kind of object: found without a lock, made under one.
template <typename T> class Interner {
public:
  template <typename Same> T *find(uint64_t hash, const Same &same) const {
    return table_.find(hash, same);
  }
  /// `make(arena)` returns a complete object in the arena; it may throw, and must not intern the
  /// same kind, whose lock is held.
  template <typename Same, typename Make>
  T *intern(uint64_t hash, const Same &same, const Make &make) {
    if (T *found = table_.find(hash, same))
      return found;
    std::lock_guard guard(lock_);
    if (T *found = table_.find(hash, same))
      return found;
    table_.reserveOne();
    T *object = make(arena_);
    table_.insert(object);
    return object;
  }

private:
  InternTable<T> table_;
  std::mutex lock_;
  Arena arena_;
};

struct Context::Impl {
  /// What was asked for as an operator's name, so that neither splitting nor aliases cost twice.
  struct Spelling {
    uint64_t hashValue;
    const OperatorName *op;
    const char *text;
    size_t length;
    uint64_t hash() const { return hashValue; }
    std::string_view str() const { return {text, length}; }
  };

  Interner<Identifier> identifiers;
  Interner<OperatorName> operators;
  Interner<Spelling> spellings;
  Interner<Type> types;
  Interner<Location> locations;
  Interner<AttrStorage> attributes;

  mutable std::mutex rootLock;
  std::unordered_set<Root *> roots;

  std::mutex handlerLock;
  uint64_t nextHandler = 1;
  std::vector<std::pair<uint64_t, std::shared_ptr<DiagnosticHandler>>> handlers;
};

template <typename T> uint32_t Context::IdTable<T>::reserve() {
  uint64_t position = uint64_t(size_) + kFirst;
  unsigned chunk = unsigned(std::bit_width(position)) - kFirstWidth;
  if (chunk >= kChunks || size_ == UINT32_MAX)
    throwError(ErrorKind::Memory, "a context holds at most ", UINT32_MAX, " objects of one kind");
  if (!chunks_[chunk].load(std::memory_order_relaxed))
    chunks_[chunk].store(new const T *[kFirst << chunk](), std::memory_order_release);
  return size_;
}

template <typename T> void Context::IdTable<T>::add(const T *object) {
  uint64_t position = uint64_t(size_) + kFirst;
  unsigned chunk = unsigned(std::bit_width(position)) - kFirstWidth;
  chunks_[chunk].load(std::memory_order_relaxed)[position - (kFirst << chunk)] = object;
  ++size_;
}

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
