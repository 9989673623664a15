//===- Failures.h - errors between C++ and the C API ------------------------------------------===//
//
// This room includes only the C API: it throws a Failure where the core throws an Error, and the
// guard turns it into the thread's last error.
//
#ifndef GE_LIB_HOST_FAILURES_H
#define GE_LIB_HOST_FAILURES_H

#include "ge-c/Support.h"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace ge::host {

inline GeStringRef stringRef(std::string_view text) { return {text.data(), text.size()}; }
/// A GeTextCallback: appends to the std::string `to`.
inline void append(GeStringRef piece, void *to) {
  static_cast<std::string *>(to)->append(piece.data, piece.length);
}
inline std::string_view view(GeStringRef text) {
  return text.data ? std::string_view(text.data, text.length) : std::string_view();
}

struct Failure {
  GeStatus status;
  std::string text;
};

/// Throws the thread's last error when `status` is one.
inline void check(GeStatus status) {
  if (status != GE_OK)
    throw Failure{status, std::string(view(geErrorMessage()))};
}

/// For calls that a caller may have made wrong.
template <typename T> void need(const T *argument, const char *name) {
  if (!argument)
    throw Failure{GE_ERROR_TYPE, std::string(name) + " is NULL"};
}

inline GeStatus report(GeStatus status, std::string_view text) noexcept {
  geErrorSet(status, stringRef(text));
  return status;
}

/// Runs `body`, of this room or foreign; nothing that it throws gets out.
template <typename F> GeStatus guarded(const F &body) noexcept {
  try {
    body();
    return GE_OK;
  } catch (const Failure &failure) {
    return report(failure.status, failure.text);
  } catch (const std::bad_alloc &) {
    return report(GE_ERROR_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return report(GE_ERROR_GENERAL, error.what());
  } catch (...) {
    return report(GE_ERROR_GENERAL, "threw an exception that is not a std::exception");
  }
}

} // namespace ge::host

#endif // GE_LIB_HOST_FAILURES_H
