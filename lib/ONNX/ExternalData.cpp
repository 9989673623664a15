//===- ExternalData.cpp - the files beside a model --------------------------------------------===//
#include "ExternalData.h"

#include "ge/Support/Error.h"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>

namespace ge::onnx {

std::string_view refusedLocation(std::string_view location) {
  if (location.empty())
    return "is empty";
  if (location.find('\0') != std::string_view::npos)
    return "has a NUL";
  if (location.front() == '/')
    return "is absolute";
  for (size_t start = 0; start <= location.size();) {
    size_t stop = std::min(location.find('/', start), location.size());
    if (location.substr(start, stop - start) == "..")
      return "leads out by '..'";
    start = stop + 1;
  }
  return {};
}

/// Without links; Error(OS) when there is no such file.
static std::string resolve(const std::string &path) {
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    throwError(ErrorKind::OS, "cannot open external data '", path,
               "': ", std::generic_category().message(errno));
  std::string result = resolved;
  std::free(resolved);
  return result;
}

std::shared_ptr<const MappedFile> ExternalFiles::open(const std::string &location) {
  if (auto it = files_.find(location); it != files_.end())
    return it->second;
  if (std::string_view reason = refusedLocation(location); !reason.empty())
    throwError(ErrorKind::Model, "the external data's location '", location, "' ", reason,
               ": it must be inside the model's directory");
  if (directory_.empty())
    throwError(ErrorKind::Model, "the model has external data in '", location,
               "', and bytes have no directory: say where it is");
  if (resolved_.empty()) {
    resolved_ = resolve(directory_);
    if (resolved_.back() != '/')
      resolved_ += '/';
  }
  std::string path = resolve(cat(resolved_, location));
  if (!path.starts_with(resolved_))
    throwError(ErrorKind::Model, "the external data's location '", location, "' is a link to '",
               path, "', outside of the model's directory");
  // A pipe would wait for its writer.
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throwError(ErrorKind::Model, "the external data '", path, "' is not a regular file");
  return files_[location] = MappedFile::open(path);
}

} // namespace ge::onnx
