//===- Options.cpp --------------------------------------------------------------------------------===//
#include "Options.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

namespace geopt {

static constexpr char kHelp[] =
    "usage: ge-opt [options] [<input file>]\n"
    "\n"
    "Reads graphs from their text form, and prints them again. Without an input file, or with "
    "'-',\n"
    "it reads the standard input.\n"
    "\n"
    "  -o <file>                       write to a file, all or nothing; '-' is the standard "
    "output\n"
    "  --verify                        check the graphs after reading\n"
    "  --split-input-file              treat each piece between lines '// -----' as a text\n"
    "  --verify-diagnostics            check that the errors are those that comments announce:\n"
    "                                  // expected-error@+1 {{part of the message}}, also "
    "-warning,\n"
    "                                  -remark, -note, and @-N, @above, @below\n"
    "  --elide-elements-larger-than=N  print tensors with more elements than N as __elided__\n"
    "  --names=ssa|attr                names as SSA names where they can be (ssa, the default), "
    "or\n"
    "                                  always as attributes, which survive MLIR's tools (attr)\n"
    "  --print-locations               print loc(...), and the origins of nodes\n"
    "  --help                          print this\n"
    "  --version                       print the version\n"
    "\n"
    "Exit code: 0 done, 1 the input or a check failed, 2 wrong usage.\n";

namespace {
class Reader {
public:
  Reader(int count, char **arguments, Options &options)
      : count_(count), arguments_(arguments), options_(options) {}

  /// The exit code, or nothing when the tool shall run.
  std::optional<int> run() {
    bool hasInput = false, onlyFiles = false;
    while (++at_ < count_) {
      std::string_view argument = arguments_[at_];
      if (onlyFiles || argument == "-" || !argument.starts_with('-')) {
        if (hasInput)
          return wrong("more than one input file", argument);
        options_.input = argument;
        hasInput = true;
      } else if (argument == "--") {
        onlyFiles = true;
      } else if (std::optional<int> code = option(argument)) {
        return code;
      }
    }
    return std::nullopt;
  }

private:
  static std::optional<int> wrong(const char *what, std::string_view argument) {
    std::fprintf(stderr, "ge-opt: %s: '%.*s'\nTry 'ge-opt --help'.\n", what, int(argument.size()),
                 argument.data());
    return kUsage;
  }

  std::optional<int> option(std::string_view argument) {
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    bool hasValue = equals != std::string_view::npos;
    std::string_view value = hasValue ? argument.substr(equals + 1) : std::string_view();
    struct Flag {
      std::string_view name;
      bool *target;
    };
    const Flag flags[] = {{"--verify", &options_.verify},
                          {"--split-input-file", &options_.splitInput},
                          {"--verify-diagnostics", &options_.verifyDiagnostics},
                          {"--print-locations", &options_.print.locations}};
    for (const Flag &flag : flags)
      if (name == flag.name) {
        if (hasValue)
          return wrong("this option takes no value", argument);
        *flag.target = true;
        return std::nullopt;
      }
    if (argument == "--help" || argument == "-h") {
      std::fputs(kHelp, stdout);
      return kDone;
    }
    if (argument == "--version") {
      std::printf("ge-opt %s\n", geVersion());
      return kDone;
    }
    bool isOutput = name == "-o", isElide = name == "--elide-elements-larger-than",
         isNames = name == "--names";
    if (!isOutput && !isElide && !isNames)
      return wrong("unknown option", argument);
    if (!hasValue) {
      if (++at_ == count_)
        return wrong("this option takes a value", argument);
      value = arguments_[at_];
    }
    if (isOutput) {
      if (value.empty())
        return wrong("expected a file", argument);
      options_.output = value;
    } else if (isNames) {
      if (value != "ssa" && value != "attr")
        return wrong("expected --names=ssa or --names=attr", argument);
      options_.print.nameAttributes = value == "attr";
    } else {
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(),
                                          options_.print.elideElementsLargerThan);
      if (error != std::errc() || end != value.data() + value.size() ||
          options_.print.elideElementsLargerThan < 0)
        return wrong("expected a number of elements", argument);
    }
    return std::nullopt;
  }

  int count_;
  char **arguments_;
  Options &options_;
  int at_ = 0;
};
} // namespace

bool parseOptions(int count, char **arguments, Options &options, int &exitCode) {
  std::optional<int> code = Reader(count, arguments, options).run();
  exitCode = code.value_or(kDone);
  return !code;
}

} // namespace geopt
