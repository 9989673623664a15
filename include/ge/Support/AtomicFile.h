//===- AtomicFile.h - files that are replaced whole or not at all -----------------------------===//
//
// Every file that GE writes goes through AtomicFile. The caller names the output; every other name
// (temporary files, data files) is chosen here and opened with O_EXCL|O_NOFOLLOW below a directory
// descriptor, so that a link or a file that is already there is never written through.
//
#ifndef GE_SUPPORT_ATOMICFILE_H
#define GE_SUPPORT_ATOMICFILE_H

#include "ge/Support/Directory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>

namespace ge {

class MappedFile;

/// The file that `path` leads to after all symbolic links, whether it exists or not; empty when the
/// links form a cycle. For comparisons: what is written goes to a place that findOutput found.
std::string resolveLinks(const std::string &path);

/// True for /dev/stdout and /dev/null, which may be named as outputs.
bool isStandardOutput(std::string_view path);

/// Modes of new files, less the umask: of those that take the place of another, until they have its
/// rights, and of others.
constexpr mode_t kPrivate = 0600, kPublic = 0666;

struct WriteOptions {
  bool isNew = false;             ///< EEXIST when there is such a file, link or directory
  bool allowPipe = false;         ///< pipes and devices may be written
  std::string temporaryBase = {}; ///< starts the temporary file's name; empty: the file's
  bool noLinks = false; ///< ELOOP when the path is a symbolic link; nothing special is written
};

/// Writes to a temporary file in the target's directory, from front to back, then syncs and renames
/// it. Until commit() the old file stays; without commit() the temporary file is removed. Owner,
/// mode and extended attributes of a file that is replaced are kept where the system allows.
///
/// Temporary files are named `<name>.ge-<N>.tmp` and locked (flock) while their writer lives, so
/// that the next writer of the same name removes what a killed process left.
///
/// /dev/stdout, /dev/null and, with `allowPipe`, other files that are not regular are written
/// directly. All members throw SystemError with path and reason.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path, const WriteOptions &options = {});
  /// A new file `name`, which appears at once, empty, is locked (flock) until commit(), and removed
  /// without it. EEXIST when the name is taken.
  AtomicFile(std::shared_ptr<const Directory> directory, const std::string &name,
             mode_t mode = kPublic);
  /// Replaces `name` in a directory; ELOOP when it is a symbolic link, and nothing special is
  /// written, whatever the options say. `path`: what errors call it; empty: its place.
  AtomicFile(std::shared_ptr<const Directory> directory, const std::string &name,
             const WriteOptions &options, std::string path = {});
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
  /// Takes owner, mode, access list and, unless `rightsOnly`, other extended attributes from a file
  /// of the same directory, if it is there, where the system allows. Where something
  /// cannot be taken, access becomes narrower, never wider.
  void copyAttributes(const std::string &name, bool rightsOnly = false);
  /// All is on disk, but still under the temporary name.
  void sync();
  void commit(); ///< sync() if that was not done, then rename

private:
  [[noreturn]] void fail(int code) const;
  void openTemporary(const std::string &base);
  void moveToNewName();
  bool copyRange(const MappedFile &file, size_t offset, size_t bytes);

  std::string path_; ///< as given, for errors
  std::shared_ptr<const Directory> directory_;
  std::string name_;        ///< in the directory, without links
  std::string temporary_;   ///< in the directory; empty: there is none
  bool isReserved_ = false; ///< name_ is this file already, and not yet committed
  bool isNew_ = false;
  bool isDirect_ = false; ///< no temporary file
  int fd_ = -1;
  mode_t mode_ = 0; ///< of the file that is replaced
  uint64_t position_ = 0;
};

/// Writes `bytes` as an AtomicFile.
void writeFileAtomically(const std::string &path, std::string_view bytes,
                         const WriteOptions &options = {});

/// `<base>.ge-<slot>.tmp`
std::string temporaryName(std::string_view base, uint32_t slot);
/// True for such a name.
bool isTemporaryName(std::string_view name, std::string_view base);

/// Creates the temporary file of the first free slot and locks it; what a killed process left in a
/// slot before is removed. -1, and errno, on failure.
int createTemporary(int directory, std::string_view base, std::string &name, mode_t mode = kPublic);

/// Opens a file whose writer is gone and locks it, so that no other process takes it for
/// its own; -1 when there is no such regular file, when its writer lives, or when it belongs to
/// another user. The caller closes the descriptor.
int lockAbandoned(int directory, const std::string &name);

} // namespace ge

#endif // GE_SUPPORT_ATOMICFILE_H
