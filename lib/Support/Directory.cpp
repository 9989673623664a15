//===- Directory.cpp --------------------------------------------------------------------------===//
#include "ge/Support/Directory.h"

#include "ge/Support/InputFile.h"
#include "ge/Support/SystemError.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ge {

Directory::Directory(const std::string &path, std::string_view what) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
#ifdef O_PATH
  if (fd_ < 0 && errno == EACCES) // the directory may be searchable but not readable
    fd_ = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
#endif
  if (fd_ < 0)
    throw SystemError(cat("cannot open ", what), path, errno);
}

Directory::Directory(FileDescriptor open, std::string path)
    : path_(std::move(path)), fd_(open.release()) {}

Directory::~Directory() { ::close(fd_); }

void Directory::sync() const { static_cast<void>(::fsync(fd_)); }

SplitPath::SplitPath(const std::string &path) {
  size_t slash = path.rfind('/');
  directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  name = path.substr(slash + 1);
}

} // namespace ge
