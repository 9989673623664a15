//===- Options.cpp --------------------------------------------------------------------------------===//
#include "Options.h"

#include "../Print.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

namespace geopt {

static constexpr char kHelp[] =
    "usage: ge-opt [options] [<input file>]\n"
    "\n"
    "Reads graphs from their text form, runs passes on them, and prints them again. Without an "
    "input\n"
    "file, or with '-', it reads the standard input.\n"
    "\n"
    "  -o <file>                       write to a file, all or nothing; '-' is the standard "
    "output\n"
    "  --allow-pipe                    also read and write pipes and devices, which may wait\n"
    "                                  for ever\n"
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
    "\n"
    "  --pass-pipeline=<pipeline>      run passes: 'sort,fixpoint(cse,dce),fold{limit=8},"
    "onnx.If(cse)'\n"
    "  --stage=<stage>                 run the passes that are registered for a stage, in their "
    "order\n"
    "  --py-pass-path=<paths>          load passes in Python from files and directories, with ':' "
    "between\n"
    "                                  them, before those of $ASCEND_GE_PY_PASS_PATH; without a "
    "path,\n"
    "                                  none\n"
    "  --py-pass-module=<names>        import modules of such passes, with ',' between them\n"
    "  --python=<program>              the interpreter for them (default: $GE_PYTHON, the active\n"
    "                                  virtual environment, python3 of $PATH)\n"
    "  --option <key>=<value>          what passes read as an option of the run, and what switches "
    "passes\n"
    "                                  of a stage: <name>=off, ge.fusionSwitchFile=<file>\n"
    "  --load-pass-plugin <file>       load a plugin of passes; those of GE_PASS_PLUGINS (files "
    "and\n"
    "                                  directories) and "
    "$ASCEND_OPP_PATH/vendors/*/custom_fusion_passes\n"
    "                                  are loaded without it\n"
    "  --list-passes                   print the passes and their options; with -v also what "
    "became\n"
    "                                  of each plugin\n"
    "  --verify-each[=0|1]             check the graphs after each pass that changed something "
    "(1, the\n"
    "                                  default)\n"
    "  --keep-going                    after a pass that failed, and was undone, run the next one\n"
    "  --pass-bisect-limit=N           run the first N passes, skip the others\n"
    "  --rewrite-limit=N               do the first N rewrites, leave out the others\n"
    "  --print-ir-before-all           print the graphs to the standard error before each pass\n"
    "  --print-ir-after-all            after each pass\n"
    "  --print-ir-after-change         after each pass that changed something\n"
    "  --print-ir-after-failure        as a failing pass left them, before that is undone\n"
    "  --print-ir-tree-dir=<dir>       into files of a directory, not to the standard error\n"
    "  --timing                        print the time of each pass to the standard error\n"
    "  --statistics                    print what the passes counted, likewise\n"
    "  --trace=<file>                  write Chrome's trace events\n"
    "  --crash-reproducer=<file>       after a failure or crash, keep a text that reproduces it; "
    "its\n"
    "                                  second line is the command\n"
    "  --run-reproducer                run the pipeline in the first line of such a text\n"
    "\n"
    "  --help                          print this\n"
    "  --version                       print the version\n"
    "\n"
    "Exit code: 0 done, 1 the input or a check failed, 2 wrong usage.\n";

namespace {
class Reader {
public:
  Reader(int count, char **arguments, Options &options)
      : count_(count), arguments_(arguments), options_(options) {}

  /// The exit code; nullopt if the tool must run.
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
    getools::print(stderr, std::string("ge-opt: ") + what + ": '" + std::string(argument) +
                               "'\nTry 'ge-opt --help'.\n");
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
    const Flag flags[] = {{"--allow-pipe", &options_.allowPipe},
                          {"--verify", &options_.verify},
                          {"--split-input-file", &options_.splitInput},
                          {"--verify-diagnostics", &options_.verifyDiagnostics},
                          {"--print-locations", &options_.print.locations},
                          {"--list-passes", &options_.listPasses},
                          {"-v", &options_.verbose},
                          {"--run-reproducer", &options_.runReproducer},
                          {"--keep-going", &options_.keepGoing},
                          {"--print-ir-before-all", &options_.printBefore},
                          {"--print-ir-after-all", &options_.printAfter},
                          {"--print-ir-after-change", &options_.printChanged},
                          {"--print-ir-after-failure", &options_.printFailed},
                          {"--timing", &options_.timing},
                          {"--statistics", &options_.statistics}};
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
    if (name == "--verify-each") {
      if (hasValue && value != "0" && value != "1")
        return wrong("expected --verify-each=0 or --verify-each=1", argument);
      options_.verifyEach = !hasValue || value == "1";
      return std::nullopt;
    }
    struct Value {
      std::string_view name;
      std::optional<int> (Reader::*set)(std::string_view argument, std::string_view value);
    };
    static constexpr Value kValues[] = {{"-o", &Reader::output},
                                        {"--names", &Reader::names},
                                        {"--elide-elements-larger-than", &Reader::elide},
                                        {"--pass-pipeline", &Reader::pipeline},
                                        {"--stage", &Reader::stage},
                                        {"--option", &Reader::runOption},
                                        {"--load-pass-plugin", &Reader::plugin},
                                        {"--py-pass-path", &Reader::pyPassPath},
                                        {"--py-pass-module", &Reader::pyPassModule},
                                        {"--python", &Reader::python},
                                        {"--pass-bisect-limit", &Reader::bisect},
                                        {"--rewrite-limit", &Reader::rewrites},
                                        {"--print-ir-tree-dir", &Reader::tree},
                                        {"--trace", &Reader::trace},
                                        {"--crash-reproducer", &Reader::reproducer}};
    for (const Value &known : kValues) {
      if (name != known.name)
        continue;
      if (!hasValue) {
        if (++at_ == count_)
          return wrong("this option takes a value", argument);
        value = arguments_[at_];
      }
      return (this->*known.set)(argument, value);
    }
    std::optional<int> failed = wrong("unknown option", argument);
    if (argument.starts_with("--") && !hasValue)
      getools::print(stderr, "Passes run with --pass-pipeline, such as --pass-pipeline=" +
                                 std::string(name.substr(2)) + ".\n");
    return failed;
  }

  static std::optional<int> file(std::string_view argument, std::string_view value,
                                 std::string &target) {
    if (value.empty())
      return wrong("expected a file", argument);
    target = value;
    return std::nullopt;
  }
  template <typename Number> static bool read(std::string_view value, Number &out) {
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    return error == std::errc() && end == value.data() + value.size();
  }

  std::optional<int> output(std::string_view argument, std::string_view value) {
    return file(argument, value, options_.output);
  }
  std::optional<int> tree(std::string_view argument, std::string_view value) {
    return file(argument, value, options_.treeDirectory);
  }
  std::optional<int> trace(std::string_view argument, std::string_view value) {
    return file(argument, value, options_.trace);
  }
  std::optional<int> reproducer(std::string_view argument, std::string_view value) {
    return file(argument, value, options_.reproducer);
  }
  std::optional<int> names(std::string_view argument, std::string_view value) {
    if (value != "ssa" && value != "attr")
      return wrong("expected --names=ssa or --names=attr", argument);
    options_.print.nameAttributes = value == "attr";
    return std::nullopt;
  }
  std::optional<int> elide(std::string_view argument, std::string_view value) {
    if (!read(value, options_.print.elideElementsLargerThan) ||
        options_.print.elideElementsLargerThan < 0)
      return wrong("expected a number of elements", argument);
    return std::nullopt;
  }
  std::optional<int> stage(std::string_view argument, std::string_view value) {
    if (value.empty())
      return wrong("expected the name of a stage", argument);
    options_.stage = value;
    return std::nullopt;
  }
  std::optional<int> pyPassPath(std::string_view, std::string_view value) {
    options_.pyPassPath = value;
    return std::nullopt;
  }
  std::optional<int> pyPassModule(std::string_view, std::string_view value) {
    options_.pyPassModules = value;
    return std::nullopt;
  }
  std::optional<int> python(std::string_view, std::string_view value) {
    options_.python = value;
    return std::nullopt;
  }
  std::optional<int> runOption(std::string_view argument, std::string_view value) {
    size_t equals = value.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return wrong("expected --option <key>=<value>", argument);
    options_.runOptions.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    return std::nullopt;
  }
  std::optional<int> plugin(std::string_view argument, std::string_view value) {
    return file(argument, value, options_.plugins.emplace_back());
  }
  std::optional<int> pipeline(std::string_view, std::string_view value) {
    options_.hasPipeline = true;
    options_.pipeline = value;
    return std::nullopt;
  }
  std::optional<int> bisect(std::string_view argument, std::string_view value) {
    if (!read(value, options_.bisectLimit))
      return wrong("expected a number of passes", argument);
    options_.hasBisectLimit = true;
    return std::nullopt;
  }
  std::optional<int> rewrites(std::string_view argument, std::string_view value) {
    if (!read(value, options_.rewriteLimit))
      return wrong("expected a number of rewrites", argument);
    options_.hasRewriteLimit = true;
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
