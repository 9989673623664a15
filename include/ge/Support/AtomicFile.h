//===- AtomicFile.h - a file that is there whole or not at all --------------------------------===//
#ifndef GE_SUPPORT_ATOMICFILE_H
#define GE_SUPPORT_ATOMICFILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ge {

class MappedFile;

/// Writes to a temporary file beside `path` in a sequence, from front to back, then syncs and
/// renames it. Until commit() the old file stays; without it the temporary one is removed. A killed
/// process leaves `<path>.<pid>-<n>.tmp`. Devices and pipes, which cannot be replaced, are written
/// as the bytes come. All members throw Error(OS) with path and reason.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void append(std::string_view bytes);
  /// Bytes of another file: by copy_file_range where the file system can and the file behind the
  /// mapping is still the one at its path, else from the mapping.
  void append(const MappedFile &file, size_t offset, size_t bytes);
  /// Moves the end to `position`, which is not before it; what lies between is zeros (a hole).
  void skipTo(uint64_t position);
  uint64_t position() const { return position_; }
  /// All is on disk, but still under the temporary name.
  void sync();
  void commit(); ///< sync() if that was not done, then rename

private:
  [[noreturn]] void fail(int code) const;
  bool copyRange(const MappedFile &file, size_t offset, size_t bytes);

  std::string path_;      ///< as given, for errors
  std::string target_;    ///< links resolved
  std::string temporary_; ///< empty: written directly
  int fd_ = -1;
  uint64_t position_ = 0;
};

/// Writes `bytes` as an AtomicFile.
void writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace ge

#endif // GE_SUPPORT_ATOMICFILE_H
