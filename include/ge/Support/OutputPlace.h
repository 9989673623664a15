//===- OutputPlace.h - where an output path leads ---------------------------------------------===//
#ifndef GE_SUPPORT_OUTPUTPLACE_H
#define GE_SUPPORT_OUTPUTPLACE_H

#include "ge/Support/Directory.h"
#include "ge/Support/SystemError.h"

#include <memory>
#include <string>

namespace ge {

/// The file that an output path leads to, found once: whatever is written for it goes to this
/// directory, also if the path leads elsewhere by then.
struct OutputPlace {
  std::shared_ptr<const Directory> directory;
  std::string name; ///< in the directory, no link when it was found; empty: the path is a directory
};

/// A link that findOutput does not follow.
class RefusedLink : public SystemError {
public:
  using SystemError::SystemError;
};

/// Follows all links of a path, whose last part need not exist. A link in a directory with the
/// sticky bit that others may write to is followed only if it belongs to this user or to the
/// directory's owner, as the kernel's fs.protected_symlinks requires: otherwise another user could
/// choose which of this user's files is replaced. Throws SystemError "cannot write", RefusedLink
/// for such a link.
OutputPlace findOutput(const std::string &path);

} // namespace ge

#endif // GE_SUPPORT_OUTPUTPLACE_H
