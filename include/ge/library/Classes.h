//===- ge/library/Classes.h - classes that schemas name ---------------------------------------===//
//
//   struct Plan {
//     explicit Plan(int64_t n) : n(n) {}
//     int64_t step(int64_t by) { return n += by; }
//     int64_t n;
//   };
//
//   GE_LIBRARY(acme, m) {
//     m.class_<Plan>("Plan")
//         .def(ge::init<int64_t>())
//         .def("step", &Plan::step)
//         .def_static("parse", [](std::string_view text) { return
//         Plan(std::stoll(std::string(text))); }) .def_readwrite("n", &Plan::n)
//         .def_pickle([](const Plan &p) { return p.n; }, [](int64_t n) { return Plan(n); });
//     m.def("twice(acme.Plan plan) -> acme.Plan", [](const Plan &p) { return Plan(2 * p.n); });
//   }
//
// The key of the class, "acme.Plan", is a type of schemas. Constructors, methods, static methods
// and fields are records of the namespace of that name, so the binder serves them. An instance is
// counted; a function that takes `Plan &` gets the instance itself. Threads may call at once: the
// class locks what needs it.
//
#ifndef GE_LIBRARY_CLASSES_H
#define GE_LIBRARY_CLASSES_H

#include "ge/library/Library.h"

namespace ge {

template <typename... A> struct Init {};
/// For `Class::def`: a constructor.
template <typename... A> constexpr Init<A...> init() { return {}; }

/// What `Library::class_` returns. Everything throws Error when the registration is refused.
template <typename T> class Class {
public:
  using Where = std::source_location;

  /// A constructor. Several are overloads, of which the binder takes the one that fits.
  template <typename... A> Class &def(Init<A...>, Where where = Where::current()) {
    std::string name = numInits_ ? "init.v" + std::to_string(numInits_ + 1) : "init";
    ++numInits_;
    auto make = [](A... args) { return Ref<T>::make(std::forward<A>(args)...); };
    library_.template defClosure<Ref<T>, A...>(name, {}, make, "", where);
    return *this;
  }
  /// A method: a member function, or a function that takes the instance first.
  template <typename R, typename C, typename... A>
  Class &def(std::string_view name, R (C::*function)(A...), const char *doc = "",
             Where where = Where::current()) {
    return method<R, T &, A...>(name, std::mem_fn(function), doc, where);
  }
  template <typename R, typename C, typename... A>
  Class &def(std::string_view name, R (C::*function)(A...) const, const char *doc = "",
             Where where = Where::current()) {
    return method<R, const T &, A...>(name, std::mem_fn(function), doc, where);
  }
  template <typename F>
    requires(!std::is_member_pointer_v<F>)
  Class &def(std::string_view name, const F &function, const char *doc = "",
             Where where = Where::current()) {
    return methodPointer(name, +function, doc, where);
  }
  template <typename F>
  Class &def_static(std::string_view name, const F &function, const char *doc = "",
                    Where where = Where::current()) {
    return staticPointer(name, +function, doc, where);
  }
  /// A field that is read and assigned.
  template <typename C, typename V>
  Class &def_readwrite(std::string_view name, V C::*field, const char *doc = "",
                       Where where = Where::current()) {
    def_readonly(name, field, doc, where);
    auto set = [field](T &self, V value) { self.*field = std::move(value); };
    library_.template defClosure<void, T &, V>("__set_" + std::string(name), {"self", "value"}, set,
                                               doc, where);
    return *this;
  }
  template <typename C, typename V>
  Class &def_readonly(std::string_view name, V C::*field, const char *doc = "",
                      Where where = Where::current()) {
    auto get = [field](const T &self) { return self.*field; };
    library_.template defClosure<std::decay_t<V>, const T &>("__get_" + std::string(name), {"self"},
                                                             get, doc, where);
    return *this;
  }
  /// The state that a pickle holds, and an instance from it.
  template <typename G, typename S>
  Class &def_pickle(const G &get, const S &set, Where where = Where::current()) {
    methodPointer("__getstate__", +get, "", where);
    return staticPointer("__setstate__", +set, "", where);
  }

private:
  friend class Library;
  Class(GeLibrary *library, const char *file) : library_(library, file) {}

  template <typename R, typename S, typename... A, typename F>
  Class &method(std::string_view name, F function, const char *doc, const Where &where) {
    library_.template defClosure<R, S, A...>(name, {"self"}, std::move(function), doc, where);
    return *this;
  }
  template <typename R, typename S, typename... A>
  Class &methodPointer(std::string_view name, R (*function)(S, A...), const char *doc,
                       const Where &where) {
    static_assert(std::is_same_v<std::decay_t<S>, T> || std::is_same_v<std::decay_t<S>, Ref<T>>,
                  "the first parameter of a method is the instance");
    return method<R, S, A...>(name, function, doc, where);
  }
  template <typename R, typename... A>
  Class &staticPointer(std::string_view name, R (*function)(A...), const char *doc,
                       const Where &where) {
    library_.template defClosure<R, A...>(name, {}, function, doc, where);
    return *this;
  }

  Library library_;
  size_t numInits_ = 0;
};

template <typename T> Class<T> Library::class_(std::string_view name, std::source_location where) {
  std::string &key = detail::keyOf<T>();
  std::string wanted =
      std::string(detail::view(api().geLibraryGetNamespace(library_))) + "." + std::string(name);
  if (!key.empty() && key != wanted)
    throw Error("a class is registered once: " + key + " is " + wanted + ", too");
  GeLibrary *child = nullptr;
  detail::check(api().geLibraryOpenChild(whole_, detail::kFragment, detail::str(wanted),
                                         detail::str(file_), where.line(), &child));
  key = wanted;
  return Class<T>(child, file_.c_str());
}

} // namespace ge

#endif // GE_LIBRARY_CLASSES_H
