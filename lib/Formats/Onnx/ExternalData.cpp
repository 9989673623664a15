//===- ExternalData.cpp - the files beside a model --------------------------------------------===//
#include "ExternalData.h"

#include "ge/Support/AtomicFile.h"
#include "ge/Support/SystemError.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>

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

/// A save of `base` would take such a file for what a killed one left, and remove it.
static bool hasTemporaryName(std::string_view location) {
  std::string_view name = location.substr(location.rfind('/') + 1);
  size_t base = name.rfind(".ge-");
  return base != std::string_view::npos && isTemporaryName(name, name.substr(0, base));
}

/// Without links; Error(OS) when there is no such file.
static std::string resolve(const std::string &path, std::string_view what) {
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    throw SystemError(cat("cannot open ", what), path, errno);
  std::string result = resolved;
  std::free(resolved);
  return result;
}

/// Without links, and with a '/' behind.
static std::string resolveDirectory(const std::string &path, std::string_view what) {
  std::string result = resolve(path, what);
  if (result.back() != '/')
    result += '/';
  return result;
}

bool ExternalFiles::isInside(const std::string &path) {
  if (directories_.empty()) {
    for (const std::string &root : roots_)
      directories_.push_back(resolveDirectory(root, "the directory of data_roots"));
    directories_.push_back(resolved_);
  }
  return std::ranges::any_of(directories_, [&](const auto &d) { return path.starts_with(d); });
}

std::shared_ptr<const MappedFile> ExternalFiles::open(const std::string &location) {
  if (auto it = files_.find(location); it != files_.end())
    return it->second;
  if (std::string_view reason = refusedLocation(location); !reason.empty())
    throwError(ErrorKind::Model, "the external data's location '", location, "' ", reason,
               ": it must be inside the model's directory");
  if (hasTemporaryName(location))
    throwError(ErrorKind::Model, "the external data's location '", location,
               "' is the name of a temporary file of GE, which the next save removes; rename it");
  if (directory_.empty())
    throwError(ErrorKind::Model, "the model has external data in '", location,
               "', and bytes have no directory: say where it is");
  if (resolved_.empty())
    resolved_ = resolveDirectory(directory_, "the directory of external data");
  std::string path = resolve(cat(resolved_, location), "external data");
  if (!isInside(path)) {
    std::string directory = path.substr(0, path.rfind('/') + 1);
    throwError(ErrorKind::Model, "the external data's location '", location, "' is a link to '",
               path, "', outside of the model's directory; data_roots=['", directory,
               "'] (--data-root ", directory, ") allows it");
  }
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throwError(ErrorKind::Model, "the external data '", path, "' is not a regular file");
  return files_[location] = MappedFile::open(path, SpecialFiles::Refuse);
}

} // namespace ge::onnx
