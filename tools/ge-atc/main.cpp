//===- main.cpp - ge-atc: a model compiler that embeds GE -------------------------------------------===//
#include "Options.h"

#include "../Print.h"

#include "ge-c/Files.h"
#include "ge-c/Host.h"
#include "ge-c/ONNX.h"
#include "ge-c/Text.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

using namespace geatc;

namespace {

GeStringRef stringRef(std::string_view text) { return {text.data(), text.size()}; }
std::string str(GeStringRef text) { return {text.data ? text.data : "", text.length}; }
void append(GeStringRef text, void *to) {
  static_cast<std::string *>(to)->append(text.data, text.length);
}
const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

class Compiler {
public:
  explicit Compiler(const Options &options) : options_(options) {
    for (const auto &[name, value] : options.runOptions)
      runOptions_.push_back({sizeof(GePassOption), stringRef(name), stringRef(value), {"", 0}});
  }
  ~Compiler() {
    if (module_)
      geModuleRelease(module_);
    if (context_)
      geContextRelease(context_);
    geHostRelease(host_);
  }
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  int run() {
    for (const std::string &warning : options_.warnings)
      say(Log::Warning, "warning: ", warning);
    if (!load() || !canRead(options_.switchFile) || !read() || !setInputShapes() || !compile() ||
        !write())
      return kFailed;
    return kDone;
  }

private:
  bool say(Log level, const char *what, const std::string &text) const {
    if (level <= options_.log)
      getools::print(stderr, std::string("ge-atc: ") + what + text + "\n");
    return false;
  }
  bool failed() const {
    std::string text = str(geErrorMessage());
    // A diagnostic of a pass says what it is.
    return say(Log::Error, text.starts_with("error: ") ? "" : "error: ", text);
  }
  bool ok(GeStatus status) const { return status == GE_OK || failed(); }

  bool load() {
    GeHostOptions options = {
        sizeof options,           orNull(options_.pyPassPath), orNull(options_.pyPassModules),
        orNull(options_.plugins), orNull(options_.python),     false};
    if (!ok(geHostOpen(&options, &host_)) || !ok(geHostLoadPlugins(host_)))
      return false;
    bool isLoaded = true;
    for (size_t i = 0; i < geHostNumLoadFailures(host_); ++i) {
      GeStringRef origin, message;
      if (geHostGetLoadFailure(host_, i, &origin, &message) == GE_OK)
        isLoaded = say(Log::Error, "error: ", "cannot load " + str(origin) + ": " + str(message));
    }
    // Without the requested passes the result would be another model than requested.
    return isLoaded;
  }

  /// Passes that a user switched off must not run because of a misspelt path.
  bool canRead(const std::string &switchFile) {
    std::string text;
    return switchFile.empty() || ok(geFileRead(stringRef(switchFile), false, append, &text));
  }

  bool read() {
    if (!ok(geContextCreate(&context_)))
      return false;
    if (!options_.isText)
      return ok(geOnnxLoad(context_, stringRef(options_.model), nullptr, &module_));
    std::string text;
    return ok(geFileRead(stringRef(options_.model), false, append, &text)) &&
           ok(geModuleParse(context_, stringRef(text), stringRef(options_.model), nullptr,
                            &module_));
  }

  bool setInputShapes() {
    if (options_.inputShapes.empty())
      return true;
    GeGraphRef *graph = nullptr;
    if (!ok(geModuleGetGraph(module_, 0, &graph)))
      return false;
    bool isSet = std::ranges::all_of(options_.inputShapes,
                                     [&](const InputShape &shape) { return set(graph, shape); });
    geGraphRelease(graph);
    return isSet;
  }

  bool set(GeGraphRef *graph, const InputShape &wanted) {
    size_t count = 0;
    std::string names;
    if (!ok(geGraphNumInputs(graph, &count)))
      return false;
    for (size_t i = 0; i < count; ++i) {
      GeValueRef *input = nullptr;
      GeStringRef name;
      GeType type = nullptr;
      if (!ok(geGraphGetInput(graph, i, &input)))
        return false;
      bool isRead = ok(geValueGetName(input, &name, nullptr)) && ok(geValueGetType(input, &type));
      bool isWanted = isRead && str(name) == wanted.name;
      names += (i ? ", " : "") + str(name);
      bool isDone = isWanted && setType(input, type, wanted);
      geValueRelease(input);
      if (!isRead || isWanted)
        return isRead && isDone;
    }
    return say(Log::Error, "error: ",
               "--input_shape: the model has no input '" + wanted.name + "'; it has " + names);
  }

  bool setType(GeValueRef *input, GeType type, const InputShape &wanted) {
    GeTensorTypeSpec spec;
    if (geTypeGetKind(type) != GE_TYPE_TENSOR)
      return say(Log::Error,
                 "error: ", "--input_shape: the input '" + wanted.name + "' is no tensor");
    if (!ok(geTypeGetTensorSpec(type, &spec)))
      return false;
    if (spec.ranked && spec.rank != wanted.dims.size())
      return say(Log::Error, "error: ",
                 "--input_shape: the input '" + wanted.name + "' has " + std::to_string(spec.rank) +
                     " dimensions, not " + std::to_string(wanted.dims.size()));
    std::vector<GeDim> dims;
    for (size_t i = 0; i < wanted.dims.size(); ++i) {
      if (spec.ranked && spec.shape[i].size >= 0 && wanted.dims[i] >= 0 &&
          spec.shape[i].size != wanted.dims[i])
        return say(Log::Error, "error: ",
                   "--input_shape: size " + std::to_string(i) + " of the input '" + wanted.name +
                       "' is " + std::to_string(spec.shape[i].size) + " in the model, not " +
                       std::to_string(wanted.dims[i]));
      dims.push_back(wanted.dims[i] < 0 && spec.ranked ? spec.shape[i]
                                                       : GeDim{wanted.dims[i], nullptr});
    }
    spec.ranked = true;
    spec.rank = dims.size();
    spec.shape = dims.data();
    GeType made = nullptr;
    return ok(geTypeTensor(context_, &spec, &made)) && ok(geValueSetType(input, made));
  }

  bool compile() {
    return stage("BeforeInferShape") && pipeline("infer-types") && stage("AfterInferShape") &&
           (!options_.runsBuiltin || pipeline("optimize")) && stage("AfterBuiltinFusionPass") &&
           stage("AfterOriginGraphOptimize");
  }
  bool stage(const char *name) {
    GePassReport *report = nullptr;
    GeStatus status = geHostRunStage(host_, module_, stringRef(name), runOptions_.data(),
                                     runOptions_.size(), &report);
    return done(name, status, report);
  }
  bool pipeline(const char *text) {
    GePassReport *report = nullptr;
    GeStatus status = geHostRunPipeline(host_, module_, stringRef(text), runOptions_.data(),
                                        runOptions_.size(), &report);
    return done(text, status, report);
  }

  bool done(const char *what, GeStatus status, GePassReport *report) {
    bool isOk = ok(status); // first: the message is the thread's last
    for (size_t i = 0; i < gePassReportNumRemarks(report); ++i) {
      GeDiagnostic remark;
      if (gePassReportGetRemark(report, i, &remark) == GE_OK)
        show(remark, "");
    }
    for (size_t i = 0; i < gePassReportSize(report); ++i) {
      static constexpr const char *kOutcomes[] = {"unchanged", "changed", "skipped", "failed"};
      GePassRecord record;
      if (gePassReportGet(report, i, &record) != GE_OK)
        continue;
      say(record.outcome == GE_PASS_CHANGED ? Log::Info : Log::Debug, "",
          std::string(what) + ": " + str(record.pass) + ": " + kOutcomes[record.outcome]);
      for (size_t j = 0; j < record.numRemarks; ++j) {
        GeDiagnostic remark;
        if (gePassRecordGetRemark(&record, j, &remark) == GE_OK)
          show(remark, str(record.pass) + ": ");
      }
    }
    gePassReportDestroy(report);
    return isOk;
  }
  void show(const GeDiagnostic &remark, const std::string &of) {
    bool isWarning = remark.severity == GE_SEVERITY_WARNING;
    std::string text = of + str(remark.message);
    // Each stage reads the switch file and repeats its warnings.
    if (isWarning && !shown_.insert(text).second)
      return;
    say(isWarning ? Log::Warning : Log::Info, isWarning ? "warning: " : "", text);
  }

  /// What cannot be read again replaces nothing.
  bool write() {
    if (!options_.writesText) {
      GeOnnxSaveOptions options{};
      options.size = sizeof options;
      options.externalData = GE_ONNX_EXTERNAL_KEEP;
      options.threshold = 1024;
      options.verify = true;
      return ok(geOnnxSave(module_, stringRef(options_.output), &options));
    }
    std::string text;
    GeFileWriteOptions options = {sizeof options, false, false, false};
    return ok(geModulePrint(module_, nullptr, append, &text)) && canBeRead(text) &&
           ok(geFileWrite(stringRef(options_.output), text.data(), text.size(), &options));
  }

  bool canBeRead(const std::string &text) {
    GeModule *again = nullptr;
    if (!ok(geModuleParse(context_, stringRef(text), stringRef(options_.output), nullptr, &again)))
      return false;
    geModuleRelease(again);
    return true;
  }

  const Options &options_;
  std::vector<GePassOption> runOptions_;
  std::set<std::string> shown_; ///< warnings
  GeHost *host_ = nullptr;
  GeContext *context_ = nullptr;
  GeModule *module_ = nullptr;
};

} // namespace

int main(int count, char **arguments) {
  Options options;
  int exitCode = kDone;
  if (!parseOptions(count, arguments, options, exitCode))
    return exitCode;
  return Compiler(options).run();
}
