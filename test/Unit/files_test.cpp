//===- files_test.cpp - files that are read and replaced --------------------------------------===//
//
// Guarantees under test: a file is replaced whole or not at all; special files are read on request
// only; errors of the system keep number and path.
//
#include "ge/Support/AtomicFile.h"
#include "ge/Support/MappedFile.h"
#include "ge/Support/SystemError.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ge;

static int failures = 0;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                 \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (false)

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
  CHECK(MappedFile::open(path)->size() == 0 && MappedFile::open(path)->bytes().empty());
  writeFileAtomically(path, "hello");
  ::chmod(path.c_str(), 0640);
  auto old = MappedFile::open(path);
  writeFileAtomically(path, "other text");
  CHECK(old->bytes() == "hello" && MappedFile::open(path)->bytes() == "other text");
  struct stat status;
  CHECK(::stat(path.c_str(), &status) == 0 && (status.st_mode & 0777) == 0640);
  std::string link = path + ".link";
  CHECK(::symlink(path.c_str(), link.c_str()) == 0);
  writeFileAtomically(link, "through");
  CHECK(MappedFile::open(path)->bytes() == "through");
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

int main() {
  testFiles();
  return failures != 0;
}
