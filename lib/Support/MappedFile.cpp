//===- MappedFile.cpp -------------------------------------------------------------------------===//
#include "ge/Support/MappedFile.h"

#include "ge/Support/SystemError.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <mutex>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

namespace ge {

/// A file that is written in place keeps its inode, so its time of change is compared, too.
FileIdentity FileIdentity::of(const struct stat &status) {
#ifdef __APPLE__
  const struct timespec &changed = status.st_mtimespec;
#else
  const struct timespec &changed = status.st_mtim;
#endif
  return {uint64_t(status.st_dev), uint64_t(status.st_ino), uint64_t(status.st_size),
          int64_t(changed.tv_sec), int64_t(changed.tv_nsec)};
}

//===-----------------------------------------------------------------------------------------===//
// Descriptors
//===-----------------------------------------------------------------------------------------===//

/// An open descriptor with which several threads may read. Other code of the process may close
/// every descriptor (a daemon does) and open other files under the same numbers, so each use checks
/// which file the number refers to.
class MappedFile::Descriptor {
public:
  Descriptor(FileDescriptor file, const FileIdentity &identity)
      : file_(std::move(file)), identity_(identity) {}
  ~Descriptor() {
    FileIdentity now;
    if (!look(now))
      file_.release(); // the number now belongs to another file
  }
  int get() const { return file_.get(); }
  /// The state of the file; false if the number refers to another file, or to none.
  bool look(FileIdentity &now) const {
    struct stat status;
    if (::fstat(get(), &status) != 0)
      return false;
    now = FileIdentity::of(status);
    return now.isSameFile(identity_);
  }

private:
  FileDescriptor file_;
  FileIdentity identity_;
};

/// The descriptors used last. A caller does without the cache while another thread uses it, or did
/// so at a fork.
class DescriptorCache {
public:
  static DescriptorCache &instance() {
    static auto *cache = new DescriptorCache; // never destroyed: files may be read at exit
    return *cache;
  }

  std::shared_ptr<const MappedFile::Descriptor> find(uint64_t key) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return nullptr;
    auto it = std::ranges::find(entries_, key, &Entry::key);
    if (it == entries_.end())
      return nullptr;
    entries_.splice(entries_.begin(), entries_, it);
    return it->file;
  }

  void add(uint64_t key, const std::shared_ptr<const MappedFile::Descriptor> &file) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    size_t most = capacity();
    if (!lock || !most)
      return;
    entries_.push_front({key, file});
    while (entries_.size() > most)
      entries_.pop_back();
  }

  void erase(uint64_t key) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) // else it is evicted by later entries
      std::erase_if(entries_, [&](const Entry &entry) { return entry.key == key; });
  }

private:
  struct Entry {
    uint64_t key;
    std::shared_ptr<const MappedFile::Descriptor> file;
  };

  static size_t capacity() {
    constexpr rlim_t kMost = 64, kShare = 16;
    struct rlimit limit;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
      return kShare;
    return size_t(std::min(limit.rlim_cur / kShare, kMost));
  }

  std::mutex mutex_;
  std::list<Entry> entries_;
};

void MappedFile::failChanged() const {
  throwError(ErrorKind::Model, "'", path_,
             "' changed on disk while it was in use: it was shortened or written in place; load it "
             "again, and replace files in use by renaming");
}

void MappedFile::check(int fd) const {
  struct stat status;
  if (::fstat(fd, &status) != 0 || FileIdentity::of(status) != identity_)
    failChanged();
}

static FileDescriptor openAgain(const std::string &path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  // The numbers of the standard streams are not used, even if they were closed.
  if (file && file.get() <= STDERR_FILENO)
    file = FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return file;
}

FileDescriptor MappedFile::reopen() const {
  struct stat status;
  // Another kind of file is not opened: opening a pipe has side effects.
  if (!mapped_ || ::stat(path_.c_str(), &status) != 0 ||
      !FileIdentity::of(status).isSameFile(identity_))
    return {};
  FileDescriptor file = openAgain(path_);
  if (!file || ::fstat(file.get(), &status) != 0)
    return {};
  FileIdentity now = FileIdentity::of(status);
  if (!now.isSameFile(identity_))
    return {};
  if (now != identity_)
    failChanged();
  return file;
}

/// Null if the path now refers to another file, or no descriptor is available. The state is
/// checked.
std::shared_ptr<const MappedFile::Descriptor> MappedFile::descriptor() const {
  DescriptorCache &cache = DescriptorCache::instance();
  if (auto file = cache.find(key_)) {
    FileIdentity now;
    if (file->look(now)) {
      if (now != identity_)
        failChanged();
      return file;
    }
    cache.erase(key_);
  }
  FileDescriptor opened = reopen();
  if (!opened)
    return nullptr;
  auto file = std::make_shared<const Descriptor>(std::move(opened), identity_);
  cache.add(key_, file);
  return file;
}

//===-----------------------------------------------------------------------------------------===//
// Opening
//===-----------------------------------------------------------------------------------------===//

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, SpecialFiles special) {
  return of(InputFile(path, special));
}

std::shared_ptr<const MappedFile> MappedFile::of(InputFile file) {
  static std::atomic<uint64_t> nextKey{1};
  std::shared_ptr<MappedFile> result(new MappedFile());
  result->path_ = file.path();
  if (file.isRegular()) {
    auto size = size_t(file.status().st_size);
    if (size == 0)
      return result;
    void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED)
      throw SystemError("cannot map", file.path(), errno);
    result->data_ = static_cast<const char *>(data);
    result->size_ = size;
    result->mapped_ = true;
    result->identity_ = FileIdentity::of(file.status());
    result->key_ = nextKey.fetch_add(1, std::memory_order_relaxed);
    if (file.descriptor() > STDERR_FILENO)
      DescriptorCache::instance().add(result->key_, std::make_shared<const Descriptor>(
                                                        file.takeDescriptor(), result->identity_));
    return result;
  }
  result->read_ = file.readAll();
  result->data_ = result->read_.data();
  result->size_ = result->read_.size();
  return result;
}

MappedFile::~MappedFile() {
  if (!mapped_)
    return;
  DescriptorCache::instance().erase(key_);
  ::munmap(const_cast<char *>(data_), size_);
}

bool MappedFile::isAt(const std::string &path) const {
  struct stat status;
  return mapped_ && ::stat(path.c_str(), &status) == 0 && FileIdentity::of(status) == identity_;
}

//===-----------------------------------------------------------------------------------------===//
// Reading
//===-----------------------------------------------------------------------------------------===//

/// The kernel transfers at most 2 GiB in one call.
static constexpr size_t kLargestTransfer = size_t(1) << 30;

/// Copies by writing to a pipe: for a truncated mapping the kernel returns EFAULT, where a load
/// would end the process.
static bool copyThroughPipe(const char *from, size_t bytes, char *out) {
  constexpr size_t kPipe = 4096; // fits any pipe
  int ends[2];
  if (::pipe(ends) != 0)
    return false;
  FileDescriptor input(ends[0]), output(ends[1]);
  while (bytes) {
    ssize_t n = ::write(output.get(), from, std::min(bytes, kPipe));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    for (ssize_t left = n; left;) {
      ssize_t got = ::read(input.get(), out, size_t(left));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return false;
      out += got;
      left -= got;
    }
    from += n;
    bytes -= size_t(n);
  }
  return true;
}

/// Copies through the kernel, for a file without a path.
void MappedFile::readMapping(size_t offset, size_t bytes, char *out) const {
  const char *from = data_ + offset;
#ifdef __linux__
  while (bytes) {
    size_t length = std::min(bytes, kLargestTransfer);
    struct iovec to = {out, length};
    struct iovec source = {const_cast<char *>(from), length};
    ssize_t n = ::process_vm_readv(::getpid(), &to, 1, &source, 1, 0);
    if (n < 0 && (errno == ENOSYS || errno == EPERM || errno == EACCES))
      break; // forbidden by a sandbox
    if (n <= 0)
      failChanged();
    from += n;
    out += n;
    bytes -= size_t(n);
  }
#endif
  if (bytes && !copyThroughPipe(from, bytes, out))
    failChanged();
}

void MappedFile::read(size_t offset, size_t bytes, void *out) const {
  auto *to = static_cast<char *>(out);
  if (!bytes)
    return;
  if (!mapped_) {
    std::memcpy(to, data_ + offset, bytes);
    return;
  }
  std::shared_ptr<const Descriptor> file = descriptor();
  if (!file)
    return readMapping(offset, bytes, to);
  while (bytes) {
    ssize_t n = ::pread(file->get(), to, std::min(bytes, kLargestTransfer), off_t(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      throw SystemError("cannot read", path_, errno);
    if (n == 0)
      failChanged();
    to += n;
    offset += size_t(n);
    bytes -= size_t(n);
  }
  check(file->get());
}

void MappedFile::check() const {
  if (!mapped_ || descriptor())
    return;
  char last;
  readMapping(size_ - 1, 1, &last);
}

} // namespace ge
