//===- ExternalData.cpp - the files beside a model --------------------------------------------===//
#include "ExternalData.h"

#include "ge/Support/AtomicFile.h"
#include "ge/Support/InputFile.h"
#include "ge/Support/SystemError.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

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

/// A save of `base` would treat such a file as left by a killed save, and remove it.
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

/// The path with links resolved and a trailing '/'.
static std::string resolveDirectory(const std::string &path, std::string_view what) {
  std::string result = resolve(path, what);
  if (result.back() != '/')
    result += '/';
  return result;
}

/// Null when a part of `name` is a link, or a file where a directory should be.
static std::shared_ptr<const MappedFile> openBelow(const Directory &directory,
                                                   std::string_view name, std::string path) {
  try {
    return MappedFile::of(InputFile(directory, name, std::move(path)));
  } catch (const SystemError &error) {
    int code = error.code();
    if (code == ELOOP || code == EMLINK || code == ENOTDIR) // errors for a link, by system
      return nullptr;
    if (code == EISDIR || code == EINVAL)
      throwError(ErrorKind::Model, "the external data '", error.path(), "' is not a regular file");
    throw SystemError("cannot open external data", error.path(), code, error.reason());
  }
}

void ExternalFiles::openDirectory() {
  constexpr std::string_view kWhat = "the directory of external data";
  if (own_.directory)
    return;
  own_.path = resolveDirectory(path_, kWhat);
  own_.directory = opened_ ? opened_ : std::make_shared<const Directory>(path_, kWhat);
}

/// The target of an allowed link is resolved to a path, and opened without following further links.
std::shared_ptr<const MappedFile> ExternalFiles::openLink(const std::string &location) {
  constexpr std::string_view kWhat = "the directory of data_roots";
  std::string path = resolve(cat(own_.path, location), "external data");
  if (allowed_.size() != roots_.size())
    for (const std::string &root : roots_)
      allowed_.push_back(
          {std::make_shared<const Directory>(root, kWhat), resolveDirectory(root, kWhat)});
  const Place *place = path.starts_with(own_.path) ? &own_ : nullptr;
  for (const Place &allowed : allowed_)
    if (!place && path.starts_with(allowed.path))
      place = &allowed;
  if (!place) {
    std::string directory = path.substr(0, path.rfind('/') + 1);
    throwError(ErrorKind::Model, "the external data's location '", location, "' is a link to '",
               path, "', outside of the model's directory; data_roots=['", directory,
               "'] (--data-root ", directory, ") allows it");
  }
  auto file = openBelow(*place->directory, path.substr(place->path.size()), path);
  if (!file)
    throwError(ErrorKind::Model, "the external data '", path,
               "' was replaced by a link while it was opened; load the model again");
  return file;
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
  if (path_.empty())
    throwError(ErrorKind::Model, "the model has external data in '", location,
               "', and a model in memory has no directory; pass the directory of the data");
  openDirectory();
  std::string path = cat(own_.path, location);
  std::shared_ptr<const MappedFile> file = openBelow(*own_.directory, location, path);
  if (!file)
    file = openLink(location);
  return files_[location] = file;
}

} // namespace ge::onnx
