//===- torch/library.h - registration of operators as torch's sources write it -----------------===//
//
//   TORCH_LIBRARY(acme, m) {
//     m.def("scale(Tensor x, float factor) -> Tensor");
//     m.def("add1", [](int64_t x) { return x + 1; });
//   }
//   TORCH_LIBRARY_IMPL(acme, CPU, m) { m.impl("scale", &scale); }
//
// The file is a library of kernels of GE (ge.ops.load_library). Blocks run when it is loaded.
//
#ifndef GE_TORCH_TORCH_LIBRARY_H
#define GE_TORCH_TORCH_LIBRARY_H

#include <ATen/ATen.h>
#include <c10/core/DispatchKey.h>

#include "ge-torch/Kernel.h"

GE_TORCH_OPEN(c10)
enum class AliasAnalysisKind : uint8_t { CONSERVATIVE, FROM_SCHEMA, PURE_FUNCTION };
GE_TORCH_CLOSE

GE_TORCH_OPEN(at)
/// What torch.compile asks; nothing here depends on it.
enum class Tag {
  pt2_compliant_tag,
  needs_fixed_stride_order,
  needs_exact_strides,
  flexible_layout,
  cudagraph_unsafe
};
GE_TORCH_CLOSE

GE_TORCH_OPEN(torch)
using namespace at;

template <typename T> class class_;

/// A kernel that is not registered yet: a function, or what can be called with fixed types.
class CppFunction {
public:
  template <typename F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, CppFunction>, int> = 0>
  CppFunction(F &&function)
      : boxed_(ge::torch_headers::boxed<std::decay_t<F>>(std::forward<F>(function))) {}
  CppFunction(CppFunction &&other) noexcept : boxed_(std::move(other.boxed_)), key_(other.key_) {
    other.boxed_.self = nullptr;
  }
  CppFunction &operator=(CppFunction &&) = delete;
  ~CppFunction() {
    if (boxed_.self)
      boxed_.release(boxed_.self);
  }
  /// The key that has no kernel of its own: nothing is registered.
  static CppFunction makeFallthrough() { return CppFunction(); }

  const ge::torch_headers::Boxed &boxed() const { return boxed_; }
  bool isFallthrough() const { return !boxed_.function; }
  const std::optional<DispatchKey> &key() const { return key_; }
  CppFunction with(DispatchKey key) && {
    key_ = key;
    return std::move(*this);
  }
  ge::torch_headers::Boxed take() && {
    ge::torch_headers::Boxed taken = boxed_;
    boxed_.self = nullptr;
    return taken;
  }

private:
  CppFunction() = default;
  ge::torch_headers::Boxed boxed_;
  std::optional<DispatchKey> key_;
};
#define TORCH_FN(function) (&function)

/// A kernel for a device or a dispatch key.
template <typename Key, typename F> CppFunction dispatch(Key key, F &&function) {
  return CppFunction(std::forward<F>(function)).with(c10::detail::keyOf(key));
}

namespace detail {

struct Schema {
  std::string text;
  uint32_t traits = 0;
};
/// Classes are named here without the words of TorchScript.
inline std::string schemaText(std::string text) {
  static constexpr char kPrefix[] = "__torch__.torch.classes.";
  for (size_t at = text.find(kPrefix); at != std::string::npos; at = text.find(kPrefix, at))
    text.erase(at, sizeof kPrefix - 1);
  return text;
}

} // namespace detail

inline detail::Schema schema(const char *text,
                             AliasAnalysisKind kind = AliasAnalysisKind::FROM_SCHEMA) {
  return {text, kind == AliasAnalysisKind::PURE_FUNCTION ? uint32_t(GE_TRAIT_PURE) : 0};
}

/// What a block gets. Everything throws when the registration is refused.
class Library {
public:
  Library(GeLibrary *library, GeLibrary *whole, const char *file, uint32_t line, DispatchKey key)
      : library_(library), whole_(whole), file_(file), line_(line), key_(key) {}

  Library &def(std::string schema, const std::vector<Tag> & = {}, int line = __builtin_LINE()) & {
    return define({std::move(schema)}, line);
  }
  Library &def(detail::Schema schema, const std::vector<Tag> & = {},
               int line = __builtin_LINE()) & {
    return define(std::move(schema), line);
  }
  /// With its kernel. A name without parameters gets them from the function: "_0", "_1", ...
  template <typename F, std::enable_if_t<!std::is_convertible_v<F, std::vector<Tag>>, int> = 0>
  Library &def(std::string schema, F &&function, const std::vector<Tag> & = {},
               int line = __builtin_LINE()) & {
    return defineWith({std::move(schema)}, CppFunction(std::forward<F>(function)), line);
  }
  template <typename F, std::enable_if_t<!std::is_convertible_v<F, std::vector<Tag>>, int> = 0>
  Library &def(detail::Schema schema, F &&function, const std::vector<Tag> & = {},
               int line = __builtin_LINE()) & {
    return defineWith(std::move(schema), CppFunction(std::forward<F>(function)), line);
  }

  /// Of TORCH_LIBRARY_IMPL: for its key; else for any.
  template <typename F> Library &impl(std::string op, F &&function, int line = __builtin_LINE()) & {
    return implement(op, CppFunction(std::forward<F>(function)), line);
  }
  template <typename Key, typename F,
            std::enable_if_t<std::is_same_v<std::decay_t<Key>, DeviceType> ||
                                 std::is_same_v<std::decay_t<Key>, DispatchKey>,
                             int> = 0>
  Library &impl(std::string op, Key key, F &&function, int line = __builtin_LINE()) & {
    return implement(op, torch::dispatch(key, std::forward<F>(function)), line);
  }
  /// Only of what falls through.
  Library &fallback(CppFunction &&function) & {
    TORCH_CHECK(function.isFallthrough(),
                "GE has no fallback kernels; register one for each operator");
    return *this;
  }

  template <typename T> torch::class_<T> class_(const std::string &name);

  /// Where the Python part of the operators is; GE does not import it.
  Library &set_python_module(const char *module, const char * = "") & {
    remark(std::string("the Python part of the operators is in module ") + module +
           ", which is not imported");
    return *this;
  }
  Library &impl_abstract_pystub(const char *module, const char *context = "") & {
    return set_python_module(module, context);
  }

  GeLibrary *handle() const { return library_; }
  GeLibrary *whole() const { return whole_; }
  const char *file() const { return file_; }
  uint32_t line() const { return line_; }

private:
  Library &define(const detail::Schema &schema, int line) {
    ge::detail::define(library_, detail::schemaText(schema.text), "", schema.traits, file_,
                       uint32_t(line));
    return *this;
  }
  Library &defineWith(detail::Schema schema, CppFunction &&function, int line) {
    std::string name = schema.text.substr(0, schema.text.find('('));
    if (name.size() == schema.text.size())
      schema.text += function.boxed().types.schema();
    define(schema, line);
    return implement(name, std::move(function), line);
  }
  Library &implement(const std::string &op, CppFunction &&function, int line) {
    if (function.isFallthrough())
      return *this;
    DispatchKey key = function.key().value_or(key_);
    if (const char *backend = c10::detail::backendOf(key))
      ge::torch_headers::implement(library_, op, backend, std::move(function).take(), file_,
                                   uint32_t(line));
    else
      remark(ge::detail::qualified(library_, op) + ": the kernel for " + c10::toString(key) + " (" +
             file_ + ":" + std::to_string(line) + ") is not used");
    return *this;
  }
  void remark(const std::string &text) const {
    ge::detail::check(ge::api().geLibraryAddRemark(library_, ge::detail::str(text)));
  }

  GeLibrary *library_, *whole_;
  const char *file_;
  uint32_t line_;
  DispatchKey key_;
};

namespace detail {

/// The text of an Error of torch is that of the registration.
template <typename Body> void registering(const Body &body) {
  if (!GE_API_HAS(ge::detail::table, geLibraryAddRemark))
    throw ge::Error("it needs a newer GE than this one");
  try {
    body();
  } catch (const c10::Error &error) {
    throw ge::Error(error.what());
  }
}
template <DispatchKey key>
void runBlock(const ge::detail::Block &block, GeLibrary *library, GeLibrary *whole) {
  registering([&] {
    Library own(library, whole, block.file, block.line, key);
    reinterpret_cast<void (*)(Library &)>(block.user)(own);
  });
}

} // namespace detail

GE_TORCH_CLOSE

#define GE_TORCH_BLOCK(kind, ns, key, m, id)                                                       \
  static void GE_LIBRARY_JOIN(geTorchBlock, id)(::torch::Library &);                               \
  static ::ge::detail::Block GE_LIBRARY_JOIN(geTorchRecord, id)(                                   \
      kind, ns, __FILE__, __LINE__, ::torch::detail::runBlock<::c10::DispatchKey::key>,            \
      reinterpret_cast<void (*)()>(&GE_LIBRARY_JOIN(geTorchBlock, id)));                           \
  static void GE_LIBRARY_JOIN(geTorchBlock, id)(::torch::Library & m)

/// The home of a namespace.
#define TORCH_LIBRARY(ns, m) GE_TORCH_BLOCK(::ge::detail::kDef, #ns, CatchAll, m, __COUNTER__)
/// Adds operators to a namespace that another library may own.
#define TORCH_LIBRARY_FRAGMENT(ns, m)                                                              \
  GE_TORCH_BLOCK(::ge::detail::kFragment, #ns, CatchAll, m, __COUNTER__)
/// Kernels only, for a key.
#define TORCH_LIBRARY_IMPL(ns, key, m) GE_TORCH_BLOCK(::ge::detail::kImpl, #ns, key, m, __COUNTER__)
#define TORCH_SELECTIVE_NAME(name) name
#define TORCH_SELECTIVE_SCHEMA(schema) schema

#include <torch/custom_class.h>

#endif // GE_TORCH_TORCH_LIBRARY_H
