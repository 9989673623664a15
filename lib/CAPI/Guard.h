//===- Guard.h - what every function of the C API is made of ----------------------------------===//
//
// The guard turns exceptions into a status and the thread's error record. The functions of this
// file convert arguments of the C API to objects of the core and reject invalid ones. References to
// graphs, nodes and values are in Live.h.
//

#ifndef GE_LIB_CAPI_GUARD_H
#define GE_LIB_CAPI_GUARD_H

#include "ge-c/IR.h"

#include "ge/IR/Context.h"
#include "ge/IR/Mutation.h"
#include "ge/Support/Error.h"
#include "ge/Support/Interrupt.h"
#include "ge/Support/InterruptPause.h"
#include "ge/Support/ReleaseDelay.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace ge::capi {

/// Inside a catch block: makes the exception the thread's last error. Its diagnostics go to the
/// handlers of `context`, if there is one.
GeStatus recordException(Context *context) noexcept;

/// Runs `body` and catches every exception. Costs nothing if none is thrown.
template <typename F> GeStatus guarded(const F &body) noexcept {
  try {
    body();
    return GE_OK;
  } catch (...) {
    return recordException(nullptr);
  }
}
template <typename F> GeStatus guarded(GeContext *context, const F &body) noexcept {
  try {
    body();
    return GE_OK;
  } catch (...) {
    return recordException(reinterpret_cast<Context *>(context));
  }
}
/// For work that grows with a graph, text or file, and that leaves no trace if it is interrupted.
template <typename F> GeStatus interruptible(const F &body) noexcept {
  return guarded([&] {
    Interrupt::Scope scope;
    body();
  });
}
template <typename F> GeStatus interruptible(GeContext *context, const F &body) noexcept {
  return guarded(context, [&] {
    Interrupt::Scope scope;
    body();
  });
}
/// For functions without a status: returns `otherwise` on an exception.
template <typename T, typename F> T guardedOr(T otherwise, const F &body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

[[noreturn]] void throwNull(const char *what);
[[noreturn]] void throwForeign(const char *what);
[[noreturn]] void throwSize(const char *type);

// --- Strings

inline GeStringRef stringRef(std::string_view text) { return {text.data(), text.size()}; }
/// Returns a NUL-terminated copy in a buffer of the thread, which later calls reuse.
GeStringRef keptString(std::string &&text);
GeStringRef keptString(std::string_view text);

inline std::string_view text(GeStringRef s, const char *what) {
  if (!s.data && s.length) [[unlikely]]
    throwNull(what);
  return s.length ? std::string_view(s.data, s.length) : std::string_view("");
}

/// Gives a text to a callback, in one piece.
void give(std::string_view text, GeStringCallback callback, void *userData) noexcept;

GeDiagnostic view(const Diagnostic &diagnostic);
/// The diagnostic of a C caller, at the first file of `where` (may be null).
Diagnostic needDiagnostic(const GeSeverity &severity, const Location *where, GeStringRef message);

// --- Arguments

/// Where a result is stored; checked before the call does anything.
template <typename T> T &result(T *out, const char *what = "out") {
  if (!out) [[unlikely]]
    throwNull(what);
  return *out;
}

template <typename T> void needArray(const T *values, size_t count, const char *what) {
  if (!values && count) [[unlikely]]
    throwNull(what);
}

// Structs that begin with their size; `type` is the name of the struct.

/// Whether it can be the size of a struct: a larger one is uninitialised memory.
inline bool isSize(size_t size) { return size >= sizeof(size_t) && size <= size_t(1) << 16; }
/// Called before anything is done.
template <typename T> void needSized(const T *given, const char *type) {
  if (!given) [[unlikely]]
    throwNull(type);
  if (!isSize(given->size)) [[unlikely]]
    throwSize(type);
}
/// Copies the fields that the caller was compiled with; the others come from `own`, the defaults.
template <typename T> T sized(const T *given, const char *type, T own = {}) {
  needSized(given, type);
  if (given->size >= sizeof own) [[likely]]
    own = *given;
  else
    std::memcpy(static_cast<void *>(&own), given, given->size);
  own.size = sizeof own;
  return own;
}
/// As `sized`; the defaults for NULL.
template <typename T> T sizedOr(const T *given, const char *type, T own = {}) {
  return given ? sized(given, type, own) : own;
}
/// Writes the fields of `value` that the caller was compiled with; `out->size` is unchanged.
template <typename T> void writeSized(const T &value, T *out) {
  size_t size = std::min(out->size, sizeof value) - sizeof size;
  std::memcpy(&out->size + 1, &value.size + 1, size);
}
/// Both steps, for functions that do nothing in between.
template <typename T> void giveSized(const T &value, T *out, const char *type) {
  needSized(out, type);
  writeSized(value, out);
}
/// As `sized`, of an element of an array, whose elements have one size.
template <typename T> T sizedAt(const T *array, size_t index, const char *type) {
  if (index && array && array->size < sizeof(size_t))
    throwSize(type);
  auto *bytes = reinterpret_cast<const char *>(array) + (index ? index * array->size : 0);
  T own = sized(reinterpret_cast<const T *>(bytes), type);
  if (reinterpret_cast<const T *>(bytes)->size != array->size)
    throwSize(type);
  return own;
}

inline Context &need(GeContext *context, const char *what = "context") {
  if (!context) [[unlikely]]
    throwNull(what);
  return *reinterpret_cast<Context *>(context);
}
inline Context *unwrap(GeContext *context) { return reinterpret_cast<Context *>(context); }
inline GeContext *wrap(Context *context) { return reinterpret_cast<GeContext *>(context); }

// Interned objects are the core's own: the C types are names for their pointers.
inline const Identifier *unwrap(GeIdentifier i) { return reinterpret_cast<const Identifier *>(i); }
inline const OperatorName *unwrap(GeOperatorName o) {
  return reinterpret_cast<const OperatorName *>(o);
}
inline const Type *unwrap(GeType t) { return reinterpret_cast<const Type *>(t); }
inline const Location *unwrap(GeLocation l) { return reinterpret_cast<const Location *>(l); }
inline const Tensor *unwrap(GeTensor *t) { return reinterpret_cast<const Tensor *>(t); }
inline Attribute unwrap(GeAttribute a) { return Attribute::fromBits(a.bits); }

// Objects returned to C live as long as their context.
template <typename T> const T *permanent(const T *object) {
  if (object)
    object->context().makePermanent(object);
  return object;
}
inline Attribute permanent(Attribute a) {
  if (a.isInline()) {
    if (a.kind() == AttrKind::Type)
      permanent(a.typeValue());
  } else if (const AttrStorage *storage = a.interned()) {
    storage->context->makePermanent(storage);
  }
  return a;
}
inline GeIdentifier wrap(const Identifier *i) {
  return reinterpret_cast<GeIdentifier>(permanent(i));
}
inline GeOperatorName wrap(const OperatorName *o) { return reinterpret_cast<GeOperatorName>(o); }
inline GeType wrap(const Type *t) { return reinterpret_cast<GeType>(permanent(t)); }
inline GeLocation wrap(const Location *l) { return reinterpret_cast<GeLocation>(permanent(l)); }
inline GeTensor *wrap(const Tensor *t) {
  return reinterpret_cast<GeTensor *>(const_cast<Tensor *>(t));
}
inline GeAttribute wrap(Attribute a) { return {permanent(a).bits()}; }

/// The core's object of an argument that must not be NULL.
template <typename C> auto need(C argument, const char *what) {
  auto object = unwrap(argument);
  if (!object) [[unlikely]]
    throwNull(what);
  return object;
}
/// The same, of this context.
template <typename C> auto needIn(const Context &context, C argument, const char *what) {
  auto object = need(argument, what);
  if (&object->context() != &context) [[unlikely]]
    throwForeign(what);
  return object;
}
template <typename C> auto nullOrIn(const Context &context, C argument, const char *what) {
  auto object = unwrap(argument);
  if (object && &object->context() != &context) [[unlikely]]
    throwForeign(what);
  return object;
}
/// Exactly one attribute; it must belong to this context or to none.
inline Attribute needIn(const Context &context, GeAttribute argument, const char *what) {
  Attribute attribute = unwrap(argument);
  if (!attribute) [[unlikely]]
    throwNull(what);
  const Context *owner = attribute.context();
  if (owner && owner != &context) [[unlikely]]
    throwForeign(what);
  return attribute;
}
inline Attribute nullOrIn(const Context &context, GeAttribute argument, const char *what) {
  return argument.bits ? needIn(context, argument, what) : Attribute();
}

DType needDType(GeDType dtype);

/// Converts the number that a C caller passed for an enumeration, which may be none of its values.
template <typename E> int numberOf(const E &value) {
  static_assert(sizeof(E) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

[[noreturn]] void throwIndex(std::string_view what, size_t index, size_t count);
/// `index` when it is one of `count`; what the core counts fits 32 bits.
inline uint32_t needIndex(std::string_view what, size_t index, size_t count) {
  if (index >= count) [[unlikely]]
    throwIndex(what, index, count);
  return uint32_t(index);
}

// --- Foreign code

/// The error of a callback: it ends the surrounding work, which must not treat it as an ordinary
/// failure.
inline void throwIfInterrupted(GeStatus status) {
  if (status == GE_ERROR_INTERRUPTED)
    throw Interrupted();
}

} // namespace ge::capi

#endif // GE_LIB_CAPI_GUARD_H
