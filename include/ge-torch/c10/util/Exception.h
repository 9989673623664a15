//===- c10/util/Exception.h - TORCH_CHECK and what it throws -----------------------------------===//
//
// What a kernel throws is the text of a KernelError: that of an Error as it is, that of the others
// after the name of Python's exception.
//
#ifndef GE_TORCH_C10_UTIL_EXCEPTION_H
#define GE_TORCH_C10_UTIL_EXCEPTION_H

// TORCH_CHECK(x) leaves the rest of a variadic macro out.
#pragma GCC system_header

#include <c10/macros/Macros.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

GE_TORCH_OPEN(c10)

class Error : public std::exception {
public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char *what() const noexcept override { return message_.c_str(); }
  const char *what_without_backtrace() const noexcept { return what(); }
  const std::string &msg() const noexcept { return message_; }
  /// The word of Python's exception; empty for RuntimeError.
  virtual const char *kind() const noexcept { return ""; }

private:
  std::string message_;
};
#define GE_TORCH_ERROR(Name, word)                                                                 \
  class Name : public Error {                                                                      \
  public:                                                                                          \
    using Error::Error;                                                                            \
    const char *kind() const noexcept override { return word; }                                    \
  };
GE_TORCH_ERROR(IndexError, "IndexError")
GE_TORCH_ERROR(ValueError, "ValueError")
GE_TORCH_ERROR(TypeError, "TypeError")
GE_TORCH_ERROR(NotImplementedError, "NotImplementedError")
GE_TORCH_ERROR(LinAlgError, "LinAlgError")
#undef GE_TORCH_ERROR

namespace detail {

inline void write(std::ostream &) {}
template <typename T, typename... Rest>
void write(std::ostream &out, const T &first, const Rest &...rest) {
  out << first;
  write(out, rest...);
}
template <typename E, typename... Parts>
[[noreturn]] C10_NOINLINE void raise(const char *otherwise, const Parts &...parts) {
  std::ostringstream out;
  if constexpr (sizeof...(Parts) == 0)
    out << otherwise;
  else
    write(out, parts...);
  throw E(out.str());
}

/// The text of a comparison that does not hold; null: it holds.
template <typename Holds, typename A, typename B>
std::unique_ptr<std::string> compared(const Holds &holds, const A &a, const B &b,
                                      const char *what) {
  if (holds(a, b))
    return nullptr;
  std::ostringstream out;
  write(out, "Check failed: ", what, " (", a, " vs. ", b, "). ");
  return std::make_unique<std::string>(out.str());
}
class Message {
public:
  explicit Message(const std::string &text) { out_ << text; }
  template <typename T> Message &operator<<(const T &part) {
    out_ << part;
    return *this;
  }
  std::string text() const { return out_.str(); }

private:
  std::ostringstream out_;
};
/// `&` binds weaker than `<<`.
struct Raise {
  [[noreturn]] C10_NOINLINE void operator&(const Message &message) const {
    throw Error(message.text());
  }
};

} // namespace detail

template <typename... Parts> std::string str(const Parts &...parts) {
  std::ostringstream out;
  detail::write(out, parts...);
  return out.str();
}

GE_TORCH_CLOSE

// Statements that need no semicolon, as PyTorch's are.
#define GE_TORCH_CHECK(E, what, condition, ...)                                                    \
  if (C10_UNLIKELY(!(condition))) {                                                                \
    ::c10::detail::raise<E>(what, ##__VA_ARGS__);                                                  \
  }
#define GE_TORCH_EXPECTED(condition) "Expected " #condition " to be true, but got false."

#define TORCH_CHECK_WITH(E, condition, ...)                                                        \
  GE_TORCH_CHECK(::c10::E, GE_TORCH_EXPECTED(condition), condition, ##__VA_ARGS__)
#define TORCH_CHECK(condition, ...) TORCH_CHECK_WITH(Error, condition, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK_WITH(IndexError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK_WITH(ValueError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK_WITH(TypeError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_LINALG(condition, ...) TORCH_CHECK_WITH(LinAlgError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...)                                                \
  TORCH_CHECK_WITH(NotImplementedError, condition, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...)                                                      \
  GE_TORCH_CHECK(::c10::Error,                                                                     \
                 #condition " INTERNAL ASSERT FAILED at " __FILE__ ":" C10_STRINGIZE(__LINE__),    \
                 condition, #condition " INTERNAL ASSERT FAILED at ", __FILE__, ":", __LINE__,     \
                 ". ", ##__VA_ARGS__)
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...)                                                      \
  while (false)                                                                                    \
  TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif
/// Operands are evaluated once; what is written into the check with `<<` follows its text.
#define GE_TORCH_COMPARE(a, op, b)                                                                 \
  while (auto geTorchFailure = ::c10::detail::compared(                                            \
             [](const auto &x, const auto &y) { return x op y; }, (a), (b), #a " " #op " " #b))    \
  ::c10::detail::Raise() & ::c10::detail::Message(*geTorchFailure)
#define TORCH_CHECK_EQ(a, b) GE_TORCH_COMPARE(a, ==, b)
#define TORCH_CHECK_NE(a, b) GE_TORCH_COMPARE(a, !=, b)
#define TORCH_CHECK_LE(a, b) GE_TORCH_COMPARE(a, <=, b)
#define TORCH_CHECK_LT(a, b) GE_TORCH_COMPARE(a, <, b)
#define TORCH_CHECK_GE(a, b) GE_TORCH_COMPARE(a, >=, b)
#define TORCH_CHECK_GT(a, b) GE_TORCH_COMPARE(a, >, b)
#define C10_THROW_ERROR(E, message) ::c10::detail::raise<::c10::E>("", message)
#define AT_ERROR(...) ::c10::detail::raise<::c10::Error>("", ##__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
/// To the standard error, as without an interpreter.
#define TORCH_WARN(...)                                                                            \
  static_cast<void>(std::fprintf(stderr, "[W %s:%d] Warning: %s\n", __FILE__, __LINE__,            \
                                 ::c10::str(__VA_ARGS__).c_str()))
#define TORCH_WARN_ONCE(...)                                                                       \
  do {                                                                                             \
    [[maybe_unused]] static const bool geTorchWarned = [&] {                                       \
      TORCH_WARN(__VA_ARGS__);                                                                     \
      return true;                                                                                 \
    }();                                                                                           \
  } while (false)

#endif // GE_TORCH_C10_UTIL_EXCEPTION_H
