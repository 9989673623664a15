//===- AtomicFile.cpp -------------------------------------------------------------------------===//
#include "ge/Support/AtomicFile.h"

#include "ge/Support/Error.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ge {

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

/// A link keeps pointing where it points: what it names is replaced, or made. Empty: they go round.
static std::string behindLinks(const std::string &path) {
  if (char *resolved = ::realpath(path.c_str(), nullptr)) {
    std::string target = resolved;
    std::free(resolved);
    return target;
  }
  struct stat status;
  if (::stat(path.c_str(), &status) == 0)
    return path;            // what is behind /dev/stdout may have no name
  constexpr int kMost = 40; // as many as Linux follows
  std::filesystem::path target(path);
  std::error_code error;
  for (int i = 0; i != kMost; ++i) {
    if (!std::filesystem::is_symlink(target, error))
      return target.string();
    std::filesystem::path next = std::filesystem::read_symlink(target, error);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return {};
}

void AtomicFile::fail(int code) const {
  throwError(ErrorKind::OS, "cannot write '", path_.substr(0, path_.find('\0')),
             "': ", std::generic_category().message(code));
}

AtomicFile::AtomicFile(const std::string &path) : path_(path), target_(path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    fail(path.empty() ? ENOENT : EINVAL);
  target_ = behindLinks(path);
  if (target_.empty())
    fail(ELOOP);
  struct stat status;
  bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0)
      fail(errno);
    return;
  }
  fd_ = createBeside(target_, temporary_);
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  if (exists && ::fchmod(fd_, status.st_mode & 07777) != 0) {
    int code = errno;
    ::close(fd_);
    ::unlink(temporary_.c_str());
    fail(code);
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0)
    ::close(fd_);
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
}

void AtomicFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    // The kernel writes 2 GiB at most in one call.
    ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), size_t(1) << 30));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      fail(errno);
    bytes.remove_prefix(size_t(n));
    position_ += uint64_t(n);
  }
}

/// False when nothing was copied and the file system, or what became of the file, is the reason.
bool AtomicFile::copyRange(const MappedFile &file, size_t offset, size_t bytes) {
#ifdef __linux__
  FileDescriptor from = file.reopen();
  if (!from)
    return false;
  auto at = off_t(offset);
  size_t left = bytes;
  while (left) {
    ssize_t n =
        ::copy_file_range(from.get(), &at, fd_, nullptr, std::min(left, size_t(1) << 30), 0);
    if (n < 0 && errno == EINTR)
      continue;
    int code = n < 0 ? errno : EIO;
    if (n <= 0) {
      file.check(); // the file may have become shorter
      if (left == bytes && code != ENOSPC && code != EFBIG && code != EDQUOT)
        return false;
      fail(code);
    }
    left -= size_t(n);
    position_ += uint64_t(n);
  }
  file.check();
  return true;
#else
  (void)file, (void)offset, (void)bytes;
  return false;
#endif
}

void AtomicFile::append(const MappedFile &file, size_t offset, size_t bytes) {
  // For few bytes the call costs more than the copy.
  constexpr size_t kWorthACall = 65536, kBlock = size_t(1) << 20;
  if (bytes >= kWorthACall && copyRange(file, offset, bytes))
    return;
  auto block = std::make_unique_for_overwrite<char[]>(std::min(bytes, kBlock));
  while (bytes) {
    size_t length = std::min(bytes, kBlock);
    file.read(offset, length, block.get());
    append(std::string_view(block.get(), length));
    offset += length;
    bytes -= length;
  }
}

void AtomicFile::skipTo(uint64_t position) {
  if (position == position_)
    return;
  if (::ftruncate(fd_, off_t(position)) != 0 || ::lseek(fd_, off_t(position), SEEK_SET) < 0)
    fail(errno);
  position_ = position;
}

void AtomicFile::sync() {
  if (temporary_.empty() || fd_ < 0)
    return;
  if (::fsync(fd_) != 0)
    fail(errno);
  // close() is where some file systems report a failed write.
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR)
    fail(errno);
}

void AtomicFile::commit() {
  sync();
  if (temporary_.empty())
    return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail(errno);
  temporary_.clear();
}

void writeFileAtomically(const std::string &path, std::string_view bytes) {
  AtomicFile file(path);
  file.append(bytes);
  file.commit();
}

} // namespace ge
