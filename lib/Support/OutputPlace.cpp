//===- OutputPlace.cpp ------------------------------------------------------------------------===//
#include "ge/Support/OutputPlace.h"

#include "ge/Support/InputFile.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace ge {

namespace {

#ifdef O_PATH // a directory may be searchable but not readable
constexpr int kSearch = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int kSearch = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

/// One path, part by part. A directory is opened before the next part is looked for in it.
class OutputWalk {
public:
  explicit OutputWalk(const std::string &path) : path_(path) {
    if (path.empty() || path.find('\0') != std::string::npos)
      fail(path.empty() ? ENOENT : EINVAL);
    std::string_view last = std::string_view(path).substr(path.rfind('/') + 1);
    isDirectory_ = last.empty() || last == "." || last == "..";
    push(path);
    restart(path[0] == '/');
  }

  OutputPlace run() {
    std::string name;
    while (!steps_.empty()) {
      std::string step = std::move(steps_.back());
      steps_.pop_back();
      if (!steps_.empty() || isDirectory_) {
        enter(step);
      } else if (isLink(step)) {
        follow(step);
      } else {
        name = std::move(step);
        break;
      }
    }
    int fd = ::openat(here_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
      fd = here_.release();
    if (fd < 0)
      fail(errno);
    return {std::make_shared<const Directory>(FileDescriptor(fd), at_.empty() ? "." : at_),
            std::move(name)};
  }

private:
  [[noreturn]] void fail(int code) const { throw SystemError("cannot write", path_, code); }

  /// The parts of a path become the next steps, the first of them last.
  void push(std::string_view path) {
    for (size_t end = path.size(); end != 0;) {
      size_t slash = path.rfind('/', end - 1);
      size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
      if (std::string_view step = path.substr(begin, end - begin); !step.empty() && step != ".")
        steps_.emplace_back(step);
      end = begin ? begin - 1 : 0;
    }
  }

  void restart(bool isAbsolute) {
    at_ = isAbsolute ? "/" : "";
    here_ = FileDescriptor(::open(isAbsolute ? "/" : ".", kSearch));
    if (!here_)
      fail(errno);
  }

  std::string pathOf(std::string_view step) const {
    return cat(at_, at_.empty() || at_.back() == '/' ? "" : "/", step);
  }

  void enter(const std::string &step) {
    int fd = ::openat(here_.get(), step.c_str(), kSearch | O_NOFOLLOW);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR || errno == EMLINK) && isLink(step)) {
      // Links of processes and descriptors are no texts.
      if (!isOfProcesses())
        return follow(step);
      fd = ::openat(here_.get(), step.c_str(), kSearch);
    }
    if (fd < 0)
      fail(errno);
    here_ = FileDescriptor(fd);
    at_ = pathOf(step);
  }

  bool isOfProcesses() const {
#ifdef __linux__
    constexpr decltype(statfs::f_type) kProc = 0x9fa0;
    struct statfs system;
    return ::fstatfs(here_.get(), &system) == 0 && system.f_type == kProc;
#else
    return false;
#endif
  }

  bool isLink(const std::string &step) const {
    struct stat status;
    if (::fstatat(here_.get(), step.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT)
        return false;
      fail(errno);
    }
    return S_ISLNK(status.st_mode);
  }

  /// In a directory with the sticky bit, no other user can exchange a link of this user between the
  /// check and the read.
  void follow(const std::string &step) {
    constexpr int kMostLinks = 40; // Linux's limit
    if (++links_ > kMostLinks)
      fail(ELOOP);
    struct stat link, directory;
    if (::fstatat(here_.get(), step.c_str(), &link, AT_SYMLINK_NOFOLLOW) != 0 ||
        ::fstat(here_.get(), &directory) != 0)
      fail(errno);
    bool isShared =
        (directory.st_mode & S_ISVTX) && (directory.st_mode & mode_t(S_IWGRP | S_IWOTH));
    if (isShared && link.st_uid != ::geteuid() && link.st_uid != directory.st_uid)
      throw RefusedLink("cannot write", path_, EACCES,
                        cat("'", pathOf(step), "' is a link of user ", uint64_t(link.st_uid),
                            " in a directory where everybody may make links (sticky bit); name "
                            "the file that is meant, or remove the link"));
    char target[PATH_MAX];
    ssize_t length = ::readlinkat(here_.get(), step.c_str(), target, sizeof target);
    if (length < 0)
      fail(errno);
    std::string_view text(target, size_t(length));
    push(text);
    if (text.starts_with('/'))
      restart(true);
  }

  const std::string &path_;
  std::vector<std::string> steps_; ///< those to be taken, the next one last
  FileDescriptor here_;
  std::string at_; ///< the path of `here_`, without links
  int links_ = 0;
  bool isDirectory_ = false; ///< the last part is one, too
};

} // namespace

OutputPlace findOutput(const std::string &path) { return OutputWalk(path).run(); }

} // namespace ge
