//===- PassOutput.cpp - texts that a run writes for its user ------------------------------------===//
#include "PassOutput.h"

#include "ge/Support/AtomicFile.h"
#include "ge/Support/OutputPlace.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ge {

namespace {

std::string fileName(uint32_t number, std::string_view pass) {
  std::string digits = std::to_string(number);
  std::string name = std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + "_";
  for (char c : pass) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '.' || c == '_';
    name += plain ? c : '_';
  }
  return name + ".mlir";
}

/// Quotes a text as one word of a POSIX shell, without line ends, so that it stays inside its
/// comment.
std::string shellWord(std::string_view text) {
  auto isPlain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, isPlain))
    return std::string(text);
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("'\\''") : c == '\n' || c == '\r' ? "?" : std::string(1, c);
  return out + "'";
}

/// The options of ge-opt that load the passes of a pipeline element, each once, and the stages of
/// these passes.
void collectOrigins(const PipelineElement &element, std::vector<std::string> &options,
                    std::vector<std::string> &stages) {
  auto addOnce = [](std::vector<std::string> &list, std::string word) {
    if (std::ranges::find(list, word) == list.end())
      list.push_back(std::move(word));
  };
  if (element.info && !element.info->stage.empty())
    addOnce(stages, element.info->stage);
  if (element.info && !element.info->origin.empty()) {
    const std::string &origin = element.info->origin;
    bool isPlugin = origin.ends_with(".so") || origin.find(".so.") != origin.npos;
    addOnce(options, shellWord(cat(isPlugin                  ? "--load-pass-plugin="
                                   : origin.ends_with(".py") ? "--py-pass-path="
                                                             : "--py-pass-module=",
                                   origin)));
  }
  for (const PipelineElement &child : element.children)
    collectOrigins(child, options, stages);
}

/// The comment at the start of a reproducer: the pipeline, which ge-opt reads, and for human
/// readers the command line that loads the same files, and the stage. ge-opt never loads a file
/// because a reproducer names it.
std::string reproducerHeader(const PipelineElement &element, const RunOptions &run,
                             const std::string &path) {
  std::string pipeline;
  printPipeline({element}, pipeline);
  std::replace(pipeline.begin(), pipeline.end(), '\n', ' ');
  std::vector<std::string> options, stages;
  collectOrigins(element, options, stages);
  for (const auto &[name, value] : run)
    options.push_back(shellWord(cat("--option=", name, "=", value)));
  std::string out = cat("// ge-opt --run-reproducer: ", pipeline, "\n// Run: ge-opt");
  for (const std::string &option : options)
    out += cat(" ", option);
  std::error_code code;
  std::filesystem::path whole = std::filesystem::absolute(path, code);
  out += cat(" --run-reproducer ", shellWord(code ? path : whole.string()), "\n");
  for (const std::string &stage : stages)
    out += cat("// Stage: ", shellWord(stage), "\n");
  return out;
}

} // namespace

std::string PassTarget::text(const PrintOptions &options) const {
  std::string out;
  if (module)
    print(*module, out, options);
  else
    print(graph, out, options);
  return out;
}

PassOutput::PassOutput(const PassInstrumentation &options)
    : options_(options), wantsAll_(!options.treeDirectory.empty() && !options.printBefore &&
                                   !options.printAfter && !options.printChanged) {}

void PassOutput::start(const PassTarget &target) {
  if (options_.treeDirectory.empty())
    return;
  std::error_code code;
  std::filesystem::create_directories(options_.treeDirectory, code);
  if (code)
    throwError(ErrorKind::OS, "cannot make the directory '", options_.treeDirectory,
               "': ", code.message());
  writeToTree(target, "input");
}

void PassOutput::writeToTree(const PassTarget &target, const std::string &name) {
  std::filesystem::path path =
      std::filesystem::path(options_.treeDirectory) / fileName(nextFile_++, name);
  writeFileAtomically(path.string(), target.text(options_.print),
                      {.isNew = false, .allowPipe = false, .temporaryBase = {}, .noLinks = true});
}

void PassOutput::show(const PassTarget &target, const PassRecord &record, const char *when) {
  if (!options_.treeDirectory.empty())
    return writeToTree(target, *when == 'B' ? cat("before_", record.pass) : record.pass);
  if (!options_.sink)
    return;
  std::string text = cat("// -----// IR Dump ", when, " ", record.pass);
  if (!record.where.empty())
    text += cat(" (", record.where, ")");
  text += cat(" //----- //\n", target.text(options_.print));
  if (!text.ends_with('\n'))
    text += '\n';
  text += '\n';
  options_.sink(text);
}

void PassOutput::before(const PassTarget &target, const PassRecord &record,
                        const PipelineElement &element) {
  if (options_.printBefore)
    show(target, record, "Before");
  if (options_.reproducer.empty())
    return;
  // The text must be complete when it is read back: names, locations, and all elements of tensors.
  PrintOptions whole;
  whole.locations = true;
  writeFileAtomically(
      options_.reproducer,
      cat(reproducerHeader(element, options_.options, options_.reproducer), target.text(whole)));
  hasReproducer_ = true;
}

void PassOutput::failed(const PassTarget &target, const PassRecord &record) {
  if (options_.printFailed)
    show(target, record, "After Failed");
}

void PassOutput::after(const PassTarget &target, const PassRecord &record) {
  bool changed = record.outcome == PassRecord::Outcome::Changed;
  if (options_.printAfter || wantsAll_ || (options_.printChanged && changed))
    show(target, record, "After");
}

void PassOutput::finish(bool ok) {
  // A file that this run did not write is kept, and a device cannot be removed.
  if (!ok || !std::exchange(hasReproducer_, false))
    return;
  try {
    OutputPlace place = findOutput(options_.reproducer);
    struct stat status;
    int directory = place.directory->fd();
    if (::fstatat(directory, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      ::unlinkat(directory, place.name.c_str(), 0);
  } catch (const SystemError &) { // it is gone, or no longer this run's
  }
}

} // namespace ge
