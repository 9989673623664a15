//===- FileTrust.cpp --------------------------------------------------------------------------===//
#include "ge/Support/FileTrust.h"

#include "ge/Support/StringUtil.h"
#include "ge/Support/SystemError.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace ge {

namespace {

constexpr const char *kOverride = "GE_ALLOW_UNSAFE_PLUGINS";
/// The kernel's limit for links.
constexpr int kMaxLinks = 40;
/// Of one entry of the databases of users and groups.
constexpr size_t kMaxEntry = 1 << 20;

[[noreturn]] void throwErrno(const std::string &path, int code) {
  throw SystemError("cannot look at", path, code);
}

/// Calls one of getpwuid_r and getgrgid_r with a buffer that is large enough; false: no entry.
template <typename Entry, typename Get>
bool lookUp(Get get, uint32_t id, Entry &entry, std::vector<char> &buffer) {
  for (buffer.resize(1024); buffer.size() <= kMaxEntry; buffer.resize(buffer.size() * 2)) {
    Entry *found = nullptr;
    int code = get(id, &entry, buffer.data(), buffer.size(), &found);
    if (code != ERANGE && code != EINTR)
      return code == 0 && found;
  }
  return false;
}

/// Returns whether a group is the user's own by the convention of "user private groups": it has the
/// user's name, is the user's primary group, and has no other members. Systems with such groups use
/// umask 002.
bool isPrivateGroup(uint32_t group, uint32_t user) {
  std::vector<char> userBuffer, groupBuffer;
  struct passwd userEntry;
  struct group groupEntry;
  if (!lookUp(getpwuid_r, user, userEntry, userBuffer) ||
      !lookUp(getgrgid_r, group, groupEntry, groupBuffer))
    return false;
  if (userEntry.pw_gid != group || std::strcmp(userEntry.pw_name, groupEntry.gr_name) != 0)
    return false;
  for (char **member = groupEntry.gr_mem; member && *member; ++member)
    if (std::strcmp(*member, userEntry.pw_name) != 0)
      return false;
  return true;
}

bool hasAcl([[maybe_unused]] const std::string &path) {
#ifdef __linux__
  return ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
#else
  return false;
#endif
}

struct stat statusOf(const std::string &path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0)
    throwErrno(path, errno);
  return status;
}

std::string check(const std::string &path, const struct stat &status, const TrustedUsers &users) {
  FileFacts facts{path, uint32_t(status.st_mode), uint32_t(status.st_uid), uint32_t(status.st_gid)};
  bool groupIsPrivate = false;
  if (!S_ISLNK(status.st_mode) && (status.st_mode & S_IWGRP)) { // else there is nothing to check
    facts.hasAcl = hasAcl(path);
    groupIsPrivate = isPrivateGroup(facts.group, facts.owner);
  }
  return distrustOf(facts, users, groupIsPrivate);
}

const char *kindOf(mode_t mode) {
  return S_ISFIFO(mode)   ? "a FIFO"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISCHR(mode)  ? "a device"
         : S_ISBLK(mode)  ? "a device"
                          : "a special file";
}

std::string targetOf(const std::string &link) {
  std::string target(PATH_MAX, '\0');
  ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  if (length < 0)
    throwErrno(link, errno);
  target.resize(size_t(length));
  return target;
}

/// Pushes the components of a path on the stack of those still to be visited, the next one last.
void pushSteps(const std::string &path, std::vector<std::string> &steps) {
  size_t end = path.size();
  while (end != 0) {
    size_t slash = path.find_last_of('/', end - 1);
    size_t begin = slash == std::string::npos ? 0 : slash + 1;
    if (std::string step = path.substr(begin, end - begin); !step.empty() && step != ".")
      steps.push_back(std::move(step));
    end = slash == std::string::npos ? 0 : slash;
  }
}

} // namespace

bool TrustedUsers::contains(uint32_t user) const {
  return user == 0 || user == effective || std::ranges::find(owners, user) != owners.end();
}

std::string distrustOf(const FileFacts &facts, const TrustedUsers &users, bool groupIsPrivate) {
  std::string instead =
      cat(", or set ", kOverride, "=1 if everybody who can write there may run code here");
  if (!users.contains(facts.owner))
    return cat("'", facts.path, "' belongs to user ", facts.owner,
               ", who could so run code here; give it to root or to yourself (chown)", instead);
  // The mode of a link is meaningless, and the sticky bit of a directory protects its entries.
  if (S_ISLNK(facts.mode) || (S_ISDIR(facts.mode) && (facts.mode & S_ISVTX)))
    return {};
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", unsigned(facts.mode & 07777));
  if (facts.mode & S_IWOTH)
    return cat("'", facts.path, "' is writable by everybody (mode ", mode,
               "), who could so run code here; take that permission away (chmod o-w)", instead);
  if ((facts.mode & S_IWGRP) && facts.hasAcl)
    return cat("'", facts.path, "' is writable by users of its access control list, who could so ",
               "run code here; take that permission away (setfacl -b)", instead);
  if ((facts.mode & S_IWGRP) && facts.group != 0 && !groupIsPrivate)
    return cat("'", facts.path, "' is writable by group ", facts.group, " (mode ", mode,
               "), which could so run code here; take that permission away (chmod g-w)", instead);
  return {};
}

std::string distrustOf(const std::string &path, const std::string &alsoOwnerOf) {
  if (path.empty() || path.find('\0') != std::string::npos)
    throwErrno(path.substr(0, path.find('\0')), path.empty() ? ENOENT : EINVAL);
  const char *given = std::getenv(kOverride);
  const bool trustsAll = given && std::string_view(given) == "1";
  TrustedUsers users{uint32_t(::geteuid()), {}};
  if (struct stat status;
      !alsoOwnerOf.empty() && ::stat(alsoOwnerOf.c_str(), &status) == 0) // else it owns nothing
    users.owners.push_back(uint32_t(status.st_uid));

  std::vector<std::string> steps;
  pushSteps(path, steps);
  if (path[0] != '/') {
    std::string here(PATH_MAX, '\0');
    if (!::getcwd(here.data(), here.size()))
      throwErrno(path, errno);
    here.resize(std::strlen(here.c_str()));
    pushSteps(here, steps);
  }
  std::string at = "/";
  struct stat status = statusOf(at);
  int links = 0;
  for (;;) {
    if (!trustsAll)
      if (std::string why = check(at, status, users); !why.empty())
        return why;
    if (steps.empty())
      return {};
    std::string step = std::move(steps.back());
    steps.pop_back();
    if (step == "..") { // checked on the way here
      at.resize(std::max<size_t>(at.rfind('/'), 1));
      status = statusOf(at);
      continue;
    }
    std::string next = at == "/" ? at : at + "/";
    next += step;
    status = statusOf(next);
    if (S_ISLNK(status.st_mode)) {
      if (++links > kMaxLinks)
        throwErrno(path, ELOOP);
      if (!trustsAll)
        if (std::string why = check(next, status, users); !why.empty())
          return why;
      std::string target = targetOf(next);
      pushSteps(target, steps);
      if (!target.empty() && target[0] == '/')
        at = "/";
      status = statusOf(at);
      continue;
    }
    if (!S_ISDIR(status.st_mode) && !steps.empty())
      throwErrno(next, ENOTDIR);
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
      return cat("'", next, "' is ", kindOf(status.st_mode), "; only regular files are loaded");
    at = std::move(next);
  }
}

} // namespace ge
