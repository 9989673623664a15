//===- ge/library/Library.h - what a library adds to a namespace ------------------------------===//
#ifndef GE_LIBRARY_LIBRARY_H
#define GE_LIBRARY_LIBRARY_H

#include "ge/library/Objects.h"

#include <functional>
#include <memory>
#include <source_location>

namespace ge {

namespace detail {

/// Types of a kernel: operands and attributes in order, then one Out for each result, or a result.
template <typename R, typename... A> struct Signature {
  static constexpr size_t kOuts = (size_t(0) + ... + size_t(std::is_same_v<std::decay_t<A>, Out>));
  static_assert(kOuts == 0 || std::is_void_v<R>, "a kernel with ge::Out returns void");
  static constexpr size_t kParams = sizeof...(A) - kOuts;
  static constexpr bool areOutsLast() {
    bool seen = false, areLast = true;
    ((areLast = areLast && (std::is_same_v<std::decay_t<A>, Out> || !seen),
      seen = seen || std::is_same_v<std::decay_t<A>, Out>),
     ...);
    return areLast;
  }
  static_assert(areOutsLast(),
                "ge::Out stands last: the caller passes the results after all parameters");

  static std::vector<std::string> params() {
    std::vector<std::string> all = {Value<std::decay_t<A>>::schema()...};
    all.resize(kParams);
    size_t written = 0;
    for (std::string &word : all)
      if (size_t at = word.find(kWritten); at != std::string::npos) {
        word.replace(at + 1, 1, 1 + written / 26, char('a' + written % 26));
        ++written;
      }
    return all;
  }
  static std::vector<std::string> results() {
    if constexpr (kOuts != 0)
      return std::vector<std::string>(kOuts, "Tensor");
    else if constexpr (std::is_void_v<R>)
      return {};
    else
      return resultsOf(static_cast<std::decay_t<R> *>(nullptr));
  }
  static FunctionTypes types() { return {params(), results()}; }

  /// Calls `function` with arguments [skip, skip + parameters).
  template <typename F> static void call(const F &function, const GeAny *args, GeAny &result) {
    callWith(function, args, result, std::index_sequence_for<A...>());
  }

private:
  template <typename T> static std::vector<std::string> resultsOf(T *) {
    return {Value<T>::schema()};
  }
  template <typename... T> static std::vector<std::string> resultsOf(std::tuple<T...> *) {
    return {Value<T>::schema()...};
  }
  template <typename T> static auto argument(const GeAny *args, size_t index) {
    try {
      return Argument<T>::get(args[index]);
    } catch (const Error &error) {
      throw Error("argument " + std::to_string(index + 1) + ": " + error.what());
    }
  }
  template <typename F, size_t... I>
  static void callWith(const F &function, [[maybe_unused]] const GeAny *args,
                       [[maybe_unused]] GeAny &result, std::index_sequence<I...>) {
    // Braces: the arguments are converted from left to right.
    std::tuple<typename Argument<A>::Held...> values{argument<A>(args, I)...};
    if constexpr (std::is_void_v<R>)
      function(Argument<A>::pass(std::get<I>(values))...);
    else
      Value<std::decay_t<R>>::put(function(Argument<A>::pass(std::get<I>(values))...), result);
  }
};

/// A function pointer as a kernel: it is `self`, and this is the code.
template <typename R, typename... A> struct Trampoline {
  using Function = R (*)(A...);
  static int call(void *self, const GeAny *args, int32_t numArgs, GeAny *result) noexcept {
    try {
      if (size_t(numArgs) != sizeof...(A))
        throw Error("the kernel takes " + std::to_string(sizeof...(A)) + " values, not " +
                    std::to_string(numArgs));
      Signature<R, A...>::call(reinterpret_cast<Function>(self), args, *result);
      return 0;
    } catch (const std::exception &error) {
      return fail(result, error.what());
    } catch (...) {
      return fail(result, "threw an exception that is not a std::exception");
    }
  }
};

/// A callable that has a state as a kernel: `self` is the callable, on the heap.
template <typename F, typename R, typename... A> struct Closure {
  static int call(void *self, const GeAny *args, int32_t numArgs, GeAny *result) noexcept {
    try {
      if (size_t(numArgs) != sizeof...(A))
        throw Error("it takes " + std::to_string(sizeof...(A)) + " values, not " +
                    std::to_string(numArgs));
      Signature<R, A...>::call(*static_cast<const F *>(self), args, *result);
      return 0;
    } catch (const std::exception &error) {
      return fail(result, error.what());
    } catch (...) {
      return fail(result, "threw an exception that is not a std::exception");
    }
  }
  static void release(void *self) { delete static_cast<F *>(self); }
};

} // namespace detail

template <typename T> class Class;

struct Backend {
  const char *name;
};
inline constexpr Backend cpu{"cpu"}, cuda{"cuda"}, npu{"npu"}, any{"any"};

struct OpOptions {
  const char *doc = "";
  uint32_t traits = 0; ///< GeOpTrait, or-ed
};

/// The call that results are inferred for.
class InferCall {
public:
  InferCall(const GeOpCall *call, GeType *results) : call_(call), results_(results) {}
  size_t numOperands() const { return call_->numOperands; }
  size_t numResults() const { return call_->numResults; }
  /// NULL: the operand is absent.
  GeType operandType(size_t index) const {
    if (index >= call_->numOperands)
      throw Error("there is no operand " + std::to_string(index));
    return call_->operandTypes[index];
  }
  void setResult(size_t index, GeType type) const {
    if (index >= call_->numResults)
      throw Error("there is no result " + std::to_string(index));
    results_[index] = type;
  }
  const GeOpCall &call() const { return *call_; }

private:
  const GeOpCall *call_;
  GeType *results_;
};
/// For `infer`: every result has the type of that operand.
struct SameAs {
  size_t operand;
};
constexpr SameAs sameAs(size_t operand) { return {operand}; }

/// What a block gets. Everything throws Error when the registration is refused.
class Library {
public:
  /// `whole`: what closes all that a file brings; classes are children of it.
  Library(GeLibrary *library, const char *file, Backend backend = any, GeLibrary *whole = nullptr)
      : library_(library), whole_(whole ? whole : library), file_(file), backend_(backend) {}
  /// The same with another backend for `impl` without one.
  Library with(Backend backend) const { return {library_, file_.c_str(), backend, whole_}; }
  GeLibrary *handle() const { return library_; }

  /// Defines an operator: `m.def("scale(Tensor x, *, float factor=1.0) -> Tensor")`.
  void def(std::string_view schema, const OpOptions &options = {},
           std::source_location where = std::source_location::current()) {
    detail::define(library_, schema, options.doc, options.traits, file_.c_str(), where.line());
  }

  /// Defines an operator and its kernel for any backend. A name without parameters gets them from
  /// the function: "_0", "_1", ...
  template <typename F>
    requires(!std::is_convertible_v<const F &, OpOptions>)
  void def(std::string_view schema, const F &function, const OpOptions &options = {},
           std::source_location where = std::source_location::current()) {
    defPointer(schema, +function, options, where);
  }

  /// Registers a kernel: a function, or a lambda that captures nothing. The operator may be defined
  /// later.
  template <typename F>
  void impl(std::string_view op, Backend backend, const F &function,
            std::source_location where = std::source_location::current()) {
    implPointer(op, backend, +function, where);
  }
  /// For the backend of GE_LIBRARY_IMPL; else "any".
  template <typename F>
  void impl(std::string_view op, const F &function,
            std::source_location where = std::source_location::current()) {
    implPointer(op, backend_, +function, where);
  }

  /// Lets the types of an operator's results be those of an operand, or what a function sets:
  /// `m.infer("pool", [](const ge::InferCall &call) { ... });`.
  void infer(std::string_view op, SameAs same) {
    inferWith(op, inferSame, reinterpret_cast<void *>(same.operand));
  }
  void infer(std::string_view op, void (*function)(const InferCall &call)) {
    inferWith(op, inferBy, reinterpret_cast<void *>(function));
  }

  /// Registers a class, whose key is `<namespace>.<name>`: `m.class_<Plan>("Plan")`. Functions that
  /// take or give it are registered after it.
  template <typename T>
  Class<T> class_(std::string_view name,
                  std::source_location where = std::source_location::current());

private:
  template <typename T> friend class Class;

  /// Defines an operator with a kernel that has a state. Names of parameters follow `names`.
  template <typename R, typename... A, typename F>
  void defClosure(std::string_view name, std::initializer_list<const char *> names, F function,
                  const char *doc, const std::source_location &where) {
    detail::FunctionTypes types = detail::Signature<R, A...>::types();
    std::string whole(name);
    whole += "(";
    for (size_t i = 0; i < types.params.size(); ++i)
      whole += (i ? ", " : "") + types.params[i] + " " +
               (i < names.size() ? std::string(names.begin()[i])
                                 : "_" + std::to_string(i - names.size()));
    whole += ") -> " + types.resultText();
    def(whole, OpOptions{doc}, where);
    GeKernelSpec spec{};
    spec.size = sizeof spec;
    spec.op = detail::str(name);
    spec.backend = detail::str(any.name);
    spec.function = detail::Closure<F, R, A...>::call;
    spec.self = new F(std::move(function)); // released also on failure
    spec.release = detail::Closure<F, R, A...>::release;
    spec.file = detail::str(file_);
    spec.line = where.line();
    detail::check(api().geLibraryImpl(library_, &spec, nullptr));
  }

  template <typename R, typename... A>
  void defPointer(std::string_view schema, R (*function)(A...), const OpOptions &options,
                  const std::source_location &where) {
    using Types = detail::Signature<R, A...>;
    std::string whole(schema);
    if (schema.find('(') == std::string_view::npos)
      whole += Types::types().schema();
    def(whole, options, where);
    implPointer(schema.substr(0, schema.find('(')), any, function, where);
  }

  template <typename R, typename... A>
  void implPointer(std::string_view op, Backend backend, R (*function)(A...),
                   const std::source_location &where) {
    using Types = detail::Signature<R, A...>;
    detail::checkSignature(library_, op, Types::types(), file_.c_str(), where.line(),
                           Types::kOuts != 0);
    GeKernelSpec spec{};
    spec.size = sizeof spec;
    spec.op = detail::str(op);
    spec.backend = detail::str(backend.name);
    spec.function = detail::Trampoline<R, A...>::call;
    spec.self = reinterpret_cast<void *>(function);
    spec.flags = Types::kOuts ? GE_KERNEL_OUT : 0;
    spec.file = detail::str(file_);
    spec.line = where.line();
    detail::check(api().geLibraryImpl(library_, &spec, nullptr));
  }

  void inferWith(std::string_view op,
                 GeStatus (*function)(void *, const GeOpCall *, GeType *, bool *), void *userData) {
    GeInferrer inferrer{};
    inferrer.size = sizeof inferrer;
    inferrer.name = detail::str(file_);
    inferrer.userData = userData;
    inferrer.infer = function;
    detail::check(api().geLibraryInfer(library_, detail::str(op), &inferrer));
  }
  template <typename F> static GeStatus guarded(const F &body) noexcept {
    try {
      body();
      return GE_OK;
    } catch (const std::exception &error) {
      api().geErrorSet(GE_ERROR_VERIFY, detail::str(error.what()));
    } catch (...) {
      api().geErrorSet(GE_ERROR_VERIFY, detail::str("inference threw no std::exception"));
    }
    return GE_ERROR_VERIFY;
  }
  static GeStatus inferSame(void *operand, const GeOpCall *call, GeType *results, bool *) {
    return guarded([&] {
      InferCall seen(call, results);
      for (size_t i = 0; i < seen.numResults(); ++i)
        seen.setResult(i, seen.operandType(reinterpret_cast<size_t>(operand)));
    });
  }
  static GeStatus inferBy(void *function, const GeOpCall *call, GeType *results, bool *) {
    return guarded(
        [&] { reinterpret_cast<void (*)(const InferCall &)>(function)(InferCall(call, results)); });
  }

  GeLibrary *library_, *whole_;
  std::string file_;
  Backend backend_;
};

namespace detail {

/// Runs a block of GE_LIBRARY.
inline void runBlock(const Block &block, GeLibrary *library, GeLibrary *whole) {
  Library own(library, block.file, any, whole);
  reinterpret_cast<void (*)(Library &)>(block.user)(own);
}

} // namespace detail
} // namespace ge

/// A block of the loader, which calls a function that takes a Library.
#define GE_LIBRARY_RECORD(kind, ns, id, ...)                                                       \
  static ::ge::detail::Block GE_LIBRARY_JOIN(geLibraryRecord, id)(                                 \
      kind, ns, __FILE__, __LINE__, ::ge::detail::runBlock,                                        \
      reinterpret_cast<void (*)()>(static_cast<void (*)(::ge::Library &)>(__VA_ARGS__)));

#endif // GE_LIBRARY_LIBRARY_H
