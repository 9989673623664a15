//===- c10/util/intrusive_ptr.h - counted objects ----------------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_INTRUSIVE_PTR_H
#define GE_TORCH_C10_UTIL_INTRUSIVE_PTR_H

#include <c10/macros/Macros.h>

#include <atomic>
#include <functional>
#include <type_traits>
#include <utility>

GE_TORCH_OPEN(c10)

template <typename T> class intrusive_ptr;

/// The base of what an intrusive_ptr holds.
class intrusive_ptr_target {
public:
  intrusive_ptr_target() = default;
  // The count is that of the object, not of its value.
  intrusive_ptr_target(const intrusive_ptr_target &) noexcept {}
  intrusive_ptr_target &operator=(const intrusive_ptr_target &) noexcept { return *this; }

protected:
  virtual ~intrusive_ptr_target() = default;
  /// Before the destructor.
  virtual void release_resources() {}

private:
  template <typename T> friend class intrusive_ptr;
  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    release_resources();
    delete this;
  }
  mutable std::atomic<size_t> count_{0};
};

template <typename T> class intrusive_ptr {
public:
  using element_type = T;
  intrusive_ptr() noexcept = default;
  intrusive_ptr(std::nullptr_t) noexcept {}
  intrusive_ptr(const intrusive_ptr &other) noexcept : intrusive_ptr(other.target_, 0) {}
  intrusive_ptr(intrusive_ptr &&other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  template <typename U, std::enable_if_t<std::is_convertible_v<U *, T *>, int> = 0>
  intrusive_ptr(const intrusive_ptr<U> &other) noexcept : intrusive_ptr(other.get(), 0) {}
  intrusive_ptr &operator=(intrusive_ptr other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~intrusive_ptr() {
    if (target_)
      static_cast<intrusive_ptr_target *>(target_)->drop();
  }
  template <typename... A> static intrusive_ptr make(A &&...args) {
    return intrusive_ptr(new T(std::forward<A>(args)...), 0);
  }
  /// Takes a new object over.
  static intrusive_ptr unsafe_steal_from_new(T *made) { return intrusive_ptr(made, 0); }
  /// One more reference to an object that others hold.
  static intrusive_ptr unsafe_reclaim_from_nonowning(T *target) { return intrusive_ptr(target, 0); }
  /// Gives the reference away; unsafe_return_reference takes it back.
  T *release() noexcept { return std::exchange(target_, nullptr); }
  static void unsafe_return_reference(T *target) noexcept {
    static_cast<intrusive_ptr_target *>(target)->drop();
  }

  T *get() const noexcept { return target_; }
  T &operator*() const noexcept { return *target_; }
  T *operator->() const noexcept { return target_; }
  explicit operator bool() const noexcept { return target_ != nullptr; }
  bool defined() const noexcept { return target_ != nullptr; }
  void reset() noexcept { *this = intrusive_ptr(); }
  size_t use_count() const noexcept {
    return target_ ? static_cast<const intrusive_ptr_target *>(target_)->count_.load() : 0;
  }
  bool unique() const noexcept { return use_count() == 1; }

private:
  intrusive_ptr(T *target, int) noexcept : target_(target) {
    if (target_)
      static_cast<const intrusive_ptr_target *>(target_)->retain();
  }
  T *target_ = nullptr;
};
template <typename T, typename... A> intrusive_ptr<T> make_intrusive(A &&...args) {
  return intrusive_ptr<T>::make(std::forward<A>(args)...);
}
template <typename T, typename U>
intrusive_ptr<T> dynamic_intrusive_pointer_cast(const intrusive_ptr<U> &from) {
  return intrusive_ptr<T>::unsafe_reclaim_from_nonowning(dynamic_cast<T *>(from.get()));
}
template <typename A, typename B>
bool operator==(const intrusive_ptr<A> &a, const intrusive_ptr<B> &b) noexcept {
  return a.get() == b.get();
}
template <typename A, typename B>
bool operator!=(const intrusive_ptr<A> &a, const intrusive_ptr<B> &b) noexcept {
  return a.get() != b.get();
}

GE_TORCH_CLOSE

namespace std {
template <typename T> struct hash<c10::intrusive_ptr<T>> {
  size_t operator()(const c10::intrusive_ptr<T> &p) const { return hash<T *>()(p.get()); }
};
} // namespace std

#endif // GE_TORCH_C10_UTIL_INTRUSIVE_PTR_H
