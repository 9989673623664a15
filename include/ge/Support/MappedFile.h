//===- MappedFile.h - a file's bytes in memory, read only -------------------------------------===//
#ifndef GE_SUPPORT_MAPPEDFILE_H
#define GE_SUPPORT_MAPPEDFILE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ge {

/// Mapped private and read only; the pages stay in the page cache. Throws Error(OS) with path and
/// reason. What cannot be mapped (a pipe, a file of /proc) is read instead. A file truncated by
/// somebody else while mapped is the one thing not protected against.
class MappedFile {
public:
  static std::shared_ptr<const MappedFile> open(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const char *data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }
  const std::string &path() const { return path_; }

private:
  MappedFile() = default;
  const char *data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false; ///< else data_ is an array of ours
  std::string path_;
};

/// Writes to a temporary file beside `path`, syncs, renames. Throws Error(OS); the old file stays
/// then.
void writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace ge

#endif // GE_SUPPORT_MAPPEDFILE_H
