//===- main.cpp - ge-opt: text in, text out -------------------------------------------------------===//
#include "../Print.h"
#include "Diagnostics.h"
#include "Options.h"
#include "Plugins.h"

#include "ge-c/Files.h"

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
#include <utility>
#include <vector>

using namespace geopt;

namespace {

/// An error of the system: what failed, and for which file.
int systemError(const char *what, const std::string &path) {
  const char *reason = std::strerror(errno);
  getools::print(stderr,
                 std::string("ge-opt: cannot ") + what + " '" + path + "': " + reason + "\n");
  return kFailed;
}

GeStringRef stringRef(std::string_view text) { return {text.data(), text.size()}; }
std::string str(GeStringRef text) { return {text.data ? text.data : "", text.length}; }

void append(GeStringRef text, void *to) {
  static_cast<std::string *>(to)->append(text.data, text.length);
}

/// The standard input, up to the 2 GiB that pipes may give.
bool readInput(std::string &out) {
  constexpr size_t kMost = size_t(1) << 31;
  for (;;) {
    size_t size = out.size(), room = std::max<size_t>(out.capacity() - size, 1 << 16);
    out.resize(size + room);
    ssize_t count = read(STDIN_FILENO, out.data() + size, room);
    out.resize(size + size_t(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno != EINTR)
      return false;
    if (count == 0)
      return true;
    if (out.size() > kMost) {
      errno = EFBIG;
      return false;
    }
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

/// Writes the complete file or nothing, except for the standard output and files that
/// `--allow-pipe` permits.
int writeOutput(const std::string &path, std::string_view text, bool allowPipe) {
  if (path == "-" && isatty(STDOUT_FILENO)) {
    getools::print(stdout, text);
    return std::fflush(stdout) == 0 ? int(kDone) : systemError("write to", "-");
  }
  if (path == "-")
    return writeAll(STDOUT_FILENO, text) ? int(kDone) : systemError("write to", "-");
  GeFileWriteOptions options = {sizeof options, false, allowPipe, false};
  if (geFileWrite({path.data(), path.size()}, text.data(), text.size(), &options) == GE_OK)
    return kDone;
  getools::print(stderr, "ge-opt: " + str(geErrorMessage()) + "\n");
  return kFailed;
}

/// The pieces between lines that start with `// -----`.
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

void toStandardError(GeStringRef text, void *) { getools::print(stderr, {text.data, text.length}); }

int listPasses() {
  GeStatus status = gePassForEach(
      [](const GePassInfo *info, void *) {
        std::string text = str(info->name) + "\n    " + str(info->doc) + "\n";
        if (info->origin.length)
          text += "    (" + str(info->kind) + (info->stage.length ? ", " : "") + str(info->stage) +
                  ", " + str(info->origin) + ")\n";
        if (info->pipeline.length)
          text += "    = " + str(info->pipeline) + "\n";
        if (info->exactness.length) {
          text += "    [" + str(info->exactness);
          for (size_t i = 0; i < info->numRewrites; ++i)
            text += "; " + str(info->rewrites[i].exactness) + ": " + str(info->rewrites[i].what);
          text += "]\n";
        }
        for (size_t i = 0; i < info->numOptions; ++i) {
          const GePassOption &option = info->options[i];
          text +=
              "    {" + str(option.name) + "=" + str(option.value) + "}  " + str(option.doc) + "\n";
        }
        getools::print(stdout, text);
      },
      nullptr);
  return status == GE_OK ? kDone : kFailed;
}

std::vector<GePassOption> runOptionsOf(const Options &options) {
  std::vector<GePassOption> all;
  for (const auto &[name, value] : options.runOptions)
    all.push_back({sizeof(GePassOption), stringRef(name), stringRef(value), {"", 0}});
  return all;
}

class Driver {
public:
  Driver(const Options &options, std::string file, GePassManager *passes)
      : options_(options), file_(std::move(file)), passes_(passes) {}

  /// Appends the text of one piece; returns false when it or its check failed.
  bool run(const Piece &piece, std::string &out) {
    diagnostics_.clear();
    GeContext *context = nullptr;
    if (geContextCreate(&context) != GE_OK)
      return finish(piece, false);
    bool ok = run(context, piece, out);
    geContextRelease(context);
    return ok;
  }

private:
  bool run(GeContext *context, const Piece &piece, std::string &out) {
    GeParseOptions parse = {sizeof parse, options_.verify || passes_};
    GeModule *module = nullptr;
    if (geModuleParse(context, stringRef(piece.text), stringRef(file_), &parse, &module) != GE_OK)
      return finish(piece, false);
    bool ok = !options_.verify || geModuleVerify(module) == GE_OK;
    if (ok && passes_)
      ok = runPasses(module, piece);
    if (ok)
      ok = geModulePrint(module, &options_.print, append, &out) == GE_OK;
    // Read the diagnostics of the last failing call before the release.
    bool result = finish(piece, ok);
    geModuleRelease(module);
    return result;
  }

  bool runPasses(GeModule *module, const Piece &piece) {
    GePassRunOptions run;
    gePassRunOptionsInit(&run, sizeof run);
    std::vector<GePassOption> runOptions = runOptionsOf(options_);
    run.numOptions = runOptions.size();
    run.options = runOptions.data();
    run.verify = options_.verifyEach;
    run.trace = !options_.trace.empty();
    run.skipFailures = options_.keepGoing;
    run.printBefore = options_.printBefore;
    run.printAfter = options_.printAfter;
    run.printChanged = options_.printChanged;
    run.printFailed = options_.printFailed;
    run.hasBisectLimit = options_.hasBisectLimit;
    run.bisectLimit = options_.bisectLimit;
    run.hasRewriteLimit = options_.hasRewriteLimit;
    run.rewriteLimit = options_.rewriteLimit;
    run.print = &options_.print;
    run.sink = toStandardError;
    run.treeDirectory = stringRef(options_.treeDirectory);
    run.reproducer = stringRef(options_.reproducer);
    GePassReport *report = nullptr;
    if (gePassReportCreate(&report) != GE_OK)
      return false;
    bool ok = gePassManagerRunModule(passes_, module, &run, report) == GE_OK;
    collect(report, piece);
    if (options_.timing)
      static_cast<void>(gePassReportPrint(report, GE_PASS_TIMING, toStandardError, nullptr));
    if (options_.statistics)
      static_cast<void>(gePassReportPrint(report, GE_PASS_STATISTICS, toStandardError, nullptr));
    if (!options_.trace.empty()) {
      std::string text;
      static_cast<void>(gePassReportPrint(report, GE_PASS_TRACE, append, &text));
      isTraceWritten_ &= writeOutput(options_.trace, text, options_.allowPipe) == kDone;
    }
    gePassReportDestroy(report);
    return ok;
  }

  /// Prints remarks, and the failures after which the run continued.
  void collect(GePassReport *report, const Piece &piece) {
    for (size_t i = 0; i < gePassReportNumRemarks(report); ++i) {
      GeDiagnostic remark;
      if (gePassReportGetRemark(report, i, &remark) == GE_OK)
        diagnostics_.push_back(copy(remark, piece, file_));
    }
    for (size_t i = 0; i < gePassReportSize(report); ++i) {
      GePassRecord record;
      if (gePassReportGet(report, i, &record) != GE_OK)
        continue;
      for (size_t j = 0; j < record.numRemarks; ++j) {
        GeDiagnostic remark;
        if (gePassRecordGetRemark(&record, j, &remark) == GE_OK)
          diagnostics_.push_back(copy(remark, piece, file_));
      }
      GeDiagnostic error;
      if (record.outcome == GE_PASS_FAILED && options_.keepGoing &&
          gePassRecordGetError(&record, &error) == GE_OK) {
        diagnostics_.push_back(copy(error, piece, file_));
        hasFailure_ = true;
      }
    }
  }

  bool finish(const Piece &piece, bool ok) {
    std::vector<Diagnostic> diagnostics = std::move(diagnostics_);
    if (!ok)
      for (Diagnostic &diagnostic : lastDiagnostics(piece, file_))
        diagnostics.push_back(std::move(diagnostic));
    bool hasFailure = std::exchange(hasFailure_, false);
    if (options_.verifyDiagnostics)
      return asExpected(piece, file_, diagnostics) && isTraceWritten_;
    for (const Diagnostic &diagnostic : diagnostics)
      show(diagnostic);
    // What is left of a graph after failures is printed, but the exit status is that of a failure.
    isComplete_ &= !hasFailure;
    return ok && isTraceWritten_;
  }

public:
  bool isComplete() const { return isComplete_; }

private:
  const Options &options_;
  std::string file_;
  GePassManager *passes_;
  std::vector<Diagnostic> diagnostics_;
  bool hasFailure_ = false, isComplete_ = true, isTraceWritten_ = true;
};

/// Options from the first line of a reproducer.
bool readReproducer(std::string_view text, std::string &pipeline) {
  static constexpr std::string_view kMark = "// ge-opt --run-reproducer: ";
  if (!text.starts_with(kMark)) {
    getools::print(stderr, "ge-opt: the input does not begin with '" + std::string(kMark) +
                               "<pipeline>'\n");
    return false;
  }
  pipeline = text.substr(kMark.size(), text.find('\n') - kMark.size());
  return true;
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  int exitCode = kDone;
  if (!parseOptions(count, arguments, options, exitCode))
    return exitCode;
  Plugins plugins;
  int loaded = plugins.load(options);
  if (loaded == kUsage || !plugins.areUsable())
    return loaded;
  if (options.listPasses) {
    if (options.verbose)
      Plugins::list();
    return std::max(listPasses(), loaded);
  }
  std::string text;
  bool isStandard = options.input == "-";
  if (isStandard) {
    if (!readInput(text))
      return systemError("read", options.input);
  } else if (geFileRead(stringRef(options.input), options.allowPipe, append, &text) != GE_OK) {
    getools::print(stderr, "ge-opt: " + str(geErrorMessage()) + "\n");
    return kFailed;
  }

  if (options.runReproducer) {
    if (!readReproducer(text, options.pipeline))
      return kFailed;
    options.hasPipeline = true;
  }
  GePassManager *passes = nullptr;
  /// Destroyed before the plugins are unloaded.
  struct Destroy {
    GePassManager *const &passes;
    ~Destroy() { gePassManagerDestroy(passes); }
  } destroy{passes};
  if (options.hasPipeline && gePassManagerParse(stringRef(options.pipeline), &passes) != GE_OK) {
    for (const Diagnostic &diagnostic : lastDiagnostics({}, ""))
      show(diagnostic);
    return kUsage;
  }

  if (!options.stage.empty()) {
    std::vector<GePassOption> given = runOptionsOf(options);
    bool ok = passes || gePassManagerParse(stringRef(""), &passes) == GE_OK;
    if (!ok || gePassManagerAddStage(passes, stringRef(options.stage), given.data(),
                                     given.size()) != GE_OK) {
      for (const Diagnostic &diagnostic : lastDiagnostics({}, ""))
        show(diagnostic);
      return kUsage;
    }
  }

  std::vector<Piece> pieces = options.splitInput ? split(text) : std::vector<Piece>{{text}};
  Driver driver(options, isStandard ? "<stdin>" : options.input, passes);
  std::string out;
  bool ok = true;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i)
      out += "// -----\n";
    ok = driver.run(pieces[i], out) && ok;
  }
  if (!ok)
    return kFailed;
  int code = writeOutput(options.output, out, options.allowPipe);
  return code == kDone && !driver.isComplete() ? int(kFailed) : std::max(code, loaded);
}
