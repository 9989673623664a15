//===- Output.cpp -----------------------------------------------------------------------------===//
#include "Output.h"

#include "References.h"

#include "ge/Support/InputFile.h"
#include "ge/Support/MappedFile.h"
#include "ge/Support/SystemError.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ge::onnx {

static std::string seriesName(std::string_view output, uint64_t number) {
  return number == 0 ? cat(output, ".data") : cat(output, ".data.", number);
}

static FileKey keyOf(const struct stat &status) {
  return {uint64_t(status.st_dev), uint64_t(status.st_ino)};
}

Output::Output(std::string path, const int *directory) : path_(std::move(path)) {
  if (path_.empty())
    return;
  SplitPath split(path_);
  directoryPath_ = split.directory;
  name_ = split.name;
  if (directory) {
    canHaveData_ = !name_.empty();
    FileDescriptor own(::fcntl(*directory, F_DUPFD_CLOEXEC, 0));
    if (own)
      directory_ = std::make_shared<const Directory>(std::move(own), directoryPath_);
    else
      error_.emplace("cannot write", path_, errno);
    return;
  }
  struct stat status;
  if (isStandardOutput(path_) || (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)))
    return;
  try {
    OutputPlace place = findOutput(path_);
    directory_ = std::move(place.directory);
    directoryPath_ = directory_->path();
    name_ = std::move(place.name);
  } catch (const SystemError &error) {
    error_ = error;
  }
  canHaveData_ = !name_.empty();
}

Output::~Output() { closeJournal(); }

const std::shared_ptr<const Directory> &Output::directory() {
  if (error_)
    throw SystemError(*error_);
  return directory_;
}

bool Output::isSelf(const std::string &name) const {
  return name == name_ || resolveLinks(cat(directoryPath_, "/", name)) ==
                              resolveLinks(cat(directoryPath_, "/", name_));
}

std::unique_ptr<AtomicFile> Output::open(bool isNew, bool allowPipe) {
  WriteOptions options;
  options.isNew = isNew;
  options.allowPipe = allowPipe;
  if (!canHaveData_)
    return std::make_unique<AtomicFile>(path_, options);
  return std::make_unique<AtomicFile>(directory(), name_, options, path_);
}

void Output::copyRights(AtomicFile &to, const std::vector<std::string> &oldData) const {
  to.copyAttributes(oldData.empty() ? name_ : oldData.front(), oldData.empty());
}

bool Output::isOfSeries(std::string_view name) const {
  if (!name.starts_with(name_))
    return false;
  name.remove_prefix(name_.size());
  constexpr std::string_view kData = ".data";
  if (!name.starts_with(kData))
    return false;
  name.remove_prefix(kData.size());
  return name.empty() || (name.size() > 1 && name[0] == '.' && name[1] != '0' &&
                          name.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool Output::keeps(const std::string &location, const std::shared_ptr<const MappedFile> &file) {
  if (!canHaveData_)
    return false;
  auto [it, isNew] = kept_.try_emplace({location, file.get()}, false);
  if (!isNew)
    return it->second;
  if (resolvedDirectory_.empty()) {
    resolvedDirectory_ = resolveLinks(directoryPath_);
    if (!resolvedDirectory_.ends_with('/'))
      resolvedDirectory_ += '/';
  }
  std::string place = cat(directoryPath_, "/", location);
  std::string resolved = resolveLinks(place);
  // The file at the output path is about to become the model.
  it->second = file->isAt(place) && resolved.starts_with(resolvedDirectory_) &&
               resolved != resolvedDirectory_ + name_;
  return it->second;
}

/// Data of an existing model gets its access rights before the first byte; until then it is
/// private.
mode_t Output::newFileMode() {
  struct stat status;
  return ::fstatat(directory()->fd(), name_.c_str(), &status, 0) == 0 ? kPrivate : kPublic;
}

std::unique_ptr<AtomicFile> Output::reserve(std::string &name) {
  if (hasLeftovers())
    removeUnreferenced({});
  openJournal();
  for (uint64_t number = 0;; ++number) {
    name = seriesName(name_, number);
    struct stat status;
    if (::fstatat(directory()->fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
      continue;
    try {
      auto file = std::make_unique<AtomicFile>(directory(), name, newFileMode());
      note(name);
      return file;
    } catch (const SystemError &error) {
      if (error.code() != EEXIST) // another process was faster
        throw;
    }
  }
}

std::unique_ptr<AtomicFile> Output::replace(const std::string &name) {
  WriteOptions options;
  options.temporaryBase = temporaryBase();
  return std::make_unique<AtomicFile>(directory(), name, options);
}

std::unique_ptr<AtomicFile> Output::reserve(const std::string &name, bool overwrite) {
  struct stat status;
  int fd = directory()->fd();
  if (::fstatat(fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::make_unique<AtomicFile>(directory(), name, newFileMode());
  std::string place = cat(directoryPath_, "/", name);
  if (S_ISDIR(status.st_mode))
    throw SystemError("cannot write the external data", place, EISDIR);
  if (overwrite && S_ISLNK(status.st_mode))
    throw SystemError("cannot write the external data", place, ELOOP);
  if (overwrite && S_ISREG(status.st_mode))
    return nullptr;
  if (S_ISREG(status.st_mode) && isOfSeries(name)) {
    uint64_t budget = uint64_t(256) << 20;
    References own;
    addReferences(fd, name_, own, budget);
    References others = referencesInDirectory(fd, [&](std::string_view other) {
      return other != name_ && !isOfSeries(other) && !isTemporaryName(other, temporaryBase()) &&
             !isTemporaryName(other, name_);
    });
    if (own.contains(name, keyOf(status)) && others.isComplete &&
        !others.contains(name, keyOf(status)))
      return nullptr;
  }
  throw SystemError("cannot write the external data", place, EEXIST,
                    "the file exists and is not this model's own data; choose another name, or "
                    "replace it with overwrite=True (--force)");
}

std::vector<std::string> Output::ownData() {
  if (!canHaveData_)
    return {};
  uint64_t budget = uint64_t(256) << 20;
  References own;
  addReferences(directory()->fd(), name_, own, budget);
  std::vector<std::string> names;
  if (own.empty())
    return names;
  for (std::string &name : namesIn(directory()->fd())) {
    struct stat status;
    if (isOfSeries(name) &&
        ::fstatat(directory()->fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && own.contains(name, keyOf(status)))
      names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

void Output::openJournal() {
  if (journal_ < 0)
    journal_ = createTemporary(directory()->fd(), temporaryBase(), journalName_);
  if (journal_ < 0)
    throw SystemError("cannot write", cat(directoryPath_, "/", journalName_), errno);
}

void Output::closeJournal() {
  if (journal_ < 0)
    return;
  ::unlinkat(directory_->fd(), journalName_.c_str(), 0);
  ::close(journal_);
  journal_ = -1;
  journalName_.clear();
}

/// A line of name and inode.
void Output::note(const std::string &name) {
  struct stat status;
  if (::fstatat(directory()->fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  std::string line = cat(name, " ", uint64_t(status.st_ino), "\n");
  // A journal that cannot be written costs nothing but what a killed process leaves.
  static_cast<void>(!::write(journal_, line.data(), line.size()));
}

void Output::noteForRemoval(const std::vector<std::string> &names) {
  if (names.empty())
    return;
  openJournal();
  for (const std::string &name : names)
    note(name);
}

bool Output::hasLeftovers() {
  struct stat status;
  std::string first = canHaveData_ ? temporaryName(temporaryBase(), 0) : std::string();
  return canHaveData_ && first != journalName_ &&
         ::fstatat(directory()->fd(), first.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

namespace {

/// What a journal says: lines of name and inode.
std::map<std::string, uint64_t> readJournal(int fd) {
  constexpr size_t kLongest = 65536; // a longer file is none
  std::map<std::string, uint64_t> entries;
  std::string text(kLongest, '\0');
  ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  if (size <= 0 || size_t(size) == kLongest)
    return entries;
  std::string_view left(text.data(), size_t(size));
  for (size_t end; (end = left.find('\n')) != std::string_view::npos; left.remove_prefix(end + 1)) {
    std::string_view line = left.substr(0, end);
    size_t space = line.rfind(' ');
    uint64_t inode = 0;
    if (space != std::string_view::npos &&
        std::from_chars(line.data() + space + 1, line.data() + line.size(), inode).ec ==
            std::errc())
      entries[std::string(line.substr(0, space))] = inode;
  }
  return entries;
}

} // namespace

void Output::removeUnreferenced(const std::vector<std::string> &names) {
  int fd = directory()->fd();
  std::vector<std::pair<std::string, int>> journals; ///< of killed saves, with their locks
  std::map<std::string, uint64_t> noted;
  bool isEmpty = false;
  std::vector<std::string> there = namesIn(fd);
  std::ranges::sort(there, std::ranges::greater());
  for (const std::string &name : there) {
    if (!isTemporaryName(name, temporaryBase()) || name == journalName_)
      continue;
    int lock = lockAbandoned(fd, name);
    if (lock < 0)
      continue;
    journals.emplace_back(name, lock);
    std::map<std::string, uint64_t> entries = readJournal(lock);
    isEmpty = isEmpty || entries.empty();
    noted.merge(entries);
  }
  std::vector<std::pair<std::string, FileKey>> candidates;
  for (const std::string &name : there) {
    struct stat status;
    if (!isOfSeries(name) || ::fstatat(fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    bool isWanted = std::ranges::find(names, name) != names.end();
    auto entry = noted.find(name);
    // Between the file and its line in the journal, the file is empty.
    bool isLeft = (entry != noted.end() && entry->second == uint64_t(status.st_ino)) ||
                  (isEmpty && status.st_size == 0);
    if (!isWanted && isLeft) {
      int lock = lockAbandoned(fd, name); // not when another process writes it
      isWanted = lock >= 0;
      if (lock >= 0)
        ::close(lock);
    }
    if (isWanted)
      candidates.emplace_back(name, keyOf(status));
  }
  if (!candidates.empty()) {
    References references = referencesInDirectory(fd, [&](std::string_view name) {
      return !isOfSeries(name) && !isTemporaryName(name, temporaryBase()) &&
             !isTemporaryName(name, name_);
    });
    for (const auto &[name, key] : candidates)
      if (references.isComplete && !references.contains(name, key))
        ::unlinkat(fd, name.c_str(), 0);
  }
  // Remove the first slot last: a later save looks there for leftovers.
  for (const auto &[name, lock] : journals) {
    ::unlinkat(fd, name.c_str(), 0);
    ::close(lock);
  }
}

} // namespace ge::onnx
