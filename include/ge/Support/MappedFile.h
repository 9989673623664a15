//===- MappedFile.h - a file's bytes in memory, read only -------------------------------------===//
#ifndef GE_SUPPORT_MAPPEDFILE_H
#define GE_SUPPORT_MAPPEDFILE_H

#include "ge/Support/InputFile.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ge {

/// What tells one file, in one state, from another.
struct FileIdentity {
  uint64_t device = 0, number = 0, size = 0;
  int64_t seconds = 0, nanoseconds = 0;
  friend bool operator==(const FileIdentity &, const FileIdentity &) = default;
};

/// Mapped private and read only; the pages stay in the page cache. A special file that `special`
/// allows is read instead. Throws SystemError.
class MappedFile {
public:
  static std::shared_ptr<const MappedFile> open(const std::string &path,
                                                SpecialFiles special = SpecialFiles::Named);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const char *data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }
  const std::string &path() const { return path_; }
  /// A descriptor, the caller's, of the file as it was mapped; -1 when it is no longer at its path
  /// or was changed, or when nothing is mapped.
  int reopen() const;
  /// True when `path` is that file, unchanged.
  bool isAt(const std::string &path) const;

private:
  MappedFile() = default;
  const char *data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
  std::string read_; ///< the bytes of a file that is not mapped
  std::string path_;
  FileIdentity identity_;
};

} // namespace ge

#endif // GE_SUPPORT_MAPPEDFILE_H
