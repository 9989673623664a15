//===- FileTrust.h - whether code in a file may run in this process ---------------------------===//
#ifndef GE_SUPPORT_FILETRUST_H
#define GE_SUPPORT_FILETRUST_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// What the decision about one file, directory or link rests on.
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

/// Why other users than `users` can change what is at `facts.path`, and how to mend that; empty
/// when they cannot. A directory with the sticky bit may be writable: entries of others stay
/// theirs. `groupIsPrivate`: the owner is the only member of the group.
std::string distrustOf(const FileFacts &facts, const TrustedUsers &users, bool groupIsPrivate);

/// The same for a path: for the regular file or directory that it leads to, and for each directory
/// and link on the way. Other kinds of files are refused; nothing is opened, so a FIFO does not
/// block. Where each step is trusted, no other user can put another file in the place afterwards.
///
/// `alsoOwnerOf`: a path whose owner is trusted as well; empty: none. The environment's
/// GE_ALLOW_UNSAFE_PLUGINS=1 trusts every owner and mode. Throws Error(OS) when a step cannot be
/// looked at.
std::string distrustOf(const std::string &path, const std::string &alsoOwnerOf);

} // namespace ge

#endif // GE_SUPPORT_FILETRUST_H
