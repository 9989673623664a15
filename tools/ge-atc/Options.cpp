//===- Options.cpp --------------------------------------------------------------------------------===//
#include "Options.h"

#include "../Print.h"

#include "ge-c/Support.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace geatc {

static constexpr char kHelp[] = R"(usage: ge-atc --model=<file> --output=<file> [options]
       ge-atc <model> -o <output> [options]

Reads a model, runs the passes of each stage of a compilation on it, those written in Python, C and C++
in one order, and writes the optimised model. The options are those of CANN's atc where they mean
something for a graph; no code for a device is made.

  --model=<file>            model to read: ONNX, or the text form (.mlir)
  --framework=<n>           5: ONNX (the default, but for a file that ends in .mlir)
  --output=<file>, -o       model to write; '.onnx' is added unless it ends in .onnx or .mlir
  --input_shape=<shapes>    shapes of inputs: "x:1,3,224,224;mask:1,-1"; -1 is unknown
  --fusion_switch_file=<f>  which passes are on: {"Switch": {"GraphFusion": {"<pass>": "off", "ALL": "on"}}}
  --soc_version, --input_format   taken from scripts for atc, and ignored with a warning
  --option <key>=<value>    what passes read as an option of the run
  --log=<level>             debug, info, warning (the default), error or null

  --py_pass_path=<paths>    files and directories of passes in Python, with ':' between them;
                            they come before those of $ASCEND_GE_PY_PASS_PATH, and
                            with an empty text there are none
  --py_pass_module=<names>  modules of passes in Python, with ',' between them
  --python=<program>        interpreter for them; default: $GE_PYTHON, $VIRTUAL_ENV, python3
  --load_pass_plugin=<f>    plugins of passes in C and C++, with ':' between them;
                            default: $GE_PASS_PLUGINS
  --builtin=<on|off>        whether GE's own optimisations run, between the stages AfterInferShape and
                            AfterBuiltinFusionPass (on, the default)

  --help, --version

An option's name may also be written with dashes (--input-shape), and its value as the next argument.

Stages, in their order: BeforeInferShape, inference of types, AfterInferShape, GE's own optimisations,
AfterBuiltinFusionPass, AfterOriginGraphOptimize.

Exit code: 0 the model was written, 1 the input, a plugin or a pass failed, 2 wrong usage.
)";

namespace {

/// Options of atc that occur in users' scripts, with the reason why GE rejects them.
struct Refused {
  std::string_view name, why;
};
constexpr std::string_view kNoCode = "ge-atc writes a graph and no code for a device";
constexpr std::string_view kNoTuning = "ge-atc tunes no kernels";
constexpr std::string_view kFixedShape = "use --input_shape; an unknown size is -1";
constexpr std::string_view kSameTypes =
    "ge-atc keeps the types of the model; a pass may change them";
constexpr std::string_view kOneDevice = "ge-atc does not divide a model between devices";
constexpr std::string_view kSwitches = "use --fusion_switch_file and --builtin";
constexpr Refused kRefused[] = {
    {"core_type", kNoCode},
    {"aicore_num", kNoCode},
    {"virtual_type", kNoCode},
    {"buffer_optimize", kNoCode},
    {"enable_small_channel", kNoCode},
    {"enable_single_stream", kNoCode},
    {"disable_reuse_memory", kNoCode},
    {"compress_weight_conf", kNoCode},
    {"enable_compress_weight", kNoCode},
    {"sparsity", kNoCode},
    {"op_select_implmode", kNoCode},
    {"optypelist_for_implmode", kNoCode},
    {"op_debug_level", kNoCode},
    {"op_compiler_cache_mode", kNoCode},
    {"op_compiler_cache_dir", kNoCode},
    {"external_weight", "weights stay where the model has them; see ge convert --external-data"},
    {"auto_tune_mode", kNoTuning},
    {"op_bank_path", kNoTuning},
    {"mdl_bank_path", kNoTuning},
    {"precision_mode", kSameTypes},
    {"precision_mode_v2", kSameTypes},
    {"op_precision_mode", kSameTypes},
    {"modify_mixlist", kSameTypes},
    {"keep_dtype", kSameTypes},
    {"customize_dtypes", kSameTypes},
    {"allow_hf32", kSameTypes},
    {"output_type", kSameTypes},
    {"input_fp16_nodes", kSameTypes},
    {"is_input_adjust_hw_layout", "layouts are those of the model; a pass may change them"},
    {"is_output_adjust_hw_layout", "layouts are those of the model; a pass may change them"},
    {"compression_optimize_conf", "ge-atc does not quantize; a pass may"},
    {"optimization_switch", kSwitches},
    {"oo_level", kSwitches},
    {"oo_constant_folding", kSwitches},
    {"oo_dead_code_elimination", kSwitches},
    {"enable_scope_fusion_passes", "models of ONNX have no scopes"},
    {"cluster_config", kOneDevice},
    {"distributed_cluster_build", kOneDevice},
    {"enable_graph_parallel", kOneDevice},
    {"graph_parallel_option_path", kOneDevice},
    {"model_relation_config", kOneDevice},
    {"host_env_os", kNoCode},
    {"host_env_cpu", kNoCode},
    {"deterministic", kNoCode},
    {"deterministic_level", kNoCode},
    {"status_check", kNoCode},
    {"op_debug_config", kNoCode},
    {"debug_dir", kNoCode},
    {"quant_dumpable", kNoCode},
    {"atomic_clean_policy", kNoCode},
    {"ac_parallel_enable", kNoCode},
    {"tiling_schedule_optimize", kNoCode},
    {"insert_op_conf", "there is no AIPP; put preprocessing into the model"},
    {"dynamic_batch_size", kFixedShape},
    {"dynamic_image_size", kFixedShape},
    {"dynamic_dims", kFixedShape},
    {"input_shape_range", kFixedShape},
    {"input_hint_shape", kFixedShape},
    {"out_nodes", "to cut a model, set graph.outputs in Python and save it"},
    {"weight", "ONNX names its own files of weights"},
    {"json", "use ge info --json"},
    {"om", "use ge info"},
    {"singleop", "write the operator as a graph"},
    {"dump_mode", "use ge-opt --print-ir-tree-dir"},
    {"display_model_info", "use ge info"},
    {"save_original_model", "the model that was read stays as it is"},
};

/// Options that occur in every command line of atc and have no effect here.
constexpr Refused kIgnored[] = {
    {"soc_version", kNoCode},
    {"input_format", "layouts are those of the model"},
};

class Reader {
public:
  Reader(int count, char **arguments, Options &options)
      : count_(count), arguments_(arguments), options_(options) {}

  /// The exit code; nullopt if the tool must run.
  std::optional<int> run() {
    while (++at_ < count_) {
      std::string_view argument = arguments_[at_];
      if (std::optional<int> code = argument.starts_with('-') && argument != "-"
                                        ? option(argument)
                                        : positional(argument))
        return code;
    }
    return finish();
  }

private:
  static std::optional<int> wrong(std::string_view what, std::string_view argument) {
    getools::print(stderr, "ge-atc: " + std::string(what) + ": '" + std::string(argument) +
                               "'\nTry 'ge-atc --help'.\n");
    return kUsage;
  }

  std::optional<int> positional(std::string_view argument) {
    if (!options_.model.empty())
      return wrong("more than one model", argument);
    options_.model = argument;
    return std::nullopt;
  }

  std::optional<int> option(std::string_view argument) {
    if (argument == "--help" || argument == "-h") {
      std::fputs(kHelp, stdout);
      return kDone;
    }
    if (argument == "--version") {
      std::printf("ge-atc %s\n", geVersion());
      return kDone;
    }
    size_t equals = argument.find('=');
    std::string name(argument.substr(0, equals));
    name.erase(0, name.starts_with("--") ? 2 : 1);
    std::ranges::replace(name, '-', '_');
    struct Known {
      std::string_view name;
      std::optional<int> (Reader::*set)(std::string_view argument, std::string_view value);
    };
    static constexpr Known kKnown[] = {
        {"model", &Reader::model},
        {"framework", &Reader::framework},
        {"output", &Reader::output},
        {"o", &Reader::output},
        {"input_shape", &Reader::inputShape},
        {"fusion_switch_file", &Reader::switchFile},
        {"option", &Reader::runOption},
        {"log", &Reader::log},
        {"py_pass_path", &Reader::pyPassPath},
        {"py_pass_module", &Reader::pyPassModule},
        {"python", &Reader::python},
        {"load_pass_plugin", &Reader::plugin},
        {"builtin", &Reader::builtin},
        {"mode", &Reader::mode},
    };
    const auto *known = std::ranges::find(kKnown, std::string_view(name), &Known::name);
    const auto *ignored = std::ranges::find(kIgnored, std::string_view(name), &Refused::name);
    if (known == std::end(kKnown) && ignored == std::end(kIgnored)) {
      const auto *refused = std::ranges::find(kRefused, std::string_view(name), &Refused::name);
      if (refused == std::end(kRefused))
        return wrong("unknown option", argument);
      getools::print(stderr,
                     "ge-atc: --" + name + " is not taken: " + std::string(refused->why) + "\n");
      return kUsage;
    }
    std::string_view value;
    if (equals != std::string_view::npos)
      value = argument.substr(equals + 1);
    else if (++at_ < count_)
      value = arguments_[at_];
    else
      return wrong("this option takes a value", argument);
    if (ignored == std::end(kIgnored))
      return (this->*known->set)(argument, value);
    options_.warnings.push_back("--" + name + " is ignored: " + std::string(ignored->why));
    return std::nullopt;
  }

  std::optional<int> model(std::string_view, std::string_view value) { return positional(value); }
  std::optional<int> framework(std::string_view argument, std::string_view value) {
    if (value == "1")
      return wrong("AIR files are not read yet; export the model to ONNX, --framework=5", argument);
    if (value != "5")
      return wrong("GE reads ONNX (--framework=5); export models of other frameworks to ONNX first",
                   argument);
    isOnnx_ = true;
    return std::nullopt;
  }
  std::optional<int> output(std::string_view argument, std::string_view value) {
    if (value.empty() || value.ends_with('/'))
      return wrong("expected the file to write", argument);
    options_.output = value;
    return std::nullopt;
  }
  std::optional<int> inputShape(std::string_view argument, std::string_view value) {
    while (!value.empty()) {
      std::string_view one = value.substr(0, value.find(';'));
      value.remove_prefix(std::min(one.size() + 1, value.size()));
      size_t colon = one.rfind(':'); // names may have colons: 'x:0'
      if (colon == std::string_view::npos || colon == 0)
        return wrong("expected --input_shape=\"name:1,3,224,224;name2:1,-1\"", argument);
      InputShape shape{std::string(one.substr(0, colon)), {}};
      std::string_view dims = one.substr(colon + 1);
      while (!dims.empty()) {
        std::string_view dim = dims.substr(0, dims.find(','));
        dims.remove_prefix(std::min(dim.size() + 1, dims.size()));
        int64_t size = 0;
        auto [end, error] = std::from_chars(dim.data(), dim.data() + dim.size(), size);
        if (error != std::errc() || end != dim.data() + dim.size() || size < -1)
          return wrong("expected sizes that are 0 or greater, or -1", dim);
        shape.dims.push_back(size);
      }
      options_.inputShapes.push_back(std::move(shape));
    }
    return std::nullopt;
  }
  std::optional<int> mode(std::string_view argument, std::string_view value) {
    if (value != "0")
      return wrong("ge-atc only compiles (--mode=0); use ge info or ge convert to inspect a model",
                   argument);
    return std::nullopt;
  }
  std::optional<int> switchFile(std::string_view, std::string_view value) {
    options_.switchFile = value;
    options_.runOptions.emplace_back("ge.fusionSwitchFile", value);
    return std::nullopt;
  }
  std::optional<int> runOption(std::string_view argument, std::string_view value) {
    size_t equals = value.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return wrong("expected --option <key>=<value>", argument);
    options_.runOptions.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    return std::nullopt;
  }
  std::optional<int> log(std::string_view argument, std::string_view value) {
    constexpr std::string_view kLevels[] = {"null", "error", "warning", "info", "debug"};
    const auto *level = std::ranges::find(kLevels, value);
    if (level == std::end(kLevels))
      return wrong("expected debug, info, warning, error or null", argument);
    options_.log = Log(level - kLevels);
    return std::nullopt;
  }
  std::optional<int> builtin(std::string_view argument, std::string_view value) {
    if (value != "on" && value != "off")
      return wrong("expected on or off", argument);
    options_.runsBuiltin = value == "on";
    return std::nullopt;
  }
  std::optional<int> pyPassPath(std::string_view, std::string_view value) {
    return set(options_.pyPassPath, value);
  }
  std::optional<int> pyPassModule(std::string_view, std::string_view value) {
    return set(options_.pyPassModules, value);
  }
  std::optional<int> python(std::string_view, std::string_view value) {
    return set(options_.python, value);
  }
  std::optional<int> plugin(std::string_view, std::string_view value) {
    return set(options_.plugins, value);
  }
  static std::optional<int> set(std::optional<std::string> &target, std::string_view value) {
    target = value;
    return std::nullopt;
  }

  std::optional<int> finish() {
    if (options_.model.empty())
      return wrong("an option is missing", "--model=<file>");
    if (options_.output.empty())
      return wrong("an option is missing", "--output=<file>");
    options_.isText = !isOnnx_ && options_.model.ends_with(".mlir");
    options_.writesText = options_.output.ends_with(".mlir");
    if (!options_.writesText && !options_.output.ends_with(".onnx"))
      options_.output += ".onnx";
    return std::nullopt;
  }

  int count_;
  char **arguments_;
  Options &options_;
  int at_ = 0;
  bool isOnnx_ = false;
};

} // namespace

bool parseOptions(int count, char **arguments, Options &options, int &exitCode) {
  std::optional<int> code = Reader(count, arguments, options).run();
  exitCode = code.value_or(kDone);
  return !code;
}

} // namespace geatc
