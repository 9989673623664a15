//===- Error.h - the one family of errors and their diagnostics -------------------------------===//
//
// Inside the core an error is a C++ exception of type ge::Error. lib/CAPI turns it into a status
// and a thread-local record; nothing else catches it except to add context.
//
#ifndef GE_SUPPORT_ERROR_H
#define GE_SUPPORT_ERROR_H

#include "ge/Support/StringUtil.h"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge {

/// Same values and order as GeStatus in ge-c/Support.h.
enum class ErrorKind : uint8_t {
  None = 0,
  General,        ///< GEError
  Parse,          ///< ParseError
  Verify,         ///< VerifyError
  Stale,          ///< StaleHandleError
  Busy,           ///< GraphBusyError
  Pass,           ///< PassError
  OpSchema,       ///< OpSchemaError
  Model,          ///< ModelError
  Type,           ///< TypeError: an argument of the wrong kind
  Value,          ///< ValueError: the right kind, an impossible value
  Index,          ///< IndexError
  Key,            ///< KeyError
  Overflow,       ///< OverflowError
  Memory,         ///< MemoryError
  NotImplemented, ///< NotImplementedError
  OS,             ///< OSError
  Internal,       ///< a broken invariant of ours
};

enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// One message with its place. `line` and `column` count from 1; 0 means unknown.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string message;
  std::string sourceLine; ///< the text of that line, empty when there is none
  int64_t offset = -1;    ///< of the byte in a binary file; -1 when there is none
  std::string field;      ///< path of the field there
  std::vector<Diagnostic> notes;

  /// `file:line:col: error: message`, the line, a caret, then the notes.
  std::string render() const;
};

class Error : public std::exception {
public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  /// The message is the rendering of the first 20 of `diagnostics`, and says how many more follow.
  Error(ErrorKind kind, std::vector<Diagnostic> diagnostics);

  ErrorKind kind() const { return kind_; }
  const std::string &message() const { return message_; }
  const std::vector<Diagnostic> &diagnostics() const { return diagnostics_; }
  const char *what() const noexcept override { return message_.c_str(); }

private:
  ErrorKind kind_;
  std::string message_;
  std::vector<Diagnostic> diagnostics_;
};

/// throwError(ErrorKind::Value, "shape has ", rank, " dimensions, at most 256 are allowed").
template <typename... Parts> [[noreturn]] void throwError(ErrorKind kind, const Parts &...parts) {
  throw Error(kind, cat(parts...));
}

} // namespace ge

#endif // GE_SUPPORT_ERROR_H
