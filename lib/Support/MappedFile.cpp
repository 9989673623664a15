//===- MappedFile.cpp -------------------------------------------------------------------------===//
#include "ge/Support/MappedFile.h"

#include "ge/Support/SystemError.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ge {

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

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, SpecialFiles special) {
  InputFile file(path, special);
  std::shared_ptr<MappedFile> result(new MappedFile());
  result->path_ = path;
  if (file.isRegular()) {
    auto size = size_t(file.status().st_size);
    if (size == 0)
      return result;
    void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED)
      throw SystemError("cannot map", path, errno);
    result->data_ = static_cast<const char *>(data);
    result->size_ = size;
    result->mapped_ = true;
    result->identity_ = identityOf(file.status());
    return result;
  }
  result->read_ = file.readAll();
  result->data_ = result->read_.data();
  result->size_ = result->read_.size();
  return result;
}

MappedFile::~MappedFile() {
  if (mapped_)
    ::munmap(const_cast<char *>(data_), size_);
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
