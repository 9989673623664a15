//===- Interpreter.cpp ----------------------------------------------------------------------------===//
#include "Interpreter.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace gebridge {

namespace {

bool isFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}
bool isProgram(const std::string &path) { return isFile(path) && access(path.c_str(), X_OK) == 0; }

std::string directoryOf(const std::string &path) { return path.substr(0, path.rfind('/')); }
std::string nameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string realPath(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : "";
  std::free(resolved);
  return result;
}

/// Searches $PATH for a program, as a shell does; empty if there is none.
std::string onPath(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return isProgram(name) ? name : "";
  const char *path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    std::string_view directory = rest.substr(0, rest.find(':'));
    std::string file = (directory.empty() ? "." : std::string(directory)) + "/" + name;
    if (isProgram(file))
      return file;
    if (directory.size() == rest.size())
      return "";
    rest.remove_prefix(directory.size() + 1);
  }
}

/// Time limit for the start of an interpreter, generous enough for slow file systems.
constexpr int kMostSeconds = 30;

/// Milliseconds until `end`, not below 0.
int millisecondsTo(std::chrono::steady_clock::time_point end) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  return int(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

/// Reads to the end of a pipe; false on a timeout.
bool readAll(int pipe, std::string &out) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
  for (;;) {
    pollfd waiting = {pipe, POLLIN, 0};
    int ready = poll(&waiting, 1, millisecondsTo(end));
    if (ready == 0)
      return false;
    char buffer[4096];
    ssize_t count = ready < 0 ? -1 : read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return true;
    if (out.size() < (1 << 16))
      out.append(buffer, size_t(count));
  }
}

/// Runs a program and collects its output. Returns its exit status, or -1 and errno. A program that
/// exceeds the time limit is killed.
int run(const std::vector<std::string> &command, std::string &printed) {
  int ends[2];
  // Close-on-exec: a program that another thread starts would hold this pipe's end open.
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  int status = -1;
  if (error == 0) {
    if (!readAll(ends[0], printed)) {
      kill(child, SIGKILL);
      error = ETIMEDOUT;
    }
    int waited;
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    if (waited < 0)
      status = 0; // the host ignores SIGCHLD, so there is no status: rely on the output
  }
  close(ends[0]);
  errno = error;
  return error ? -1 : status;
}

/// Prints, one per line: the program, the version, 1 or 0 for free-threaded, and library
/// directories.
constexpr char kQuestion[] =
    "import sys, sysconfig, os\n"
    "g = lambda n: sysconfig.get_config_var(n) or ''\n"
    "names = [g('INSTSONAME'), g('LDLIBRARY'), 'libpython%d.%d.so.1.0' % sys.version_info[:2]]\n"
    "names = [n for n in names if '.so' in n]\n"
    "dirs = [g('LIBDIR'), os.path.join(g('LIBDIR'), g('MULTIARCH')), os.path.join(sys.base_prefix, "
    "'lib')]\n"
    "print('GE', sys.executable, '%d.%d' % sys.version_info[:2], int(bool(g('Py_GIL_DISABLED'))),\n"
    "      *[os.path.join(d, n) for n in names for d in dirs], sep='\\n')\n";

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

/// Returns the line of a program's output that describes the error.
std::string complaintOf(const std::string &printed) {
  std::vector<std::string> lines = linesOf(printed);
  std::string found = lines.empty() ? "it printed nothing" : lines.back();
  for (const std::string &line : lines)
    if (line.find("rror") != std::string::npos) {
      found = line;
      break;
    }
  return found.substr(0, 200);
}

/// What of the environment may keep any interpreter from starting.
std::string settingsOf() {
  std::string text;
  for (const char *name : {"PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONPATH"})
    if (const char *value = std::getenv(name); value && *value)
      text += std::string(text.empty() ? "; unset what is wrong of " : ", ") + name + "=" + value;
  return text;
}

bool isOld(const std::string &minor) {
  int number = 0;
  if (minor.rfind("3.", 0) == 0)
    std::from_chars(minor.data() + 2, minor.data() + minor.size(), number);
  return number < 10;
}

/// Without running it: an ordinary program python3.N whose library is in ../lib.
bool guess(const std::string &program, Installed &out) {
  // A wrong value of a PYTHON* variable makes CPython end the process that initialises it, so such
  // values are tried in another process first. Variables without wrong values need no try.
  for (char **variable = environ; *variable; ++variable) {
    std::string_view name = std::string_view(*variable).substr(0, std::strcspn(*variable, "="));
    constexpr std::string_view kHarmless[] = {"PYTHONPATH", "PYTHONUNBUFFERED",
                                              "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE"};
    if (name.starts_with("PYTHON") && std::ranges::find(kHarmless, name) == std::end(kHarmless))
      return false;
  }
  std::string file = realPath(program), name = nameOf(file);
  std::string minor = name.rfind("python", 0) == 0 ? name.substr(6) : "";
  if (minor.find_first_not_of("0123456789.") != std::string::npos || isOld(minor))
    return false;
  std::string library = directoryOf(directoryOf(file)) + "/lib/libpython" + minor + ".so.1.0";
  if (!isFile(library))
    return false;
  out = {program, library, minor};
  return true;
}

/// Returns false, with the reason in `why`, if the program is not usable.
bool look(const std::string &program, Installed &out, std::string &why) {
  if (guess(program, out))
    return true;
  std::string printed;
  int status = run({program, "-S", "-c", kQuestion}, printed);
  if (status == -1) {
    why = errno == ETIMEDOUT ? "did not answer within " + std::to_string(kMostSeconds) + " seconds"
                             : std::string("cannot be run: ") + std::strerror(errno);
    return false;
  }
  std::vector<std::string> lines = linesOf(printed);
  size_t first = 0;
  while (first < lines.size() && lines[first] != "GE") // a wrapper may print something before it
    ++first;
  if (status != 0 || first + 4 > lines.size()) {
    why = "is no Python that starts: " + complaintOf(printed) + settingsOf();
    return false;
  }
  const std::string &minor = lines[first + 2];
  if (isOld(minor)) {
    why = "is Python " + minor + "; GE needs 3.10 or later";
    return false;
  }
  if (lines[first + 3] == "1") {
    why = "is a free-threaded Python " + minor + ", which GE's modules are not built for";
    return false;
  }
  for (size_t i = first + 4; i < lines.size(); ++i)
    if (isFile(lines[i])) {
      out = {lines[first + 1].empty() ? program : lines[first + 1], lines[i], minor};
      return true;
    }
  why = "is Python " + minor +
        " without a shared library, which a native program needs: install libpython" + minor +
        " (Debian, Ubuntu) or python3-libs (Fedora), or build Python with --enable-shared";
  return false;
}

/// `<prefix>/lib/python3.N/site-packages` belongs to the environment `prefix`.
std::string programOfEnvironment(const std::string &directory) {
  std::string library = directoryOf(directory);
  std::string name = nameOf(directory);
  if ((name != "site-packages" && name != "dist-packages") ||
      nameOf(library).rfind("python3", 0) != 0)
    return "";
  return directoryOf(directoryOf(library)) + "/bin/" + nameOf(library);
}

} // namespace

bool findInstalled(const char *chosen, const std::string &directory, Installed &out,
                   std::string &why) {
  std::string reason;
  auto use = [&](const std::string &what, const std::string &program) {
    if (look(program, out, reason))
      return true;
    why += "\n  " + what + ": " + program + " " + reason;
    return false;
  };
  for (const auto &[what, text] :
       {std::pair("the option 'python'", chosen),
        std::pair("$GE_PYTHON", const_cast<const char *>(std::getenv("GE_PYTHON")))}) {
    if (!text || !*text)
      continue;
    // An explicitly chosen interpreter that does not work is an error: another one would have other
    // packages.
    std::string program = onPath(text);
    if (!program.empty())
      return use(what, program);
    why += std::string("\n  ") + what + ": there is no program '" + text + "'";
    return false;
  }
  const char *environment = std::getenv("VIRTUAL_ENV");
  std::string own = programOfEnvironment(directory);
  struct Try {
    std::string what, program;
  };
  const Try tries[] = {
      {"$VIRTUAL_ENV", environment && *environment ? std::string(environment) + "/bin/python" : ""},
      {"the environment that GE is installed in", own},
      {"python3 of $PATH", onPath("python3")}};
  for (const Try &one : tries) {
    if (!one.program.empty() && isProgram(one.program))
      return use(one.what, one.program);
    why += "\n  " + one.what + ": " +
           (one.program.empty() ? "there is none" : one.program + " is not a program");
  }
  return false;
}

} // namespace gebridge
