//===- InputFile.h - files opened for reading -------------------------------------------------===//
#ifndef GE_SUPPORT_INPUTFILE_H
#define GE_SUPPORT_INPUTFILE_H

#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace ge {

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
/// opened. All members throw SystemError.
class InputFile {
public:
  InputFile(const std::string &path, SpecialFiles special);

  bool isRegular() const { return isRegular_; }
  const struct stat &status() const { return status_; }
  int descriptor() const { return file_.get(); }
  FileDescriptor takeDescriptor() { return std::move(file_); }
  /// All bytes from the current position on. A special file is read until its end, and at most
  /// 2 GiB: EFBIG.
  std::string readAll() const;

private:
  std::string path_;
  FileDescriptor file_;
  struct stat status_ = {};
  bool isRegular_ = false;
};

/// The bytes of a file, which is not mapped: what happens to it later does not matter.
std::string readFile(const std::string &path, SpecialFiles special = SpecialFiles::Named);

} // namespace ge

#endif // GE_SUPPORT_INPUTFILE_H
