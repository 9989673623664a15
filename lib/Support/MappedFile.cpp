//===- MappedFile.cpp -------------------------------------------------------------------------===//
#include "ge/Support/MappedFile.h"

#include "ge/Support/Error.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ge {

[[noreturn]] static void throwErrno(std::string_view what, const std::string &path, int code) {
  throwError(ErrorKind::OS, what, " '", path, "': ", std::generic_category().message(code));
}

namespace {
class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  int get() const { return fd_; }
  /// The error of close(), which is where some file systems report a failed write; 0 when none.
  int reset() {
    int fd = std::exchange(fd_, -1);
    return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
  }

private:
  int fd_;
};
} // namespace

static std::string readAll(int fd, const std::string &path) {
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

static void writeAll(int fd, std::string_view bytes, const std::string &path) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      throwErrno("cannot write", path, errno);
    bytes.remove_prefix(size_t(n));
  }
}

/// A new file in the directory of `target`, with the mode that the umask gives (mkstemp's would be
/// 0600). -1 and errno on failure.
static int createBeside(const std::string &target, std::string &name) {
  static std::atomic<uint32_t> counter{0};
  for (;;) {
    name = cat(target, ".", ::getpid(), "-", counter.fetch_add(1), ".tmp");
    int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || (errno != EEXIST && errno != EINTR))
      return fd;
  }
}

void writeFileAtomically(const std::string &path, std::string_view bytes) {
  if (path.empty() || path.find('\0') != std::string::npos)
    throwErrno("cannot write", path.substr(0, path.find('\0')), path.empty() ? ENOENT : EINVAL);
  // A link keeps pointing where it points: what it names is replaced.
  std::string target = path;
  if (char *resolved = ::realpath(path.c_str(), nullptr)) {
    target = resolved;
    std::free(resolved);
  }
  struct stat status;
  bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throwErrno("cannot write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) { // a device or pipe cannot be replaced, only written to
    FileDescriptor file(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0)
      throwErrno("cannot write", path, errno);
    writeAll(file.get(), bytes, path);
    return;
  }

  std::string temporary;
  FileDescriptor file(createBeside(target, temporary));
  if (file.get() < 0)
    throwErrno("cannot write", path, errno);
  try {
    if (exists && ::fchmod(file.get(), status.st_mode & 07777) != 0)
      throwErrno("cannot write", path, errno);
    writeAll(file.get(), bytes, path);
    if (::fsync(file.get()) != 0)
      throwErrno("cannot write", path, errno);
    if (int code = file.reset())
      throwErrno("cannot write", path, code);
    if (::rename(temporary.c_str(), target.c_str()) != 0)
      throwErrno("cannot write", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

} // namespace ge
