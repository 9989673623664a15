//===- SystemError.cpp ------------------------------------------------------------------------===//
#include "ge/Support/SystemError.h"

#include <system_error>

namespace ge {

static std::string reasonOf(int code, std::string reason) {
  return reason.empty() ? std::generic_category().message(code) : std::move(reason);
}

SystemError::SystemError(std::string_view what, std::string_view path, int code, std::string reason)
    : SystemError(what, code, std::string(path.substr(0, path.find('\0'))),
                  reasonOf(code, std::move(reason))) {}

SystemError::SystemError(std::string_view what, int code, std::string path, std::string reason)
    : Error(ErrorKind::OS, cat(what, " '", path, "': ", reason)), code_(code),
      path_(std::move(path)), reason_(std::move(reason)) {}

} // namespace ge
