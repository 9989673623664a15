//===- ge/library/Objects.h - instances of registered classes ---------------------------------===//
#ifndef GE_LIBRARY_OBJECTS_H
#define GE_LIBRARY_OBJECTS_H

#include "ge/library/Values.h"

#include <new>
#include <type_traits>

namespace ge {

namespace detail {

/// The key of a class; empty: it is not registered. One for each type and library, never destroyed:
/// instances refer to it.
template <typename T> GE_LIBRARY_HIDDEN inline std::string &keyOf() {
  static auto *key = new std::string();
  return *key;
}

template <typename T> struct Instance {
  GeInstanceObject object;
  T value;
  template <typename... A>
  explicit Instance(const GeInstanceObject &head, A &&...args)
      : object(head), value(std::forward<A>(args)...) {}

  static void free(void *self, int flags) {
    if (flags & 1)
      static_cast<Instance *>(self)->value.~T();
    if (flags & 2)
      std::free(self);
  }
};

template <typename T> inline const std::string &registeredKey() {
  const std::string &key = keyOf<T>();
  if (key.empty())
    throw Error("a function has a class that is not registered: m.class_<T>(name) comes before it");
  return key;
}

/// The instance of a value. Throws Error when it is none of the class.
template <typename T> inline GeInstanceObject *objectOf(const GeAny &value) {
  const std::string &key = registeredKey<T>();
  if (value.tag != GE_ANY_INSTANCE_OBJECT)
    throw Error("expected " + key + ", got a value of tag " + std::to_string(value.tag));
  auto *object = reinterpret_cast<GeInstanceObject *>(value.o);
  if (object->type != &key)
    throw Error("expected " + key + " of this library, got " + object->key);
  return object;
}

} // namespace detail

/// A counted reference to an instance of a registered class; empty after it was moved from.
template <typename T> class Ref {
public:
  template <typename... A> static Ref make(A &&...args) {
    using Instance = detail::Instance<T>;
    static_assert(alignof(Instance) <= 64, "instances are aligned to 64 bytes at most");
    const std::string &key = detail::registeredKey<T>();
    void *block = detail::newBlock(sizeof(Instance), GE_ANY_INSTANCE_OBJECT, Instance::free);
    GeInstanceObject head{*static_cast<GeObject *>(block), key.c_str(), &key, nullptr};
    try {
      auto *made = new (block) Instance(head, std::forward<A>(args)...);
      made->object.instance = &made->value;
      return Ref(&made->object);
    } catch (...) {
      std::free(block);
      throw;
    }
  }
  /// Another reference to an instance that a value holds.
  static Ref of(const GeAny &value) {
    GeInstanceObject *object = detail::objectOf<T>(value);
    __atomic_fetch_add(&object->header.refs, 1, __ATOMIC_RELAXED);
    return Ref(object);
  }

  Ref(const Ref &other) : object_(other.object_) {
    if (object_)
      __atomic_fetch_add(&object_->header.refs, 1, __ATOMIC_RELAXED);
  }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_)
      geObjectRelease(&object_->header);
  }
  T &operator*() const { return *static_cast<T *>(object_->instance); }
  T *operator->() const { return static_cast<T *>(object_->instance); }
  explicit operator bool() const { return object_; }
  /// Gives the reference away.
  GeObject *release() { return &std::exchange(object_, nullptr)->header; }

private:
  explicit Ref(GeInstanceObject *object) : object_(object) {}
  GeInstanceObject *object_;
};

namespace detail {

template <typename T> struct Value<Ref<T>> {
  static std::string schema() { return registeredKey<T>(); }
  static Ref<T> get(const GeAny &value) { return Ref<T>::of(value); }
  static void put(Ref<T> made, GeAny &out) {
    if (!made)
      throw Error("gave an empty ge::Ref");
    out.tag = GE_ANY_INSTANCE_OBJECT;
    out.o = made.release();
  }
};

/// Of a registered class: an argument is the instance itself, a result a new one.
template <typename T> struct Value {
  static_assert(std::is_class_v<T>, "no type of arguments and results: see ge/library/Values.h");
  static constexpr bool kIsObject = true;
  static std::string schema() { return registeredKey<T>(); }
  static T get(const GeAny &value) { return *static_cast<T *>(objectOf<T>(value)->instance); }
  static void put(T value, GeAny &out) { Value<Ref<T>>::put(Ref<T>::make(std::move(value)), out); }
};

/// What is held for a parameter while the function runs.
template <typename A> struct Argument {
  using Held = std::decay_t<A>;
  static Held get(const GeAny &value) { return Value<Held>::get(value); }
  static Held &pass(Held &held) { return held; }
};
template <typename A>
  requires requires { Value<std::decay_t<A>>::kIsObject; }
struct Argument<A> {
  using Held = std::decay_t<A> *;
  static Held get(const GeAny &value) {
    return static_cast<Held>(objectOf<std::decay_t<A>>(value)->instance);
  }
  static std::decay_t<A> &pass(Held held) { return *held; }
};

} // namespace detail
} // namespace ge

#endif // GE_LIBRARY_OBJECTS_H
