//===- ge/library/Registration.h - what waits for the loader ----------------------------------===//
//
// Blocks of a library, which run when it is loaded, and what they need of the C API. Shared by
// ge/library.h (C++20) and the headers of torch (C++17), so that one library may use both.
//
#ifndef GE_LIBRARY_REGISTRATION_H
#define GE_LIBRARY_REGISTRATION_H

#include "ge-c/Api.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Of what every library has its own: state, and what refers to it.
#define GE_LIBRARY_HIDDEN __attribute__((visibility("hidden")))

#define GE_LIBRARY_JOIN_(a, b) a##b
#define GE_LIBRARY_JOIN(a, b) GE_LIBRARY_JOIN_(a, b)

namespace ge {

/// What is wrong with a call or a registration.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

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

// --- Counted objects: one block of the heap of this library each

inline void *newBlock(size_t size, int32_t tag, void (*deleter)(void *, int)) {
  constexpr size_t kAlignment = 64;
  if (size > std::numeric_limits<size_t>::max() - kAlignment)
    throw std::bad_alloc();
  void *block = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  if (!block)
    throw std::bad_alloc();
  *static_cast<GeObject *>(block) = {GE_ONE_REFERENCE, tag, 0, deleter};
  return block;
}

[[noreturn]] inline void throwTag(const std::string &expected, const GeAny &value) {
  throw Error("expected " + expected + ", got a value of tag " + std::to_string(value.tag));
}

inline std::string_view textOf(const GeAny &value) {
  if (value.tag == GE_ANY_STR)
    return value.s;
  if (value.tag == GE_ANY_SMALL_STR)
    return {value.bytes, value.small};
  if (value.tag != GE_ANY_STR_OBJECT)
    throwTag("a str", value);
  auto *object = reinterpret_cast<const GeBytesObject *>(value.o);
  return {object->data, object->size};
}
inline void putText(std::string_view text, GeAny &out) {
  auto *object = static_cast<GeBytesObject *>(
      newBlock(sizeof(GeBytesObject) + text.size() + 1, GE_ANY_STR_OBJECT, geObjectFree));
  auto *data = reinterpret_cast<char *>(object + 1);
  if (!text.empty())
    std::memcpy(data, text.data(), text.size());
  data[text.size()] = '\0';
  object->data = data;
  object->size = text.size();
  out.tag = GE_ANY_STR_OBJECT;
  out.o = &object->header;
}

/// The elements of a list or tuple, each read by Value<T>::get of the caller.
template <typename T, typename Get> std::vector<T> itemsOf(const GeAny &value, Get get) {
  if (value.tag != GE_ANY_ARRAY_OBJECT)
    throwTag("a list", value);
  auto *array = reinterpret_cast<const GeArrayObject *>(value.o);
  std::vector<T> all;
  all.reserve(size_t(array->size));
  for (int64_t i = 0; i < array->size; ++i)
    all.push_back(get(array->items[i]));
  return all;
}

/// A list or tuple of `size` results, released when filling it throws.
class NewArray {
public:
  explicit NewArray(size_t size)
      : array_(static_cast<GeArrayObject *>(newBlock(sizeof(GeArrayObject) + size * sizeof(GeAny),
                                                     GE_ANY_ARRAY_OBJECT, geArrayFree))) {
    array_->items = reinterpret_cast<GeAny *>(array_ + 1);
    array_->size = array_->capacity = int64_t(size);
    array_->itemsDeleter = nullptr;
    for (size_t i = 0; i < size; ++i)
      array_->items[i] = GeAny{};
  }
  NewArray(const NewArray &) = delete;
  NewArray &operator=(const NewArray &) = delete;
  ~NewArray() {
    if (array_)
      geObjectRelease(&array_->header);
  }
  GeAny &operator[](size_t i) { return array_->items[i]; }
  void put(GeAny &out) {
    out.tag = GE_ANY_ARRAY_OBJECT;
    out.o = &std::exchange(array_, nullptr)->header;
  }

private:
  GeArrayObject *array_;
};

/// The text of a failure, which stays valid in its thread.
GE_LIBRARY_HIDDEN inline int fail(GeAny *result, const char *text) noexcept {
  static thread_local char kept[1024];
  size_t size = std::strlen(text);
  if (size > sizeof kept - 1) {
    size = sizeof kept - 1;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
      --size; // not inside of a character
  }
  std::memcpy(kept, text, size);
  kept[size] = '\0';
  *result = GeAny{};
  return geAnyFail(result, kept);
}

// --- Operators and their kernels

/// What a function takes and gives, as schema types.
struct FunctionTypes {
  std::vector<std::string> params, results;

  static std::string joined(const std::vector<std::string> &words) {
    std::string all;
    for (const std::string &word : words)
      all += (all.empty() ? "" : ", ") + word;
    return all;
  }
  std::string resultText() const {
    return results.size() == 1 ? results[0] : "(" + joined(results) + ")";
  }
  /// "(Tensor, float) -> Tensor"
  std::string text() const { return "(" + joined(params) + ") -> " + resultText(); }
  /// "(Tensor _0, float _1) -> Tensor"
  std::string schema() const {
    std::string all = "(";
    for (size_t i = 0; i < params.size(); ++i)
      all += (i ? ", " : "") + params[i] + " _" + std::to_string(i);
    return all + ") -> " + resultText();
  }
};

/// "Tensor[2]" takes what a kernel's "Tensor[]" does.
inline bool fits(std::string_view schema, std::string_view cpp) {
  auto ends = [](std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  };
  if (schema == cpp)
    return true;
  if (ends(schema, "?"))
    return ends(cpp, "?") &&
           fits(schema.substr(0, schema.size() - 1), cpp.substr(0, cpp.size() - 1));
  if (ends(schema, "]") && ends(cpp, "[]"))
    return fits(schema.substr(0, schema.rfind('[')), cpp.substr(0, cpp.size() - 2));
  return (schema == "SymInt" && cpp == "int") || (schema == "Scalar" && cpp == "float");
}

inline bool isWritten(GeAlias alias) {
  if (!alias)
    return false;
  bool writes = api().geAliasIsWrite(alias);
  for (size_t i = 0; !writes && i < api().geAliasNumContained(alias); ++i)
    writes = isWritten(api().geAliasGetContained(alias, i));
  return writes;
}
/// A kernel may write only what the schema says; it may also leave that as it is.
inline bool fits(const GeSlotInfo &slot, std::string cpp) {
  if (size_t end = cpp.find("!)"); end != std::string::npos) {
    if (!isWritten(slot.alias))
      return false;
    size_t begin = cpp.rfind('(', end);
    cpp.erase(begin, end + 2 - begin);
  }
  return fits(view(api().geSchemaTypeStr(slot.type)), cpp);
}

inline std::string qualified(GeLibrary *library, std::string_view op) {
  if (op.find("::") != std::string_view::npos)
    return std::string(op);
  return std::string(view(api().geLibraryGetNamespace(library))) + "::" + std::string(op);
}

/// Whether a result is an operand that is written: the kernel does not make it.
inline bool isOperandItself(GeOpDef record, size_t numParams, const GeSlotInfo &result) {
  for (size_t i = 0; result.alias && i < numParams; ++i) {
    GeSlotInfo param{};
    if (api().geOpDefGetParam(record, i, &param, nullptr) != GE_OK || !param.alias ||
        !api().geAliasIsWrite(param.alias))
      continue;
    for (size_t a = 0; a < api().geAliasNumBefore(result.alias); ++a)
      for (size_t b = 0; b < api().geAliasNumBefore(param.alias); ++b)
        if (std::string_view name = view(api().geAliasGetBefore(result.alias, a));
            name == "*" || name == view(api().geAliasGetBefore(param.alias, b)))
          return true;
  }
  return false;
}

/// Throws when the operator is defined and takes or gives something else than the function, which
/// need not give written operands back, and with `isOut` cannot.
inline void checkSignature(GeLibrary *library, std::string_view op, const FunctionTypes &types,
                           const char *file, uint32_t line, bool isOut = false) {
  std::string name = qualified(library, op);
  GeOpDef record = nullptr;
  if (api().geRegistryGet(api().geRegistryGlobal(), str(name), GE_OPSET_NEWEST, &record) != GE_OK)
    return; // defined later
  GeOpInfo info{};
  bool good = api().geOpDefGetInfo(record, &info) == GE_OK && info.numParams == types.params.size();
  for (size_t i = 0; good && i < types.params.size(); ++i) {
    GeSlotInfo param{};
    good =
        api().geOpDefGetParam(record, i, &param, nullptr) == GE_OK && fits(param, types.params[i]);
  }
  std::vector<GeSlotInfo> all, made; // results, and those that are new
  for (size_t i = 0; good && i < info.numResults; ++i) {
    GeSlotInfo result{};
    good = api().geOpDefGetResult(record, i, &result) == GE_OK;
    all.push_back(result);
    if (!isOperandItself(record, info.numParams, result))
      made.push_back(result);
  }
  const std::vector<GeSlotInfo> &given = isOut || types.results.size() == made.size() ? made : all;
  good = good && types.results.size() == given.size();
  for (size_t i = 0; good && i < given.size(); ++i)
    good = fits(view(api().geSchemaTypeStr(given[i].type)), types.results[i]);
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
    throw Error(name + ": kernel " + file + ":" + std::to_string(line) + " is a function " +
                types.text() + ", the schema is " + schema);
}

inline void define(GeLibrary *library, std::string_view schema, std::string_view doc,
                   uint32_t traits, const char *file, uint32_t line) {
  GeOpSpec *spec = nullptr;
  check(api().geOpSpecCreate(str(schema), str(file), line, &spec));
  GeStatus status = api().geOpSpecSetDoc(spec, str(doc));
  if (status == GE_OK)
    status = api().geOpSpecSetTraits(spec, traits);
  if (status != GE_OK) {
    Error error{std::string(view(api().geErrorMessage()))};
    api().geOpSpecDestroy(spec);
    throw error;
  }
  check(api().geLibraryDefineSpec(library, spec, nullptr));
}

// --- Blocks

/// A registration that waits for the loader.
struct Block {
  GeLibraryKind kind;
  const char *ns; ///< nullptr: that of the file
  const char *file;
  uint32_t line;
  /// `library` is the block's own, a child of that of the file.
  void (*run)(const Block &block, GeLibrary *library, GeLibrary *whole);
  void (*user)(); ///< the function of the block, of the type that `run` knows
  Block *next = nullptr;
  Block(GeLibraryKind k, const char *n, const char *f, uint32_t l,
        void (*r)(const Block &, GeLibrary *, GeLibrary *), void (*u)());
};
/// In the order of the file.
struct Blocks {
  Block *first = nullptr;
  Block **last = &first;
};
GE_LIBRARY_HIDDEN inline Blocks &blocks() {
  static Blocks all; // initialised before any constructor runs
  return all;
}
inline Block::Block(GeLibraryKind k, const char *n, const char *f, uint32_t l,
                    void (*r)(const Block &, GeLibrary *, GeLibrary *), void (*u)())
    : kind(k), ns(n), file(f), line(l), run(r), user(u) {
  *blocks().last = this;
  blocks().last = &next;
}

/// Runs the blocks of the library, DEF before FRAGMENT before IMPL, each in a child of `parent`.
GE_LIBRARY_HIDDEN inline GeStatus replay(const GeApi *given, GeLibrary *parent) noexcept {
  if (!given)
    return GE_ERROR_TYPE;
  auto refuse = [&](GeStatus status, const std::string &text) {
    given->geErrorSet(status, str(text)); // at its place in every ABI
    return status;
  };
  try {
    if (given->abiVersion != GE_C_ABI_VERSION)
      return refuse(GE_ERROR_VALUE, "it was built for C ABI " + std::to_string(GE_C_ABI_VERSION) +
                                        " and this GE has C ABI " +
                                        std::to_string(given->abiVersion) + "; rebuild it");
    if (!GE_API_HAS(given, geLibraryAddRemark))
      return refuse(GE_ERROR_NOT_IMPLEMENTED, "it needs a newer GE than this one");
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
        block->run(*block, child, parent);
      }
    return GE_OK;
  } catch (const Error &error) {
    return refuse(GE_ERROR_OP_SCHEMA, error.what());
  } catch (const std::exception &error) {
    return refuse(GE_ERROR_GENERAL, error.what());
  } catch (...) {
    return refuse(GE_ERROR_GENERAL, "a registration block threw no std::exception");
  }
}

} // namespace detail
} // namespace ge

/// What the loader calls. One definition for all files of a library.
extern "C" __attribute__((weak, visibility("default"))) GeStatus
ge_library_init(const GeApi *api, GeLibrary *library) {
  return ge::detail::replay(api, library);
}

#endif // GE_LIBRARY_REGISTRATION_H
