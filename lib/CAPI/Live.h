//===- Live.h - the one way from a reference to the object behind it --------------------------===//
//
// A GeGraphRef, GeNodeRef or GeValueRef is the core's HandleRecord. Access to the object goes
// through a Live, which rejects NULL, handles of another kind and dead ones, and holds access to
// the root graph for its lifetime. A second object of the same root is obtained by Live::peer:
// access is held already, and the root is compared.

#ifndef GE_LIB_CAPI_LIVE_H
#define GE_LIB_CAPI_LIVE_H

#include "Guard.h"

#include <algorithm>
#include <memory>
#include <span>

namespace ge::capi {

enum class Access : uint8_t {
  Read,
  Write,     ///< refused between the rollback of a transaction and its end
  Exclusive, ///< as Write, but refused only to inferrers: opens and closes transactions
};

template <typename T> struct RefOf;
template <> struct RefOf<Graph> {
  using Type = GeGraphRef;
  static constexpr HandleKind kKind = HandleKind::Graph;
};
template <> struct RefOf<Node> {
  using Type = GeNodeRef;
  static constexpr HandleKind kKind = HandleKind::Node;
};
template <> struct RefOf<Value> {
  using Type = GeValueRef;
  static constexpr HandleKind kKind = HandleKind::Value;
};

inline HandleRecord *record(GeGraphRef *ref) { return reinterpret_cast<HandleRecord *>(ref); }
inline HandleRecord *record(GeNodeRef *ref) { return reinterpret_cast<HandleRecord *>(ref); }
inline HandleRecord *record(GeValueRef *ref) { return reinterpret_cast<HandleRecord *>(ref); }

[[noreturn]] void throwKind(const HandleRecord *record, const char *what, HandleKind wanted);
[[noreturn]] void throwStale(const HandleRecord *record);
[[noreturn]] void throwBlocked(const Root &root);
[[noreturn]] void throwFrozen(const Root &root);
[[noreturn]] void throwOtherRoot(HandleRecord *record, const char *what, const Root &root);

/// A new reference, NULL for null. Needs read access.
template <typename T> RefOf<T>::Type *newRef(T *object) {
  return object ? reinterpret_cast<RefOf<T>::Type *>(acquireHandle(object)) : nullptr;
}

/// Access to the root of a record during a call: acquired, or in serialized contexts checked.
template <Access A> class RootAccess {
public:
  [[gnu::always_inline]] explicit RootAccess(HandleRecord *record)
      : root_(record->root.load(std::memory_order_acquire)) {
    if (!root_->context().isSerialized()) [[unlikely]]
      take(record);
    else if constexpr (A == Access::Read)
      root_->access().checkRead();
    else
      root_->access().checkWrite();
  }
  ~RootAccess() {
    if (taken_) [[unlikely]]
      release();
  }
  RootAccess(const RootAccess &) = delete;
  RootAccess &operator=(const RootAccess &) = delete;
  Root &root() const { return *root_; }

private:
  [[gnu::noinline]] void take(HandleRecord *record) {
    while (true) {
      if constexpr (A == Access::Read)
        root_->access().acquireRead();
      else
        root_->access().acquireWrite("an edit");
      taken_ = true;
      Root *now = record->root.load(std::memory_order_acquire);
      if (now == root_) [[likely]]
        return;
      // Meanwhile another thread moved the graph into another root.
      release();
      root_ = now;
    }
  }
  void release() {
    taken_ = false;
    if constexpr (A == Access::Read)
      root_->access().releaseRead();
    else
      root_->access().releaseWrite();
  }
  Root *root_;
  bool taken_ = false;
};

struct NoDelay {};

template <Access A, typename T> class Live {
public:
  using Ref = RefOf<T>::Type;

  [[gnu::always_inline]] Live(Ref *ref, const char *what) : access_(checked(ref, what)) {
    if constexpr (A != Access::Read)
      if (root().hasReleased()) [[unlikely]]
        root().drainReleased();
    object_ = alive(record(ref));
    if constexpr (A == Access::Write)
      if (root().editsBlocked()) [[unlikely]]
        throwBlocked(root());
    if constexpr (A == Access::Exclusive)
      if (root().isFrozen())
        throwFrozen(root());
  }
  Live(const Live &) = delete;
  Live &operator=(const Live &) = delete;

  T *operator->() const { return object_; }
  T *get() const { return object_; }
  Root &root() const { return access_.root(); }
  Context &context() const { return root().context(); }

  /// Another object of the same root. Valid as long as this.
  template <typename U> U *peer(RefOf<U>::Type *ref, const char *what) const {
    if (!ref) [[unlikely]]
      throwNull(what);
    HandleRecord *r = record(ref);
    if (r->kind != RefOf<U>::kKind) [[unlikely]]
      throwKind(r, what, RefOf<U>::kKind);
    if (r->root.load(std::memory_order_acquire) != &root()) [[unlikely]]
      throwOtherRoot(r, what, root());
    if (!r->isAlive()) [[unlikely]]
      throwStale(r);
    return static_cast<U *>(r->object);
  }
  template <typename U> U *peerOrNull(RefOf<U>::Type *ref, const char *what) const {
    return ref ? peer<U>(ref, what) : nullptr;
  }

private:
  static HandleRecord *checked(Ref *ref, const char *what) {
    if (!ref) [[unlikely]]
      throwNull(what);
    HandleRecord *r = record(ref);
    if (r->kind != RefOf<T>::kKind) [[unlikely]]
      throwKind(r, what, RefOf<T>::kKind);
    return r;
  }
  /// Checked after access was acquired: before, another thread could erase it in between.
  static T *alive(HandleRecord *r) {
    if (!r->isAlive()) [[unlikely]]
      throwStale(r);
    return static_cast<T *>(r->object);
  }
  // Declared first, so that it is destroyed last.
  [[no_unique_address]] std::conditional_t<A == Access::Read, NoDelay, ReleaseDelay> delay_;
  RootAccess<A> access_;
  T *object_;
};

template <typename T> using Reading = Live<Access::Read, T>;
template <typename T> using Writing = Live<Access::Write, T>;

/// The objects behind an array of references; needs no allocation for up to a few.
template <typename U> class Peers {
public:
  template <typename L>
  Peers(const L &live, RefOf<U>::Type *const *refs, size_t count, const char *what,
        bool absentAllowed)
      : count_(count) {
    needArray(refs, count, what);
    if (count > kInline) {
      large_ = std::make_unique_for_overwrite<U *[]>(count);
      objects_ = large_.get();
    }
    for (size_t i = 0; i < count; ++i)
      objects_[i] = absentAllowed ? live.template peerOrNull<U>(refs[i], what)
                                  : live.template peer<U>(refs[i], what);
  }
  operator std::span<U *const>() const { return {objects_, count_}; }
  U *const *begin() const { return objects_; }
  U *const *end() const { return objects_ + count_; }

private:
  static constexpr size_t kInline = 16;
  U *inline_[kInline];
  U **objects_ = inline_;
  size_t count_;
  std::unique_ptr<U *[]> large_;
};

/// Access to a module for a call, as RootAccess to a root; but a change takes it in serialized
/// contexts too: inference looks at modules without it, and without the GIL.
template <Access A> class LiveModule {
public:
  LiveModule(GeModule *module, const char *what) : module_(reinterpret_cast<Module *>(module)) {
    if (!module_) [[unlikely]]
      throwNull(what);
    enter();
  }
  explicit LiveModule(Module &module) : module_(&module) { enter(); }
  ~LiveModule() {
    if (!taken_)
      return;
    if constexpr (A == Access::Read)
      module_->access().releaseRead();
    else
      module_->access().releaseWrite();
  }
  LiveModule(const LiveModule &) = delete;
  LiveModule &operator=(const LiveModule &) = delete;
  Module *operator->() const { return module_; }
  Module *get() const { return module_; }
  Context &context() const { return module_->context(); }

private:
  void enter() {
    if constexpr (A != Access::Read)
      module_->access().acquireWrite("a change of the module");
    else if (module_->context().isSerialized())
      return module_->access().checkRead();
    else
      module_->access().acquireRead();
    taken_ = true;
  }
  [[no_unique_address]] std::conditional_t<A == Access::Read, NoDelay, ReleaseDelay> delay_;
  Module *module_;
  bool taken_ = false;
};

inline GeModule *wrap(Module *module) { return reinterpret_cast<GeModule *>(module); }

/// Read access to all graphs of a module for a call that reads them all.
class ModuleGraphs {
public:
  explicit ModuleGraphs(const Module &module) {
    for (size_t i = 0; i < module.numGraphs(); ++i)
      graphs_.push_back(std::make_unique<ReadAccess>(module.graph(i)->root()));
  }

private:
  std::vector<std::unique_ptr<ReadAccess>> graphs_;
};

} // namespace ge::capi

#endif // GE_LIB_CAPI_LIVE_H
