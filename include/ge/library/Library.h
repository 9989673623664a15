//===- ge/library/Library.h - what a library adds to a namespace ------------------------------===//
#ifndef GE_LIBRARY_LIBRARY_H
#define GE_LIBRARY_LIBRARY_H

#include "ge/library/Values.h"

#include <source_location>

namespace ge {

class Library;

namespace detail {

// Of the blocks: the macros have the names of the enumerators.
inline constexpr auto kDef = GeLibraryKind(0), kFragment = GeLibraryKind(1),
                      kImpl = GeLibraryKind(2);

GE_LIBRARY_HIDDEN inline const GeApi *table = nullptr;
inline GeStringRef str(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(GeStringRef text) {
  return text.data ? std::string_view(text.data, text.length) : std::string_view();
}

} // namespace detail

/// The C API, when the library is loaded.
GE_LIBRARY_HIDDEN inline const GeApi &api() { return *detail::table; }

namespace detail {

inline void check(GeStatus status) {
  if (status != GE_OK)
    throw Error(std::string(view(api().geErrorMessage())));
}

/// A registration that waits for the loader.
struct Block {
  GeLibraryKind kind;
  const char *ns; ///< nullptr: that of the file
  const char *file;
  uint32_t line;
  void (*run)(::ge::Library &library);
  Block *next = nullptr;
  Block(GeLibraryKind k, const char *n, const char *f, uint32_t l, void (*r)(::ge::Library &));
};
/// In the order of the file.
struct Blocks {
  Block *first = nullptr;
  Block **last = &first;
};
GE_LIBRARY_HIDDEN inline Blocks &blocks() {
  static constinit Blocks all;
  return all;
}
inline Block::Block(GeLibraryKind k, const char *n, const char *f, uint32_t l,
                    void (*r)(::ge::Library &))
    : kind(k), ns(n), file(f), line(l), run(r) {
  *blocks().last = this;
  blocks().last = &next;
}

/// The text of a failure, which stays valid in its thread.
GE_LIBRARY_HIDDEN inline int fail(GeAny *result, const char *text) noexcept {
  static thread_local char kept[1024];
  std::strncpy(kept, text, sizeof kept - 1);
  *result = GeAny{};
  return geAnyFail(result, kept);
}

/// Types of a kernel: operands and attributes in order, then one Out for each result, or a result.
template <typename R, typename... A> struct Signature {
  static constexpr size_t kOuts = (size_t(0) + ... + size_t(std::is_same_v<std::decay_t<A>, Out>));
  static_assert(kOuts == 0 || std::is_void_v<R>, "a kernel with ge::Out returns void");
  static constexpr size_t kParams = sizeof...(A) - kOuts;

  static std::vector<std::string> params() {
    std::vector<std::string> all = {Value<std::decay_t<A>>::schema()...};
    all.resize(kParams);
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
  /// "(Tensor, float) -> Tensor"
  static std::string text() {
    return "(" + joined(params()) + ") -> " +
           (results().size() == 1 ? results()[0] : "(" + joined(results()) + ")");
  }

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
  static std::string joined(const std::vector<std::string> &words) {
    std::string all;
    for (const std::string &word : words)
      all += (all.empty() ? "" : ", ") + word;
    return all;
  }
  template <typename T> static T argument(const GeAny *args, size_t index) {
    try {
      return Value<T>::get(args[index]);
    } catch (const Error &error) {
      throw Error("argument " + std::to_string(index + 1) + ": " + error.what());
    }
  }
  template <typename F, size_t... I>
  static void callWith(const F &function, const GeAny *args, GeAny &result,
                       std::index_sequence<I...>) {
    // Braces: the arguments are converted from left to right.
    std::tuple<std::decay_t<A>...> values{argument<std::decay_t<A>>(args, I)...};
    if constexpr (std::is_void_v<R>)
      function(std::get<I>(values)...);
    else
      Value<std::decay_t<R>>::put(function(std::get<I>(values)...), result);
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
      return fail(result, "threw something that is no std::exception");
    }
  }
};

} // namespace detail

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
  Library(GeLibrary *library, const char *file, Backend backend = any)
      : library_(library), file_(file), backend_(backend) {}
  /// The same with another backend for `impl` without one.
  Library with(Backend backend) const { return {library_, file_.c_str(), backend}; }
  GeLibrary *handle() const { return library_; }

  /// Defines an operator: `m.def("scale(Tensor x, *, float factor=1.0) -> Tensor")`.
  void def(std::string_view schema, const OpOptions &options = {},
           std::source_location where = std::source_location::current()) {
    GeOpSpec *spec = nullptr;
    detail::check(
        api().geOpSpecCreate(detail::str(schema), detail::str(file_), where.line(), &spec));
    GeStatus status = api().geOpSpecSetDoc(spec, detail::str(options.doc));
    if (status == GE_OK)
      status = api().geOpSpecSetTraits(spec, options.traits);
    if (status != GE_OK) {
      Error error{std::string(detail::view(api().geErrorMessage()))};
      api().geOpSpecDestroy(spec);
      throw error;
    }
    detail::check(api().geLibraryDefineSpec(library_, spec, nullptr));
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

private:
  template <typename R, typename... A>
  void defPointer(std::string_view schema, R (*function)(A...), const OpOptions &options,
                  const std::source_location &where) {
    using Types = detail::Signature<R, A...>;
    std::string whole(schema);
    if (schema.find('(') == std::string_view::npos) {
      whole += "(";
      std::vector<std::string> params = Types::params(), results = Types::results();
      for (size_t i = 0; i < params.size(); ++i)
        whole += (i ? ", " : "") + params[i] + " _" + std::to_string(i);
      whole += ") -> ";
      if (results.size() == 1) {
        whole += results[0];
      } else {
        whole += "(";
        for (size_t i = 0; i < results.size(); ++i)
          whole += (i ? ", " : "") + results[i];
        whole += ")";
      }
    }
    def(whole, options, where);
    implPointer(schema.substr(0, schema.find('(')), any, function, where);
  }

  template <typename R, typename... A>
  void implPointer(std::string_view op, Backend backend, R (*function)(A...),
                   const std::source_location &where) {
    using Types = detail::Signature<R, A...>;
    checkSignature(op, Types::params(), Types::results(), Types::text(), where.line());
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

  /// "Tensor(a!)[2]" takes what a kernel's "Tensor[]" does.
  static bool fits(std::string_view schema, std::string_view cpp) {
    if (schema == cpp)
      return true;
    if (schema.ends_with('?'))
      return cpp.ends_with('?') &&
             fits(schema.substr(0, schema.size() - 1), cpp.substr(0, cpp.size() - 1));
    if (schema.ends_with(']') && cpp.ends_with("[]"))
      return fits(schema.substr(0, schema.rfind('[')), cpp.substr(0, cpp.size() - 2));
    return (schema == "SymInt" && cpp == "int") || (schema == "Scalar" && cpp == "float");
  }

  void checkSignature(std::string_view op, const std::vector<std::string> &params,
                      const std::vector<std::string> &results, const std::string &cpp,
                      uint32_t line) const {
    std::string name(op);
    if (op.find("::") == std::string_view::npos)
      name = std::string(detail::view(api().geLibraryGetNamespace(library_))) + "::" + name;
    GeOpDef record = nullptr;
    if (api().geRegistryGet(api().geRegistryGlobal(), detail::str(name), GE_OPSET_NEWEST,
                            &record) != GE_OK)
      return; // defined later
    GeOpInfo info{};
    bool good = api().geOpDefGetInfo(record, &info) == GE_OK && info.numParams == params.size() &&
                info.numResults == results.size();
    for (size_t i = 0; good && i < params.size(); ++i) {
      GeParamInfo param{};
      good = api().geOpDefGetParam(record, i, &param) == GE_OK &&
             fits(detail::view(api().geSchemaTypeStr(param.slot.type)), params[i]);
    }
    for (size_t i = 0; good && i < results.size(); ++i) {
      GeSlotInfo result{};
      good = api().geOpDefGetResult(record, i, &result) == GE_OK &&
             fits(detail::view(api().geSchemaTypeStr(result.type)), results[i]);
    }
    std::string schema;
    if (!good)
      static_cast<void>(api().geOpDefPrint(
          record, GE_SCHEMA_CANONICAL,
          [](GeStringRef piece, void *to) {
            static_cast<std::string *>(to)->append(piece.data, piece.length);
          },
          &schema));
    api().geOpDefRelease(record);
    if (!good)
      throw Error(name + ": kernel " + file_ + ":" + std::to_string(line) + " is a function " +
                  cpp + ", the schema is " + schema);
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

  GeLibrary *library_;
  std::string file_;
  Backend backend_;
};

namespace detail {

/// Runs the blocks of the library, DEF before FRAGMENT before IMPL, each in a child of `parent`.
GE_LIBRARY_HIDDEN inline GeStatus replay(const GeApi *given, GeLibrary *parent) noexcept {
  if (!given)
    return GE_ERROR_TYPE;
  auto fail = [&](GeStatus status, const std::string &text) {
    given->geErrorSet(status, str(text)); // at its place in every ABI
    return status;
  };
  try {
    if (given->abiVersion != GE_C_ABI_VERSION)
      return fail(GE_ERROR_VALUE, "it was built for C ABI " + std::to_string(GE_C_ABI_VERSION) +
                                      " and this GE has C ABI " +
                                      std::to_string(given->abiVersion) + "; rebuild it");
    if (!GE_API_HAS(given, geOpSpecSetOpenBounds))
      return fail(GE_ERROR_NOT_IMPLEMENTED, "it needs a newer GE than this one");
    table = given;
    for (GeLibraryKind kind : {kDef, kFragment, kImpl})
      for (Block *block = blocks().first; block; block = block->next) {
        if (block->kind != kind)
          continue;
        GeLibrary *child = nullptr;
        GeStringRef ns = block->ns ? str(block->ns) : api().geLibraryGetNamespace(parent);
        GeStatus status =
            api().geLibraryOpenChild(parent, kind, ns, str(block->file), block->line, &child);
        if (status != GE_OK)
          return status;
        Library library(child, block->file);
        block->run(library);
      }
    return GE_OK;
  } catch (const Error &error) {
    return fail(GE_ERROR_OP_SCHEMA, error.what());
  } catch (const std::exception &error) {
    return fail(GE_ERROR_GENERAL, error.what());
  } catch (...) {
    return fail(GE_ERROR_GENERAL, "a registration block threw no std::exception");
  }
}

} // namespace detail
} // namespace ge

#endif // GE_LIBRARY_LIBRARY_H
