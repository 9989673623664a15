//===- FileTrust.h - whether code in a file may run in this process ---------------------------===//
#ifndef GE_SUPPORT_FILETRUST_H
#define GE_SUPPORT_FILETRUST_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// The facts about one file, directory or link on which the decision is based.
struct FileFacts {
  std::string path;
  uint32_t mode = 0; ///< st_mode
  uint32_t owner = 0, group = 0;
  bool hasAcl = false; ///< entries for further users, which the mode's group bits only bound
};

/// Users whose files are as good as the process's own: root, the effective user, and `owners`.
struct TrustedUsers {
  uint32_t effective = 0;
  std::vector<uint32_t> owners;
  bool contains(uint32_t user) const;
};

/// The reason why users other than `users` can change the file at `facts.path`, and how to correct
/// that; empty if they cannot. A directory with the sticky bit may be writable, because entries of
/// others are protected. `groupIsPrivate`: the owner is the only member of the group.
std::string distrustOf(const FileFacts &facts, const TrustedUsers &users, bool groupIsPrivate);

/// The same for a path: for the regular file or directory that it leads to, and for each directory
/// and link on the way. Other kinds of files are rejected; nothing is opened, so a FIFO does not
/// block. If each step is trusted, no other user can replace the file afterwards.
///
/// `alsoOwnerOf`: a path whose owner is trusted as well; empty: none. The environment's
/// GE_ALLOW_UNSAFE_PLUGINS=1 trusts every owner and mode. Throws Error(OS) when a step cannot be
/// looked at.
std::string distrustOf(const std::string &path, const std::string &alsoOwnerOf);

} // namespace ge

#endif // GE_SUPPORT_FILETRUST_H
