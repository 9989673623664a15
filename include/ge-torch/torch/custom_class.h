//===- torch/custom_class.h - classes of C++ in schemas and in Python --------------------------===//
//
//   struct Stack : torch::CustomClassHolder { ... };
//   TORCH_LIBRARY(acme, m) {
//     m.class_<Stack>("Stack").def(torch::init<int64_t>()).def("push", &Stack::push);
//   }
//
// The class is `acme.Stack` in schemas (also as `__torch__.torch.classes.acme.Stack`), and
// `ge.ops.classes.acme.Stack` in Python. Its constructor `acme.Stack::init` and its methods are
// records; a class is registered before what names it.
//
#ifndef GE_TORCH_TORCH_CUSTOM_CLASS_H
#define GE_TORCH_TORCH_CUSTOM_CLASS_H

#include <torch/library.h>

#include <cstdio>

namespace ge::torch_headers {

/// What is known of a class, once for each library.
template <typename T> struct ClassOf {
  GE_LIBRARY_HIDDEN static std::string &key() {
    static auto *key = new std::string; // objects may outlive everything
    return *key;
  }
};

inline void freeInstance(void *self, int flags) {
  if (flags & 1) {
    auto *held =
        static_cast<torch::CustomClassHolder *>(static_cast<GeInstanceObject *>(self)->instance);
    c10::intrusive_ptr<torch::CustomClassHolder>::unsafe_return_reference(held);
  }
  geObjectFree(self, flags);
}

template <typename T>
struct Value<c10::intrusive_ptr<T>,
             std::enable_if_t<std::is_base_of_v<torch::CustomClassHolder, T>>>
    : Plain<c10::intrusive_ptr<T>> {
  static std::string schema() {
    if (ClassOf<T>::key().empty())
      throw Error("a function takes or gives a class that is not registered; register it with "
                  "torch::class_ before");
    return ClassOf<T>::key();
  }
  static c10::intrusive_ptr<T> get(const GeAny &value) {
    auto *object = reinterpret_cast<const GeInstanceObject *>(value.o);
    if (value.tag != GE_ANY_INSTANCE_OBJECT || object->type != &ClassOf<T>::key())
      throw Error("expected a " + ClassOf<T>::key() + " of this library, got " +
                  (value.tag == GE_ANY_INSTANCE_OBJECT
                       ? std::string("a ") + object->key
                       : "a value of tag " + std::to_string(value.tag)));
    return c10::intrusive_ptr<T>::unsafe_reclaim_from_nonowning(
        static_cast<T *>(static_cast<torch::CustomClassHolder *>(object->instance)));
  }
  static void put(const c10::intrusive_ptr<T> &held, GeAny &out) {
    if (!held)
      throw Error("a null pointer is no " + ClassOf<T>::key());
    auto *made = static_cast<GeInstanceObject *>(
        ::ge::detail::newBlock(sizeof(GeInstanceObject), GE_ANY_INSTANCE_OBJECT, freeInstance));
    made->key = ClassOf<T>::key().c_str();
    made->type = &ClassOf<T>::key();
    made->instance = static_cast<torch::CustomClassHolder *>(
        c10::intrusive_ptr<torch::CustomClassHolder>(held).release());
    out.tag = GE_ANY_INSTANCE_OBJECT;
    out.o = &made->header;
  }
};

} // namespace ge::torch_headers

GE_TORCH_OPEN(torch)

/// The name of a parameter, and its default: `torch::arg("x") = 3`.
class arg {
public:
  explicit arg(std::string name) : name_(std::move(name)) {}
  static arg none(std::string name = "") {
    arg made(std::move(name));
    made.text_ = "None";
    return made;
  }
  template <typename T> arg &operator=(const T &value) {
    text_ = text(value);
    return *this;
  }
  const std::string &name() const { return name_; }
  const std::optional<std::string> &defaultText() const { return text_; }

private:
  static std::string text(std::nullopt_t) { return "None"; }
  static std::string text(bool value) { return value ? "True" : "False"; }
  static std::string text(std::string_view value) {
    std::string quoted = "\"";
    for (char c : value) {
      if (c == '"' || c == '\\')
        quoted += '\\';
      quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return quoted + "\"";
  }
  static std::string text(const char *value) { return text(std::string_view(value)); }
  static std::string text(const std::string &value) { return text(std::string_view(value)); }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  static std::string text(T value) {
    if constexpr (std::is_integral_v<T>)
      return std::to_string(value);
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", double(value));
    std::string made = digits;
    return made.find_first_not_of("-0123456789") == std::string::npos ? made + ".0" : made;
  }
  template <typename T> static std::string text(const std::vector<T> &values) {
    std::string all;
    for (const T &value : values)
      all += (all.empty() ? "" : ", ") + text(value);
    return "[" + all + "]";
  }
  std::string name_;
  std::optional<std::string> text_;
};

namespace detail {

template <typename... A> struct types {};
template <typename F> struct InitLambda {
  F function;
};

/// A method as a function of a pointer to its object.
template <typename T, typename F, typename Types> struct Bound;
template <typename T, typename F, typename... A> struct Bound<T, F, std::tuple<A...>> {
  F method;
  auto operator()(const c10::intrusive_ptr<T> &self, A... args) const
      -> std::decay_t<typename ge::torch_headers::FunctionOf<F>::Result> {
    return ((*self).*method)(std::forward<A>(args)...);
  }
};
template <typename T, typename Types> struct Maker;
template <typename T, typename... A> struct Maker<T, std::tuple<A...>> {
  c10::intrusive_ptr<T> operator()(A... args) const {
    return c10::make_intrusive<T>(std::forward<A>(args)...);
  }
};

} // namespace detail

template <typename... A> detail::types<A...> init() { return {}; }
template <typename F> detail::InitLambda<std::decay_t<F>> init(F &&function) {
  return {std::forward<F>(function)};
}

/// Registers a class; each function returns the object, so that they can be chained.
template <typename T> class class_ {
  static_assert(std::is_base_of_v<CustomClassHolder, T>,
                "a class of torch::class_ derives from torch::CustomClassHolder");

public:
  class_(const Library &library, const std::string &name)
      : file_(library.file()), line_(library.line()) {
    std::string &key = ge::torch_headers::ClassOf<T>::key();
    key = std::string(ge::detail::view(ge::api().geLibraryGetNamespace(library.handle()))) + "." +
          name;
    ge::detail::check(ge::api().geLibraryOpenChild(library.whole(), ge::detail::kFragment,
                                                   ge::detail::str(key), ge::detail::str(file_),
                                                   line_, &child_));
  }

  template <typename... A>
  class_ &def(detail::types<A...>, std::string doc = "", std::initializer_list<arg> args = {},
              int line = __builtin_LINE()) {
    return add("init", detail::Maker<T, std::tuple<A...>>(), false, doc, args, line);
  }
  template <typename F>
  class_ &def(detail::InitLambda<F> made, std::string doc = "",
              std::initializer_list<arg> args = {}, int line = __builtin_LINE()) {
    return add("init", std::move(made.function), false, doc, args, line);
  }
  /// A method, or what is called with a `const c10::intrusive_ptr<T> &` first.
  template <typename F>
  class_ &def(std::string name, F &&function, std::string doc = "",
              std::initializer_list<arg> args = {}, int line = __builtin_LINE()) {
    return add(name, bound(std::forward<F>(function)), true, doc, args, line);
  }
  template <typename F>
  class_ &def_static(std::string name, F &&function, std::string doc = "",
                     int line = __builtin_LINE()) {
    return add(name, std::forward<F>(function), false, doc, {}, line);
  }
  template <typename F>
  class_ &def_property(const std::string &name, F &&get, std::string doc = "",
                       int line = __builtin_LINE()) {
    return add("__get_" + name, bound(std::forward<F>(get)), true, doc, {}, line);
  }
  template <typename F, typename G,
            std::enable_if_t<!std::is_convertible_v<G, std::string>, int> = 0>
  class_ &def_property(const std::string &name, F &&get, G &&set, std::string doc = "",
                       int line = __builtin_LINE()) {
    def_property(name, std::forward<F>(get), doc, line);
    return add("__set_" + name, bound(std::forward<G>(set)), true, doc, {}, line);
  }
  template <typename V> class_ &def_readonly(const std::string &name, V T::*field) {
    return def_property(name,
                        [field](const c10::intrusive_ptr<T> &self) -> V { return (*self).*field; });
  }
  template <typename V> class_ &def_readwrite(const std::string &name, V T::*field) {
    return def_property(
        name, [field](const c10::intrusive_ptr<T> &self) -> V { return (*self).*field; },
        [field](const c10::intrusive_ptr<T> &self, V value) { (*self).*field = std::move(value); });
  }
  /// The state of an object, and the object of a state.
  template <typename G, typename S>
  class_ &def_pickle(G &&get, S &&set, int line = __builtin_LINE()) {
    add("__getstate__", bound(std::forward<G>(get)), true, "", {}, line);
    return add("__setstate__", std::forward<S>(set), false, "", {}, line);
  }

private:
  template <typename F> static auto bound(F &&function) {
    using Own = std::decay_t<F>;
    if constexpr (std::is_member_function_pointer_v<Own>)
      return detail::Bound<T, Own, typename ge::torch_headers::FunctionOf<Own>::Types>{function};
    else
      return Own(std::forward<F>(function));
  }
  template <typename F>
  class_ &add(const std::string &name, F &&function, bool hasSelf, const std::string &doc,
              std::initializer_list<arg> args, int line) {
    CppFunction kernel(std::forward<F>(function));
    const std::vector<std::string> &params = kernel.boxed().types.params;
    size_t first = hasSelf ? 1 : 0;
    TORCH_CHECK(args.size() == 0 || args.size() + first == params.size(), key(), "::", name, ": ",
                args.size(), " torch::arg for ", params.size() - first, " parameters");
    std::string schema = name + "(";
    for (size_t i = 0; i < params.size(); ++i) {
      const arg *given = i >= first && args.size() ? args.begin() + (i - first) : nullptr;
      schema += (i ? ", " : "") + params[i] + " " +
                (given               ? given->name()
                 : hasSelf && i == 0 ? std::string("self")
                                     : "_" + std::to_string(i));
      if (given && given->defaultText())
        schema += "=" + *given->defaultText();
    }
    schema += ") -> " + kernel.boxed().types.resultText();
    ge::detail::define(child_, schema, doc, 0, file_, uint32_t(line));
    ge::torch_headers::implement(child_, name, "any", std::move(kernel).take(), file_,
                                 uint32_t(line));
    return *this;
  }
  static const std::string &key() { return ge::torch_headers::ClassOf<T>::key(); }

  GeLibrary *child_ = nullptr;
  const char *file_;
  uint32_t line_;
};

template <typename T> torch::class_<T> Library::class_(const std::string &name) {
  return torch::class_<T>(*this, name);
}

GE_TORCH_CLOSE

#endif // GE_TORCH_TORCH_CUSTOM_CLASS_H
