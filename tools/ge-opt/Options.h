//===- Options.h - the command line of ge-opt -----------------------------------------------------===//
#ifndef GE_TOOLS_GEOPT_OPTIONS_H
#define GE_TOOLS_GEOPT_OPTIONS_H

#include "ge-c/Passes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace geopt {

/// The same in every tool of GE.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

struct Options {
  std::string input = "-";
  std::string output = "-";
  bool allowPipe = false;
  bool verify = false;
  bool splitInput = false;
  bool verifyDiagnostics = false;
  GePrintOptions print = {sizeof(GePrintOptions), false, false, -1};

  bool hasPipeline = false;
  std::string pipeline;
  std::string stage; ///< its passes run after those of the pipeline; empty: none
  std::vector<std::pair<std::string, std::string>> runOptions;
  /// Where plugins are loaded from; defaults come from the environment.
  std::optional<std::string> pyPassPath, pyPassModules, python;
  bool listPasses = false;
  std::vector<std::string> plugins; ///< files that the command line names
  bool verbose = false;
  bool runReproducer = false; ///< the pipeline is in the first line of the input
  bool verifyEach = true;
  bool keepGoing = false;
  bool printBefore = false, printAfter = false, printChanged = false, printFailed = false;
  std::string treeDirectory, reproducer, trace;
  bool timing = false, statistics = false;
  bool hasBisectLimit = false;
  uint64_t bisectLimit = 0;
  bool hasRewriteLimit = false;
  uint64_t rewriteLimit = 0;
};

/// Reads the command line. False when the tool is to end with `exitCode`: after --help and
/// --version, or after a message about wrong usage.
bool parseOptions(int count, char **arguments, Options &options, int &exitCode);

} // namespace geopt

#endif // GE_TOOLS_GEOPT_OPTIONS_H
