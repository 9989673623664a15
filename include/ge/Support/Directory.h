//===- Directory.h - directories that names are looked up in -----------------------------------===//
#ifndef GE_SUPPORT_DIRECTORY_H
#define GE_SUPPORT_DIRECTORY_H

#include <string>
#include <string_view>

namespace ge {

class FileDescriptor;

/// An open directory; names are looked up in it whatever happens to its path. Throws SystemError.
class Directory {
public:
  explicit Directory(const std::string &path, std::string_view what = "the directory");
  /// One that is open; `path` is for messages.
  Directory(FileDescriptor open, std::string path);
  ~Directory();
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;

  int fd() const { return fd_; }
  const std::string &path() const { return path_; }
  /// Writes the directory's entries to the disk. File systems that cannot do that are ignored.
  void sync() const;

private:
  std::string path_;
  int fd_;
};

/// A path as directory ("." when it has none) and last part.
struct SplitPath {
  std::string directory, name;
  explicit SplitPath(const std::string &path);
};

} // namespace ge

#endif // GE_SUPPORT_DIRECTORY_H
