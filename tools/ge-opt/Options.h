//===- Options.h - the command line of ge-opt -----------------------------------------------------===//
#ifndef GE_TOOLS_GEOPT_OPTIONS_H
#define GE_TOOLS_GEOPT_OPTIONS_H

#include "ge-c/Text.h"

#include <string>

namespace geopt {

/// The same in every tool of GE.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

struct Options {
  std::string input = "-";
  std::string output = "-";
  bool verify = false;
  bool splitInput = false;
  bool verifyDiagnostics = false;
  GePrintOptions print = {false, false, -1};
};

/// Reads the command line. False when the tool is to end with `exitCode`: after --help and
/// --version, or after a message about wrong usage.
bool parseOptions(int count, char **arguments, Options &options, int &exitCode);

} // namespace geopt

#endif // GE_TOOLS_GEOPT_OPTIONS_H
