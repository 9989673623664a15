//===- Options.h - the command line of ge-atc -----------------------------------------------------===//
#ifndef GE_TOOLS_GEATC_OPTIONS_H
#define GE_TOOLS_GEATC_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace geatc {

/// The same in every tool of GE.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

enum class Log { Null, Error, Warning, Info, Debug };

struct InputShape {
  std::string name;
  std::vector<int64_t> dims; ///< -1: not known
};

struct Options {
  std::string model, output;
  bool isText = false;     ///< read as text; else as ONNX
  bool writesText = false; ///< the same of the output
  std::vector<InputShape> inputShapes;
  /// Options of the run: fusion switches, and options that passes read.
  std::vector<std::pair<std::string, std::string>> runOptions;
  std::optional<std::string> pyPassPath, pyPassModules, plugins, python;
  bool runsBuiltin = true;
  std::string switchFile;
  std::vector<std::string> warnings; ///< of the command line
  Log log = Log::Warning;
};

/// Reads the command line. False when the tool is to end with `exitCode`.
bool parseOptions(int count, char **arguments, Options &options, int &exitCode);

} // namespace geatc

#endif // GE_TOOLS_GEATC_OPTIONS_H
