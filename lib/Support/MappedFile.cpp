//===- MappedFile.cpp -------------------------------------------------------------------------===//
#include "ge/Support/MappedFile.h"

#include "ge/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ge {

[[noreturn]] static void throwErrno(std::string_view what, const std::string &path, int code) {
  throwError(ErrorKind::OS, what, " '", path, "': ", std::generic_category().message(code));
}

namespace {
class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  int get() const { return fd_; }

private:
  int fd_;
};
} // namespace

/// A file that is written in place keeps its number, so its time counts, too.
static FileIdentity identityOf(const struct stat &status) {
#ifdef __APPLE__
  const struct timespec &changed = status.st_mtimespec;
#else
  const struct timespec &changed = status.st_mtim;
#endif
  return {uint64_t(status.st_dev), uint64_t(status.st_ino), uint64_t(status.st_size),
          int64_t(changed.tv_sec), int64_t(changed.tv_nsec)};
}

/// Of what has no size, a pipe or a device, no more than the largest message: /dev/zero has no end.
static std::string readAll(int fd, const std::string &path) {
  constexpr size_t kMost = size_t(1) << 31;
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      throwErrno("cannot read", path, errno);
    if (n == 0)
      return bytes;
    if (bytes.size() + size_t(n) > kMost)
      throwErrno("cannot read", path, EFBIG);
    bytes.append(buffer, size_t(n));
  }
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
  if (path.find('\0') != std::string::npos)
    throwErrno("cannot open", path.substr(0, path.find('\0')), EINVAL);
  int fd;
  do
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  FileDescriptor file(fd);
  if (fd < 0)
    throwErrno("cannot open", path, errno);
  struct stat status;
  if (::fstat(fd, &status) != 0)
    throwErrno("cannot open", path, errno);
  if (S_ISDIR(status.st_mode))
    throwErrno("cannot open", path, EISDIR);

  std::shared_ptr<MappedFile> result(new MappedFile());
  result->path_ = path;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    size_t size = size_t(status.st_size);
    void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      throwErrno("cannot map", path, errno);
    result->data_ = static_cast<const char *>(data);
    result->size_ = size;
    result->mapped_ = true;
    result->identity_ = identityOf(status);
    return result;
  }
  std::string bytes = readAll(fd, path);
  char *data = new char[bytes.size() + 1];
  std::memcpy(data, bytes.data(), bytes.size());
  data[bytes.size()] = 0;
  result->data_ = data;
  result->size_ = bytes.size();
  return result;
}

MappedFile::~MappedFile() {
  if (mapped_)
    ::munmap(const_cast<char *>(data_), size_);
  else
    delete[] data_;
}

int MappedFile::reopen() const {
  if (!mapped_)
    return -1;
  int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd >= 0 && ::fstat(fd, &status) == 0 && identityOf(status) == identity_)
    return fd;
  if (fd >= 0)
    ::close(fd);
  return -1;
}

bool MappedFile::isAt(const std::string &path) const {
  struct stat status;
  return mapped_ && ::stat(path.c_str(), &status) == 0 && identityOf(status) == identity_;
}

} // namespace ge
