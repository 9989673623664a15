//===- SystemError.h - errors of the operating system, with number and path -------------------===//
#ifndef GE_SUPPORT_SYSTEMERROR_H
#define GE_SUPPORT_SYSTEMERROR_H

#include "ge/Support/Error.h"

#include <string>
#include <string_view>

namespace ge {

/// Error(OS) that keeps errno and path apart from the message, so that a binding can raise its
/// own class for the number. The message is `<what> '<path>': <reason>`.
class SystemError : public Error {
public:
  /// An empty `reason` is the system's text for `code`.
  SystemError(std::string_view what, std::string_view path, int code, std::string reason = {});

  int code() const { return code_; }
  const std::string &path() const { return path_; }
  const std::string &reason() const { return reason_; }

private:
  SystemError(std::string_view what, int code, std::string path, std::string reason);
  int code_;
  std::string path_;
  std::string reason_;
};

} // namespace ge

#endif // GE_SUPPORT_SYSTEMERROR_H
