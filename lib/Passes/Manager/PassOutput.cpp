//===- PassOutput.cpp - texts that a run leaves for people ------------------------------------===//
#include "PassOutput.h"

#include "ge/Support/AtomicFile.h"

#include <algorithm>
#include <filesystem>
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
  PipelineElement alone = element;
  std::string pipeline;
  printPipeline({std::move(alone)}, pipeline);
  std::replace(pipeline.begin(), pipeline.end(), '\n', ' ');
  // Everything has to be read again: names, locations, and all elements.
  PrintOptions whole;
  whole.locations = true;
  writeFileAtomically(options_.reproducer,
                      cat("// ge-opt --run-reproducer: ", pipeline, "\n", target.text(whole)));
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
  // A file that this run did not write is not ours, and a device cannot be removed.
  if (!ok || !std::exchange(hasReproducer_, false))
    return;
  std::error_code code;
  std::string target = resolveLinks(options_.reproducer);
  if (std::filesystem::is_regular_file(target, code))
    std::filesystem::remove(target, code);
}

} // namespace ge
