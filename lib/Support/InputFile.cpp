//===- InputFile.cpp --------------------------------------------------------------------------===//
#include "ge/Support/InputFile.h"

#include "ge/Support/Directory.h"
#include "ge/Support/SystemError.h"
#include "ge/Support/Wait.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace ge {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0)
    ::close(fd_);
}

/// Files of /proc and /sys claim to be regular, but are generated while they are read.
static bool isOnPseudoFileSystem(int fd) {
#ifdef __linux__
  constexpr unsigned long kProc = 0x9fa0, kSys = 0x62656572, kCgroup2 = 0x63677270;
  struct statfs status;
  if (::fstatfs(fd, &status) != 0)
    return false;
  auto type = static_cast<unsigned long>(status.f_type);
  return type == kProc || type == kSys || type == kCgroup2;
#else
  (void)fd;
  return false;
#endif
}

static const char *nameOfKind(mode_t mode) {
  return S_ISFIFO(mode)   ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISREG(mode)  ? "made by the kernel"
                          : "a device";
}

[[noreturn]] static void refuse(const std::string &path, mode_t mode, SpecialFiles special) {
  std::string reason = cat("not a regular file but ", nameOfKind(mode));
  if (special == SpecialFiles::Named)
    reason += "; allow_pipe=True (--allow-pipe) reads it";
  throw SystemError("cannot read", path, EINVAL, std::move(reason));
}

InputFile::InputFile(const std::string &path, SpecialFiles special, const Directory *directory)
    : path_(path) {
  if (path.find('\0') != std::string::npos)
    throw SystemError("cannot open", path, EINVAL);
  if (directory)
    open(directory->fd(), SplitPath(path).name, special, true);
  else
    open(AT_FDCWD, path, special, true);
}

/// To look names up in a directory, it need not be listed.
#if defined(O_PATH)
static constexpr int kSearch = O_PATH;
#elif defined(O_SEARCH)
static constexpr int kSearch = O_SEARCH;
#else
static constexpr int kSearch = O_RDONLY;
#endif

InputFile::InputFile(const Directory &directory, std::string_view name, std::string path)
    : path_(std::move(path)) {
  FileDescriptor here;
  int at = directory.fd();
  for (;;) {
    size_t slash = name.find('/');
    std::string part(name.substr(0, slash));
    if (part == ".." || part.find('\0') != std::string::npos)
      throw SystemError("cannot open", path_, EINVAL);
    if (slash == std::string_view::npos) {
      open(at, part, SpecialFiles::Refuse, false);
      return;
    }
    name.remove_prefix(slash + 1);
    if (part.empty() || part == ".")
      continue;
    int fd = ::openat(at, part.c_str(), kSearch | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
      throw SystemError("cannot open", path_, errno);
    here = FileDescriptor(fd);
    at = fd;
  }
}

void InputFile::open(int directory, const std::string &name, SpecialFiles special,
                     bool followLinks) {
  bool isInput = path_ == "/dev/stdin";
  bool isAllowed = special == SpecialFiles::Allow ||
                   (special == SpecialFiles::Named && (isInput || path_ == "/dev/null"));
  // Opening a pipe releases its writer, and opening a device may have side effects.
  if (::fstatat(directory, name.c_str(), &status_, followLinks ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    throw SystemError("cannot open", path_, errno);
  if (S_ISLNK(status_.st_mode))
    throw SystemError("cannot open", path_, ELOOP);
  if (S_ISDIR(status_.st_mode))
    throw SystemError("cannot open", path_, EISDIR);
  if (!S_ISREG(status_.st_mode) && !isAllowed)
    refuse(path_, status_.st_mode, special);
  int fd, flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followLinks ? 0 : O_NOFOLLOW);
  do
    fd = ::openat(directory, name.c_str(), flags);
  while (fd < 0 && errno == EINTR);
  // A socket cannot be opened by its name.
  if (fd < 0 && isInput && special != SpecialFiles::Refuse)
    fd = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    throw SystemError("cannot open", path_, errno);
  file_ = FileDescriptor(fd);
  if (::fstat(fd, &status_) != 0)
    throw SystemError("cannot open", path_, errno);
  if (S_ISDIR(status_.st_mode))
    throw SystemError("cannot open", path_, EISDIR);
  isRegular_ = S_ISREG(status_.st_mode) && !isOnPseudoFileSystem(fd);
  if (!isRegular_ && !isAllowed)
    refuse(path_, status_.st_mode, special);
}

std::string InputFile::readAll() const {
  constexpr size_t kMost = size_t(1) << 31; // the largest message of protobuf
  constexpr size_t kBlock = size_t(1) << 16, kLargestBlock = size_t(1) << 30;
  std::string bytes;
  size_t size = 0;
  if (isRegular_)
    bytes.resize(size_t(status_.st_size) + 1); // one more byte, to detect the end
  for (;;) {
    // A pipe that has no writer yet reads as if it were at its end, so wait for a writer.
    if (!isRegular_ && !waitFor(file_.get(), POLLIN))
      throw SystemError("cannot read", path_, errno);
    if (bytes.size() - size < kBlock && (!isRegular_ || bytes.size() == size))
      bytes.resize(std::max(bytes.size() + bytes.size() / 2, size + kBlock));
    ssize_t n =
        ::read(file_.get(), bytes.data() + size, std::min(bytes.size() - size, kLargestBlock));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n < 0)
      throw SystemError("cannot read", path_, errno);
    if (n == 0)
      break;
    size += size_t(n);
    if (!isRegular_ && size > kMost)
      throw SystemError("cannot read", path_, EFBIG);
  }
  bytes.resize(size);
  return bytes;
}

std::string readFile(const std::string &path, SpecialFiles special) {
  return InputFile(path, special).readAll();
}

} // namespace ge
