//===- InputFile.h - files opened for reading -------------------------------------------------===//
#ifndef GE_SUPPORT_INPUTFILE_H
#define GE_SUPPORT_INPUTFILE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace ge {

class Directory;

/// Which files that are not regular may be read: pipes, devices, sockets, files of /proc. They can
/// block, have no end, or have effects when they are read.
enum class SpecialFiles : uint8_t {
  Refuse,
  Named, ///< /dev/stdin and /dev/null only, under these names
  Allow,
};

/// An open descriptor, closed at the end.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

private:
  int fd_ = -1;
};

/// A file that is open for reading. Opening never blocks; a special file is refused before it is
/// opened, and what was opened is looked at again: another process may replace a file in between.
/// All members throw SystemError.
class InputFile {
public:
  /// `directory`: the one of `path`, which is then looked for in it by its last part.
  InputFile(const std::string &path, SpecialFiles special, const Directory *directory = nullptr);
  /// A regular file below `directory`, each part of whose relative path `name` is looked for in the
  /// directory that was opened before. No part may be a link: ELOOP, or ENOTDIR; nor `..`: EINVAL.
  /// `path`: what errors call it.
  InputFile(const Directory &directory, std::string_view name, std::string path);

  bool isRegular() const { return isRegular_; }
  const std::string &path() const { return path_; }
  const struct stat &status() const { return status_; }
  int descriptor() const { return file_.get(); }
  FileDescriptor takeDescriptor() { return std::move(file_); }
  /// All bytes from the current position on. A special file is read until its end, and at most
  /// 2 GiB: EFBIG.
  std::string readAll() const;

private:
  void open(int directory, const std::string &name, SpecialFiles special, bool followLinks);

  std::string path_;
  FileDescriptor file_;
  struct stat status_ = {};
  bool isRegular_ = false;
};

/// The bytes of a file, which is not mapped: what happens to it later does not matter.
std::string readFile(const std::string &path, SpecialFiles special = SpecialFiles::Named);

} // namespace ge

#endif // GE_SUPPORT_INPUTFILE_H
