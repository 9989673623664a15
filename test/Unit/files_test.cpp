//===- files_test.cpp - files that are read and replaced --------------------------------------===//
//
// Guarantees under test: a file is replaced whole or not at all; special files are read on request
// only; errors of the system keep number and path; a mapped file that changes on disk is an error,
// one that is renamed over or removed is none; few descriptors serve many files.
//
#include "check.h"

#include "ge/Support/AtomicFile.h"
#include "ge/Support/MappedFile.h"
#include "ge/Support/SystemError.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ge;

/// The message of the error that `action` must throw, of this kind.
template <typename Action> static std::string errorOf(ErrorKind kind, const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    return error.kind() == kind ? error.message() : "another kind: " + error.message();
  }
  return "no error";
}
#define CHECK_ERROR(kind, part, ...)                                                               \
  CHECK(errorOf(kind, [&] { __VA_ARGS__; }).find(part) != std::string::npos)

static std::string contents(const MappedFile &file) {
  std::string bytes(file.size(), '\0');
  file.read(0, bytes.size(), bytes.data());
  return bytes;
}
static std::string contents(const std::string &path) { return contents(*MappedFile::open(path)); }

static void testFiles() {
  std::string directory = std::filesystem::temp_directory_path() / "files_test.XXXXXX";
  if (!::mkdtemp(directory.data())) {
    CHECK(!"mkdtemp");
    return;
  }
  std::string path = directory + "/file";
  CHECK_ERROR(ErrorKind::OS, "No such file", MappedFile::open(path));
  CHECK_ERROR(ErrorKind::OS, directory, MappedFile::open(directory));
  CHECK_ERROR(ErrorKind::OS, "/none/", writeFileAtomically("/none/there", "x"));
  writeFileAtomically(path, "");
  CHECK(MappedFile::open(path)->size() == 0 && contents(path).empty());
  writeFileAtomically(path, "hello");
  ::chmod(path.c_str(), 0640);
  auto old = MappedFile::open(path);
  writeFileAtomically(path, "other text");
  CHECK(contents(*old) == "hello" && contents(path) == "other text");
  struct stat status;
  CHECK(::stat(path.c_str(), &status) == 0 && (status.st_mode & 0777) == 0640);
  // Files on their way to the place of another are private from the first moment on.
  {
    auto here = std::make_shared<const Directory>(directory);
    mode_t umask = ::umask(0);
    std::string name;
    int fd = createTemporary(here->fd(), "file", name, kPrivate);
    CHECK(::fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0600);
    ::unlinkat(here->fd(), name.c_str(), 0);
    ::close(fd);
    AtomicFile data(here, "data", kPrivate);
    CHECK(::stat((directory + "/data").c_str(), &status) == 0 && (status.st_mode & 0777) == 0600);
    data.copyAttributes("file");
    CHECK(::stat((directory + "/data").c_str(), &status) == 0 && (status.st_mode & 0777) == 0640);
    ::umask(umask);
  }
  std::string link = path + ".link";
  CHECK(::symlink(path.c_str(), link.c_str()) == 0);
  writeFileAtomically(link, "through");
  CHECK(contents(path) == "through");
  // What is no regular file is read when it is asked for, and else refused without waiting.
  std::string pipe = path + ".pipe";
  CHECK(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_ERROR(ErrorKind::OS, "not a regular file but a pipe", MappedFile::open(pipe));
  CHECK_ERROR(ErrorKind::OS, "not a regular file but a pipe",
              MappedFile::open(pipe, SpecialFiles::Refuse));
  CHECK_ERROR(ErrorKind::OS, "not a regular file but a device", MappedFile::open("/dev/zero"));
  CHECK(MappedFile::open("/dev/null")->size() == 0);
  CHECK_ERROR(ErrorKind::OS, "device", MappedFile::open("/dev/null", SpecialFiles::Refuse));
  std::thread writer([&] {
    int fd = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    CHECK(::write(fd, "piped", 5) == 5);
    ::close(fd);
  });
  CHECK(readFile(pipe, SpecialFiles::Allow) == "piped");
  writer.join();
  ::unlink(pipe.c_str());
#ifdef __linux__
  CHECK_ERROR(ErrorKind::OS, "made by the kernel", MappedFile::open("/proc/self/status"));
  CHECK(readFile("/proc/self/status", SpecialFiles::Allow).find("Name:") != std::string::npos);
#endif
  CHECK(readFile(path) == "through");
  try {
    MappedFile::open(path + ".none");
    CHECK(false);
  } catch (const SystemError &error) {
    CHECK(error.code() == ENOENT && error.path() == path + ".none" &&
          error.reason() == "No such file or directory");
  }
  ::unlink(link.c_str());
  ::unlink(path.c_str());
  CHECK(::rmdir(directory.c_str()) == 0); // no temporary file stayed
}

static void append(const std::string &path, std::string_view text) {
  int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  CHECK(::write(fd, text.data(), text.size()) == ssize_t(text.size()));
  ::close(fd);
}

/// Names below a directory that is open already, whatever is put in their place.
static void testDirectories() {
  std::string directory = std::filesystem::temp_directory_path() / "files_test.XXXXXX";
  if (!::mkdtemp(directory.data())) {
    CHECK(!"mkdtemp");
    return;
  }
  namespace fs = std::filesystem;
  std::string inside = directory + "/inside", outside = directory + "/outside";
  fs::create_directories(inside + "/sub");
  fs::create_directories(outside + "/sub");
  for (const std::string &place : {inside, outside})
    for (const char *name : {"/file", "/sub/file"})
      writeFileAtomically(place + name, place == inside ? "mine" : "secret");
  fs::create_symlink("../outside/file", inside + "/link");
  fs::create_symlink("../outside/sub", inside + "/linked");
  CHECK(::mkfifo((inside + "/pipe").c_str(), 0600) == 0);

  auto here = std::make_shared<const Directory>(inside);
  auto codeOf = [&](const std::string &name) {
    try {
      InputFile file(*here, name, name);
      return 0;
    } catch (const SystemError &error) {
      CHECK(error.path() == name || name.find('\0') != std::string::npos);
      return error.code();
    }
  };
  auto textOf = [&](const std::string &name) { return InputFile(*here, name, name).readAll(); };
  auto testNames = [&] {
    CHECK(textOf("file") == "mine" && textOf("sub/file") == "mine");
    CHECK(textOf("./sub//./file") == "mine");
    CHECK(codeOf("link") == ELOOP && codeOf("linked/file") == ENOTDIR);
    CHECK(codeOf("sub/../file") == EINVAL && codeOf("../outside/file") == EINVAL);
    CHECK(codeOf("pipe") == EINVAL && codeOf("sub") == EISDIR && codeOf("none") == ENOENT);
    CHECK(codeOf("file/x") == ENOTDIR && codeOf(std::string("a\0b", 3)) == EINVAL);
  };
  testNames();
  // The same when the path leads elsewhere.
  std::string moved = directory + "/moved";
  fs::rename(inside, moved);
  fs::create_directory_symlink(outside, inside);
  testNames();
  CHECK(contents(*MappedFile::of(InputFile(*here, "file", "file"))) == "mine");
  CHECK(InputFile(inside + "/file", SpecialFiles::Refuse, here.get()).readAll() == "mine");
  CHECK(InputFile(inside + "/file", SpecialFiles::Refuse).readAll() == "secret");

  // What is written goes to that directory, and a link that appears is replaced, not followed.
  {
    AtomicFile out(here, "new", WriteOptions{});
    AtomicFile literal(moved + "/literal", {.isNew = false, .noLinks = true});
    AtomicFile first(moved + "/first", {.isNew = true});
    for (AtomicFile *file : {&out, &literal, &first})
      file->append("written");
    for (const char *name : {"/new", "/literal", "/first"})
      fs::create_symlink("../outside/file", moved + name);
    out.commit();
    literal.commit();
    CHECK_ERROR(ErrorKind::OS, "File exists", first.commit());
  }
  for (const char *name : {"/new", "/literal"})
    CHECK(!fs::is_symlink(moved + name) && contents(moved + name) == "written");
  CHECK_ERROR(ErrorKind::OS, "Too many levels", AtomicFile(here, "link", WriteOptions{}));
  CHECK_ERROR(ErrorKind::OS, "File exists", AtomicFile(here, "link", {.isNew = true}));
  CHECK_ERROR(ErrorKind::OS, "Invalid argument", AtomicFile(here, "pipe", {.allowPipe = true}));
  CHECK_ERROR(ErrorKind::OS, "Is a directory", AtomicFile(here, "sub", WriteOptions{}));
  CHECK(contents(outside + "/file") == "secret");
  std::filesystem::remove_all(directory);
}

/// What happens to a file while it is mapped. Without the descriptors that the cache keeps, the
/// mapping is read through the kernel.
static void testChanges(bool closeDescriptors) {
  std::string directory = std::filesystem::temp_directory_path() / "files_test.XXXXXX";
  if (!::mkdtemp(directory.data())) {
    CHECK(!"mkdtemp");
    return;
  }
  std::string path = directory + "/file", kept = directory + "/kept";
  std::string text(20000, 'a');
  char last = 0;
  auto open = [&] {
    writeFileAtomically(path, text);
    auto file = MappedFile::open(path);
    if (closeDescriptors)
      for (int fd = 3; fd != 64; ++fd)
        ::close(fd);
    return file;
  };
  constexpr std::string_view kChanged = "changed on disk while it was in use";

  auto file = open();
  CHECK(file->isMapped() && contents(*file) == text && file->isAt(path));
  file->check();
  append(path, "more");
  CHECK_ERROR(ErrorKind::Model, kChanged, contents(*file));
  CHECK_ERROR(ErrorKind::Model, path, file->check());
  CHECK_ERROR(ErrorKind::Model, kChanged, file->reopen());
  CHECK(!file->isAt(path));

  file = open();
  CHECK(::truncate(path.c_str(), 100) == 0);
  CHECK_ERROR(ErrorKind::Model, kChanged, file->read(19999, 1, &last));
  CHECK_ERROR(ErrorKind::Model, kChanged, file->read(0, 1, &last));

  // Another file at the path leaves the mapping as it was; so does none.
  file = open();
  writeFileAtomically(path, "another file");
  CHECK(contents(*file) == text && !file->reopen() && !file->isAt(path));
  file->check();
  file = open();
  ::unlink(path.c_str());
  CHECK(contents(*file) == text);
  file->check();

  // What is renamed and then shortened is seen by its descriptor, or by the missing pages.
  file = open();
  CHECK(::rename(path.c_str(), kept.c_str()) == 0 && ::truncate(kept.c_str(), 100) == 0);
  CHECK_ERROR(ErrorKind::Model, kChanged, file->read(0, 20000, text.data()));
  CHECK_ERROR(ErrorKind::Model, kChanged, file->check());
  text.assign(20000, 'a');
  file.reset();

  // Saving copies what did not change.
  for (size_t size : {size_t(1000), size_t(20000)}) {
    file = open();
    {
      AtomicFile out(directory + "/out");
      out.append(*file, 0, size);
      out.commit();
    }
    CHECK(contents(directory + "/out") == text.substr(0, size));
    append(path, "more");
    AtomicFile out(directory + "/out");
    CHECK_ERROR(ErrorKind::Model, kChanged, out.append(*file, 0, size));
  }
  file.reset();
  std::filesystem::remove_all(directory);
}

/// More files than descriptors are kept for, read by several threads.
static void testManyFiles() {
  constexpr size_t kFiles = 300, kThreads = 4;
  std::string directory = std::filesystem::temp_directory_path() / "files_test.XXXXXX";
  if (!::mkdtemp(directory.data())) {
    CHECK(!"mkdtemp");
    return;
  }
  auto descriptors = [] {
    size_t count = 0;
    for (int fd = 0; fd != 1024; ++fd)
      count += ::fcntl(fd, F_GETFD) >= 0;
    return count;
  };
  size_t before = descriptors();
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (size_t i = 0; i != kFiles; ++i) {
    std::string path = cat(directory, "/", i);
    writeFileAtomically(path, cat("contents of ", i));
    files.push_back(MappedFile::open(path));
  }
  CHECK(descriptors() <= before + 64);
  std::atomic<size_t> wrong = 0;
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread != kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (size_t i = thread; i < kFiles * 3; ++i)
        wrong += contents(*files[i % kFiles]) != cat("contents of ", i % kFiles);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
  CHECK(descriptors() <= before + 64);
  files.clear();
  CHECK(descriptors() == before);
  std::filesystem::remove_all(directory);
}

int main() {
  testFiles();
  testDirectories();
  testChanges(false);
  testChanges(true);
  testManyFiles();
  return checkSummary();
}
