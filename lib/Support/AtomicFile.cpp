//===- AtomicFile.cpp -------------------------------------------------------------------------===//
#include "ge/Support/AtomicFile.h"

#include "ge/Support/Interrupt.h"
#include "ge/Support/MappedFile.h"
#include "ge/Support/OutputPlace.h"
#include "ge/Support/SystemError.h"
#include "ge/Support/Wait.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ge {

/// Bytes per call of the kernel; interrupts are checked between two calls.
static constexpr size_t kPiece = size_t(16) << 20;

//===-----------------------------------------------------------------------------------------===//
// Names
//===-----------------------------------------------------------------------------------------===//

std::string resolveLinks(const std::string &path) {
  if (char *resolved = ::realpath(path.c_str(), nullptr)) {
    std::string target = resolved;
    std::free(resolved);
    return target;
  }
  struct stat status;
  if (::stat(path.c_str(), &status) == 0)
    return path;                 // the target of /dev/stdout may have no name
  constexpr int kMostLinks = 40; // Linux's limit
  std::filesystem::path target(path);
  std::error_code error;
  for (int i = 0; i != kMostLinks; ++i) {
    if (!std::filesystem::is_symlink(target, error))
      return target.string();
    std::filesystem::path next = std::filesystem::read_symlink(target, error);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return {};
}

bool isStandardOutput(std::string_view path) {
  return path == "/dev/stdout" || path == "/dev/null";
}

std::string temporaryName(std::string_view base, uint32_t slot) {
  return cat(base, ".ge-", slot, ".tmp");
}

bool isTemporaryName(std::string_view name, std::string_view base) {
  constexpr std::string_view kStart = ".ge-", kStop = ".tmp";
  if (!name.starts_with(base))
    return false;
  name.remove_prefix(base.size());
  if (!name.starts_with(kStart) || !name.ends_with(kStop) ||
      name.size() <= kStart.size() + kStop.size())
    return false;
  name = name.substr(kStart.size(), name.size() - kStart.size() - kStop.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

static bool isSameFile(const struct stat &a, const struct stat &b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Returns whether `name` still refers to the file of the descriptor.
static bool isAt(int directory, const std::string &name, int fd) {
  struct stat here, there;
  return ::fstat(fd, &here) == 0 &&
         ::fstatat(directory, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         isSameFile(here, there);
}

int lockAbandoned(int directory, const std::string &name) {
  int fd = ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return -1;
  struct stat status;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_uid == ::geteuid() || ::geteuid() == 0) && ::flock(fd, LOCK_EX | LOCK_NB) == 0 &&
      isAt(directory, name, fd))
    return fd;
  ::close(fd);
  return -1;
}

int createTemporary(int directory, std::string_view base, std::string &name, mode_t mode) {
  for (uint32_t slot = 0;;) {
    name = temporaryName(base, slot);
    int fd =
        ::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0) {
      // Another process may have removed the file as abandoned before it was locked.
      static_cast<void>(::flock(fd, LOCK_EX));
      if (isAt(directory, name, fd))
        return fd;
      ::close(fd);
    } else if (errno == EEXIST) {
      int left = lockAbandoned(directory, name);
      if (left < 0) {
        ++slot;
        continue;
      }
      ::unlinkat(directory, name.c_str(), 0);
      ::close(left);
    } else if (errno != EINTR) {
      return -1;
    }
  }
}

//===-----------------------------------------------------------------------------------------===//
// Owner, mode, extended attributes
//===-----------------------------------------------------------------------------------------===//

namespace {

constexpr const char *kAccessList = "system.posix_acl_access";

/// Attributes that the kernel derives from the old contents.
bool belongsToContents(std::string_view name) {
  return name == "security.capability" || name == "security.ima" || name == "security.evm";
}

/// The extended attributes of a file. They are readable even if the file may be replaced but not
/// read.
class ExtendedAttributes {
public:
  ExtendedAttributes(int directory, const std::string &name) {
#ifdef __linux__
    fd_ = ::openat(directory, name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) {
      fd_ = ::openat(directory, name.c_str(), O_PATH | O_CLOEXEC);
      path_ = cat("/proc/self/fd/", fd_);
    }
#else
    (void)directory, (void)name;
#endif
  }
  ~ExtendedAttributes() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  ExtendedAttributes(const ExtendedAttributes &) = delete;
  ExtendedAttributes &operator=(const ExtendedAttributes &) = delete;

  std::vector<std::string> names() const {
    std::vector<std::string> names;
#ifdef __linux__
    ssize_t size = list(nullptr, 0);
    if (size <= 0)
      return names;
    std::vector<char> bytes(size_t(size), '\0');
    size = list(bytes.data(), bytes.size());
    for (ssize_t at = 0; at < size; at += ssize_t(names.back().size()) + 1)
      names.emplace_back(bytes.data() + at);
#endif
    return names;
  }

  /// 0, or the error number.
  int get(const char *name, std::vector<char> &value) const {
#ifdef __linux__
    ssize_t size = read(name, nullptr, 0);
    if (size < 0)
      return errno;
    value.resize(size_t(size) + 1);
    size = read(name, value.data(), size_t(size));
    if (size < 0)
      return errno;
    value.resize(size_t(size));
    return 0;
#else
    (void)name, (void)value;
    return ENOTSUP;
#endif
  }

private:
#ifdef __linux__
  ssize_t list(char *bytes, size_t size) const {
    return path_.empty() ? ::flistxattr(fd_, bytes, size) : ::listxattr(path_.c_str(), bytes, size);
  }
  ssize_t read(const char *name, char *bytes, size_t size) const {
    return path_.empty() ? ::fgetxattr(fd_, name, bytes, size)
                         : ::getxattr(path_.c_str(), name, bytes, size);
  }
  std::string path_; ///< path of the descriptor, where /proc cannot be used
#endif
  int fd_ = -1;
};

bool setAttribute(int fd, const char *name, const std::vector<char> &value) {
#ifdef __linux__
  return ::fsetxattr(fd, name, value.data(), value.size(), 0) == 0;
#else
  (void)fd, (void)name, (void)value;
  return false;
#endif
}

} // namespace

void AtomicFile::copyAttributes(const std::string &name, bool rightsOnly) {
  int directory = directory_->fd();
  struct stat old, mine;
  if (::fstatat(directory, name.c_str(), &old, 0) != 0 || !S_ISREG(old.st_mode) ||
      ::fstat(fd_, &mine) != 0)
    return;
  // Private until it has the permissions of the old file. Writable, because only a writable file
  // accepts attributes.
  static_cast<void>(::fchmod(fd_, 0600));
  // Only root may change the owner; members of a group may set that group.
  if ((old.st_uid != mine.st_uid || old.st_gid != mine.st_gid) &&
      ::fchown(fd_, old.st_uid, old.st_gid) != 0)
    static_cast<void>(!::fchown(fd_, uid_t(-1), old.st_gid));
  if (::fstat(fd_, &mine) != 0)
    return;
  mode_t mode = old.st_mode & 07777;
  bool isOfGroup = mine.st_gid == old.st_gid;
  if (!isOfGroup)
    mode &= mode_t(~07070); // set-id bits and group permissions applied to another owner or group
  if (mine.st_uid != old.st_uid)
    mode &= mode_t(~04000);

  ExtendedAttributes from(directory, name);
  std::vector<char> value, list;
  if (!rightsOnly)
    for (const std::string &attribute : from.names())
      if (attribute != kAccessList && !belongsToContents(attribute) &&
          from.get(attribute.c_str(), value) == 0)
        setAttribute(fd_, attribute.c_str(), value);
  // Removes the attributes that new files inherit from the directory.
#ifdef __linux__
  static_cast<void>(::fremovexattr(fd_, kAccessList));
#endif
  int missing = from.get(kAccessList, list);
  if (missing == 0 && isOfGroup) {
    // With an access list, the group bits of the mode are the maximum of all entries; without the
    // list they would become the group's permissions.
    static_cast<void>(::fchmod(fd_, mode & mode_t(~07070)));
    if (!setAttribute(fd_, kAccessList, list))
      mode &= mode_t(~070);
  } else if (missing != 0 && missing != ENODATA && missing != ENOTSUP) {
    mode &= mode_t(~070); // the old file may have an access list
  }
  static_cast<void>(::fchmod(fd_, mode));
  mode_ = mode;
}

//===-----------------------------------------------------------------------------------------===//
// Writing
//===-----------------------------------------------------------------------------------------===//

void AtomicFile::fail(int code) const { throw SystemError("cannot write", path_, code); }

/// Waits for a pipe's reader. Returns a negative number, with errno, if the pipe cannot be opened.
static int openSpecial(const std::string &path) {
  constexpr int kMilliseconds = 10;
  for (;;) {
    int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int code = errno;
    struct stat status;
    if (fd >= 0 && (::fstat(fd, &status) != 0 || S_ISREG(status.st_mode))) {
      ::close(fd); // the path now is a regular file, which would be overwritten in place
      errno = EAGAIN;
      return -1;
    }
    bool isUnread = code == ENXIO && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    if (fd >= 0 || (!isUnread && code != EINTR)) {
      errno = code;
      return fd;
    }
    Interrupt::look();
    static_cast<void>(::poll(nullptr, 0, kMilliseconds));
  }
}

static std::string pathIn(const Directory &directory, const std::string &name) {
  return directory.path() == "." ? name : cat(directory.path(), "/", name);
}

AtomicFile::AtomicFile(const std::string &path, const WriteOptions &options)
    : path_(path), isNew_(options.isNew) {
  if (path.empty() || path.find('\0') != std::string::npos)
    fail(path.empty() ? ENOENT : EINVAL);
  bool isLiteral = options.noLinks || options.isNew;
  if (path == "/dev/stdout" && !options.noLinks) {
    // Writes to the descriptor: a file to which it is redirected is not replaced.
    isDirect_ = true;
    fd_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0)
      fail(errno);
    return;
  }
  struct stat status;
  if (!isLiteral && ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode)) {
    if (!options.allowPipe && !isStandardOutput(path))
      throw SystemError("cannot write", path, EINVAL,
                        "it is a pipe or a device, not a regular file; allow_pipe=True "
                        "(--allow-pipe) writes it");
    try {
      static_cast<void>(findOutput(path));
    } catch (const RefusedLink &) {
      throw;
    } catch (const SystemError &) { // what /dev/stdout leads to may have no name
    }
    isDirect_ = true;
    fd_ = openSpecial(path);
    if (fd_ < 0)
      fail(errno);
    return;
  }
  if (isLiteral) {
    SplitPath split(path);
    name_ = split.name;
    try {
      directory_ = std::make_shared<const Directory>(split.directory);
    } catch (const SystemError &error) {
      fail(error.code());
    }
  } else {
    OutputPlace place = findOutput(path);
    directory_ = std::move(place.directory);
    name_ = std::move(place.name);
  }
  openTemporary(options.temporaryBase);
}

AtomicFile::AtomicFile(std::shared_ptr<const Directory> directory, const std::string &name,
                       const WriteOptions &options, std::string path)
    : path_(path.empty() ? pathIn(*directory, name) : std::move(path)),
      directory_(std::move(directory)), name_(name), isNew_(options.isNew) {
  openTemporary(options.temporaryBase);
}

/// Links are never followed: every process that may write to the directory can create one under
/// this name at any time, also between our checks.
void AtomicFile::openTemporary(const std::string &base) {
  struct stat status;
  bool exists = name_.empty() ||
                ::fstatat(directory_->fd(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && isNew_)
    fail(EEXIST);
  if (exists && (name_.empty() || S_ISDIR(status.st_mode)))
    fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    fail(S_ISLNK(status.st_mode) ? ELOOP : EINVAL);
  fd_ = createTemporary(directory_->fd(), base.empty() ? name_ : base, temporary_,
                        exists ? kPrivate : kPublic);
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  if (exists)
    try {
      copyAttributes(name_);
    } catch (...) {
      ::close(fd_);
      ::unlinkat(directory_->fd(), temporary_.c_str(), 0);
      throw;
    }
}

AtomicFile::AtomicFile(std::shared_ptr<const Directory> directory, const std::string &name,
                       mode_t mode)
    : path_(pathIn(*directory, name)), directory_(std::move(directory)), name_(name),
      isReserved_(true) {
  fd_ = ::openat(directory_->fd(), name_.c_str(),
                 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd_ < 0)
    fail(errno);
  static_cast<void>(::flock(fd_, LOCK_EX | LOCK_NB));
}

AtomicFile::~AtomicFile() {
  if (isReserved_)
    ::unlinkat(directory_->fd(), name_.c_str(), 0);
  if (!temporary_.empty())
    ::unlinkat(directory_->fd(), temporary_.c_str(), 0);
  if (fd_ >= 0)
    ::close(fd_);
}

void AtomicFile::append(std::string_view bytes) {
  // The pipe has room for one piece of this size: a larger one could block without interrupt
  // checks.
  constexpr size_t kPipePiece = 4096;
  while (!bytes.empty()) {
    if (isDirect_ && !waitFor(fd_, POLLOUT))
      fail(errno);
    Interrupt::look();
    ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), isDirect_ ? kPipePiece : kPiece));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n < 0)
      fail(errno);
    bytes.remove_prefix(size_t(n));
    position_ += uint64_t(n);
  }
}

/// Returns false if nothing was copied, because of the file system or because the file was
/// truncated.
bool AtomicFile::copyRange(const MappedFile &file, size_t offset, size_t bytes) {
#ifdef __linux__
  FileDescriptor from = file.reopen();
  if (!from)
    return false;
  auto at = off_t(offset);
  size_t left = bytes;
  while (left) {
    Interrupt::look();
    ssize_t n = ::copy_file_range(from.get(), &at, fd_, nullptr, std::min(left, kPiece), 0);
    if (n < 0 && errno == EINTR)
      continue;
    int code = n < 0 ? errno : EIO;
    if (n <= 0) {
      file.check(); // the file may have been truncated
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
  // For a few bytes the system call costs more than the copy.
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
  if (isDirect_ || fd_ < 0)
    return;
  // A write clears set-id bits.
  if (mode_ & 07000)
    static_cast<void>(::fchmod(fd_, mode_));
  if (::fsync(fd_) != 0)
    fail(errno);
}

void AtomicFile::commit() {
  if (isDirect_) {
    // Some file systems report a failed write in close().
    if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 && errno != EINTR)
      fail(errno);
    return;
  }
  sync();
  int directory = directory_->fd();
  if (isReserved_) {
    isReserved_ = false;
  } else if (isNew_) {
    moveToNewName();
  } else if (::renameat(directory, temporary_.c_str(), directory, name_.c_str()) != 0) {
    fail(errno);
  }
  temporary_.clear();
  directory_->sync();
  // The lock is released last: until here the temporary name belonged to this process.
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR)
    fail(errno);
}

/// Renames the temporary file unless the target exists.
void AtomicFile::moveToNewName() {
  int directory = directory_->fd();
#ifdef RENAME_NOREPLACE
  if (::renameat2(directory, temporary_.c_str(), directory, name_.c_str(), RENAME_NOREPLACE) == 0)
    return;
  if (errno != EINVAL && errno != ENOSYS) // errors of file systems without support
    fail(errno);
#endif
  if (::linkat(directory, temporary_.c_str(), directory, name_.c_str(), 0) != 0)
    fail(errno);
  ::unlinkat(directory, temporary_.c_str(), 0);
}

void writeFileAtomically(const std::string &path, std::string_view bytes,
                         const WriteOptions &options) {
  AtomicFile file(path, options);
  file.append(bytes);
  file.commit();
}

} // namespace ge
