//===- MappedFile.h - a file's bytes, read only, guarded against changes on disk --------------===//
#ifndef GE_SUPPORT_MAPPEDFILE_H
#define GE_SUPPORT_MAPPEDFILE_H

#include "ge/Support/InputFile.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ge {

/// What tells one file, in one state, from another.
struct FileIdentity {
  uint64_t device = 0, number = 0, size = 0;
  int64_t seconds = 0, nanoseconds = 0;

  static FileIdentity of(const struct stat &status);
  bool isSameFile(const FileIdentity &other) const {
    return device == other.device && number == other.number;
  }
  friend bool operator==(const FileIdentity &, const FileIdentity &) = default;
};

/// Mapped private and read only; the pages stay in the page cache. A special file that `special`
/// allows is read instead. Throws SystemError.
///
/// Loads from the mapping end the process with SIGBUS once the file is shorter than it was, so our
/// own code reads with read(), which fails with Error(Model) instead. It also fails when size or
/// modification time are other ones than at opening. A file that was renamed over, or removed, has
/// not changed. Not seen: a change that keeps size and time (within one tick of the clock of the
/// file system), and, of a file that was removed after its descriptor was closed, a change in
/// place.
///
/// Descriptors of the files used last are kept, a fraction of RLIMIT_NOFILE; others are opened
/// again by their path.
class MappedFile {
public:
  static std::shared_ptr<const MappedFile> open(const std::string &path,
                                                SpecialFiles special = SpecialFiles::Named);
  static std::shared_ptr<const MappedFile> of(InputFile file);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  size_t size() const { return size_; }
  const std::string &path() const { return path_; }
  /// False for what was read when it was opened, which cannot change any more.
  bool isMapped() const { return mapped_; }

  /// Copies `bytes` bytes, which must lie inside, from `offset` on. Error(Model).
  void read(size_t offset, size_t bytes, void *out) const;
  /// Error(Model) when the file changed since it was opened.
  void check() const;

  /// The bytes themselves, for addresses and for views that are handed out. Loads from a
  /// mapping are not protected.
  const char *unguarded() const { return data_; }

  /// A descriptor, the caller's, of the file as it was mapped; none when it is no longer at its
  /// path, or when nothing is mapped. Error(Model) when it changed.
  FileDescriptor reopen() const;
  /// True when `path` is that file, unchanged.
  bool isAt(const std::string &path) const;
  /// True when both are mappings of one file in one state.
  bool isSameAs(const MappedFile &other) const {
    return mapped_ && other.mapped_ && identity_ == other.identity_;
  }

private:
  class Descriptor;
  friend class DescriptorCache;
  MappedFile() = default;
  std::shared_ptr<const Descriptor> descriptor() const;
  void check(int fd) const;
  void readMapping(size_t offset, size_t bytes, char *out) const;
  [[noreturn]] void failChanged() const;

  const char *data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
  std::string read_; ///< the bytes of a file that is not mapped
  std::string path_;
  FileIdentity identity_;
  uint64_t key_ = 0; ///< in the cache of descriptors; never used again
};

} // namespace ge

#endif // GE_SUPPORT_MAPPEDFILE_H
