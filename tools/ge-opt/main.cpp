//===- main.cpp - ge-opt: text in, text out -------------------------------------------------------===//
#include "Diagnostics.h"
#include "Options.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace geopt;

namespace {

/// A failure of the system: what could not be done to which file.
int systemError(const char *what, const std::string &path) {
  std::fprintf(stderr, "ge-opt: cannot %s '%s': %s\n", what, path.c_str(), std::strerror(errno));
  return kFailed;
}

bool readAll(int file, std::string &out) {
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    out.reserve(size_t(status.st_size) + 1);
  for (;;) {
    size_t size = out.size(), room = std::max<size_t>(out.capacity() - size, 1 << 16);
    out.resize(size + room);
    ssize_t count = read(file, out.data() + size, room);
    out.resize(size + size_t(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno != EINTR)
      return false;
    if (count == 0)
      return true;
  }
}

bool writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return false;
    text.remove_prefix(size_t(std::max<ssize_t>(count, 0)));
  }
  return true;
}

/// All or nothing: into a file beside it, which then takes its name.
int writeOutput(const std::string &path, std::string_view text) {
  if (path == "-")
    return writeAll(STDOUT_FILENO, text) ? int(kDone) : systemError("write to", "-");
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    // A pipe or a device cannot be replaced.
    int file = open(path.c_str(), O_WRONLY | O_TRUNC);
    bool ok = file >= 0 && writeAll(file, text);
    ok = file >= 0 && close(file) == 0 && ok;
    return ok ? int(kDone) : systemError("write to", path);
  }
  std::string temporary = path + ".XXXXXX";
  int file = mkstemp(temporary.data());
  if (file < 0)
    return systemError("create a file beside", path);
  mode_t mask = umask(0);
  umask(mask);
  bool ok = writeAll(file, text) && fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0;
  ok = close(file) == 0 && ok;
  if (ok && rename(temporary.c_str(), path.c_str()) == 0)
    return kDone;
  int code = systemError("write to", path);
  unlink(temporary.c_str());
  return code;
}

/// Between lines that start with `// -----`.
std::vector<Piece> split(std::string_view text) {
  std::vector<Piece> pieces;
  size_t start = 0, at = 0;
  uint32_t line = 0, firstLine = 0;
  while (at < text.size()) {
    size_t stop = std::min(text.find('\n', at), text.size());
    ++line;
    if (text.substr(at, stop - at).starts_with("// -----")) {
      pieces.push_back({text.substr(start, at - start), firstLine});
      start = std::min(stop + 1, text.size());
      firstLine = line;
    }
    at = stop + 1;
  }
  pieces.push_back({text.substr(start), firstLine});
  return pieces;
}

class Driver {
public:
  Driver(const Options &options, std::string file) : options_(options), file_(std::move(file)) {}

  /// Appends the text of one piece; false when it, or a check of it, failed.
  bool run(const Piece &piece, std::string &out) {
    GeContext *context = nullptr;
    if (geContextCreate(&context) != GE_OK)
      return finish(piece, false);
    bool ok = run(context, piece, out);
    geContextRelease(context);
    return ok;
  }

private:
  bool run(GeContext *context, const Piece &piece, std::string &out) {
    GeParseOptions parse = {options_.verify};
    GeModule *module = nullptr;
    if (geModuleParseWith(context, {piece.text.data(), piece.text.size()},
                          {file_.data(), file_.size()}, &parse, &module) != GE_OK)
      return finish(piece, false);
    bool ok = !options_.verify || geModuleVerify(module) == GE_OK;
    if (ok)
      ok = geModulePrint(
               module, &options_.print,
               [](GeStringRef text, void *to) {
                 static_cast<std::string *>(to)->append(text.data, text.length);
               },
               &out) == GE_OK;
    // The diagnostics are those of the last failing call; release comes after.
    bool result = finish(piece, ok);
    geModuleRelease(module);
    return result;
  }

  bool finish(const Piece &piece, bool ok) {
    std::vector<Diagnostic> diagnostics;
    if (!ok)
      diagnostics = lastDiagnostics(piece, file_);
    if (options_.verifyDiagnostics)
      return asExpected(piece, file_, diagnostics);
    for (const Diagnostic &diagnostic : diagnostics)
      show(diagnostic);
    return ok;
  }

  const Options &options_;
  std::string file_;
};

} // namespace

int main(int count, char **arguments) {
  Options options;
  int exitCode = kDone;
  if (!parseOptions(count, arguments, options, exitCode))
    return exitCode;
  std::string text;
  bool isStandard = options.input == "-";
  int file = isStandard ? STDIN_FILENO : open(options.input.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", options.input);
  if (!readAll(file, text))
    return systemError("read", options.input);
  if (!isStandard)
    close(file);

  std::vector<Piece> pieces = options.splitInput ? split(text) : std::vector<Piece>{{text}};
  Driver driver(options, isStandard ? "<stdin>" : options.input);
  std::string out;
  bool ok = true;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i)
      out += "// -----\n";
    ok = driver.run(pieces[i], out) && ok;
  }
  return ok ? writeOutput(options.output, out) : int(kFailed);
}
