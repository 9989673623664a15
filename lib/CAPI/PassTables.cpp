//===- PassTables.cpp - ge-c/Passes.h: passes written in C ------------------------------------===//
#include "Passes.h"

using namespace ge;
using namespace ge::capi;

namespace {

/// The error of a table's function: the one it set on the run, else the thread's last error.
[[noreturn]] void throwFailure(GeStatus status, const GePassRun *run) {
  throwIfInterrupted(status);
  int number = numberOf(status);
  bool known = number > GE_OK && number <= GE_ERROR_INTERNAL;
  ErrorKind kind = known ? ErrorKind(number) : ErrorKind::General;
  if (run && run->failure)
    throw Error(kind, std::vector<Diagnostic>{*run->failure});
  std::vector<Diagnostic> diagnostics;
  for (size_t i = 0; i < geErrorNumDiagnostics(); ++i) {
    GeDiagnostic diagnostic{};
    if (geErrorDiagnostic(i, &diagnostic) == GE_OK)
      diagnostics.push_back(*reinterpret_cast<const Diagnostic *>(diagnostic.impl));
  }
  if (!diagnostics.empty())
    throw Error(kind, std::move(diagnostics));
  throw Error(kind, std::string(text(geErrorMessage(), "message")));
}

class TablePass final : public Pass {
public:
  TablePass(std::shared_ptr<PassTable> table, std::string name, PassOptions options)
      : table_(std::move(table)), name_(std::move(name)), options_(std::move(options)) {}

  std::string_view name() const override { return name_; }

  void run(Graph &graph, PassContext &context) override {
    Instance instance(*this);
    runOn(graph, instance, context);
  }
  void run(Module &module, PassContext &context) override {
    Instance instance(*this);
    if (!(*table_)->runModule) {
      for (size_t i = 0; i < module.numGraphs(); ++i)
        runOn(*module.graph(i), instance, context);
      return;
    }
    GePassRun run{&context};
    InterruptPause pause;
    if (GeStatus status = (*table_)->runModule(instance.get(), wrap(&module), &run))
      throwFailure(status, &run);
  }

private:
  /// Valid for one execution only.
  class Instance {
  public:
    explicit Instance(const TablePass &pass) : table_(*pass.table_) {
      instance_ = table_->userData;
      if (!table_->create)
        return;
      std::vector<GePassOption> options;
      for (const auto &[name, value] : pass.options_.all())
        options.push_back({sizeof(GePassOption), stringRef(name), stringRef(value), {"", 0}});
      instance_ = nullptr;
      InterruptPause pause;
      if (GeStatus status =
              table_->create(table_->userData, options.data(), options.size(), &instance_))
        throwFailure(status, nullptr);
    }
    ~Instance() {
      InterruptPause pause;
      if (table_->destroy)
        table_->destroy(instance_);
    }
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;
    void *get() const { return instance_; }

  private:
    const PassTable &table_;
    void *instance_;
  };

  void runOn(Graph &graph, const Instance &instance, PassContext &context) {
    GeGraphRef *ref = newRef(&graph);
    GePassRun run{&context};
    InterruptPause pause;
    GeStatus status = (*table_)->run(instance.get(), ref, &run);
    geGraphRelease(ref);
    if (status)
      throwFailure(status, &run);
  }

  std::shared_ptr<PassTable> table_;
  std::string name_;
  PassOptions options_;
};

std::string owned(GeStringRef string, const char *what) {
  std::string_view view = text(string, what);
  if (!isValidUtf8(view))
    throwError(ErrorKind::Value, "the ", what, " of a pass is not UTF-8");
  return std::string(view);
}

std::vector<std::string> ownedNames(const GeStringRef *names, size_t count, const char *what) {
  needArray(names, count, what);
  std::vector<std::string> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(owned(names[i], what));
  return all;
}

using InfoCallback = void (*)(const GePassInfo *, void *);
void giveInfo(const PassInfo &info, InfoCallback callback, void *userData) {
  std::vector<GePassOption> options;
  for (const PassOption &option : info.options)
    options.push_back({sizeof(GePassOption), stringRef(option.name), stringRef(option.otherwise),
                       stringRef(option.doc)});
  StageOrder order = StageOrders::global().find(info.name);
  std::vector<GeStringRef> before, after;
  for (const std::string &name : order.before)
    before.push_back(stringRef(name));
  for (const std::string &name : order.after)
    after.push_back(stringRef(name));
  std::vector<GePassRewrite> rewrites;
  for (const PassRewrite &rewrite : info.rewrites)
    rewrites.push_back({sizeof(GePassRewrite), stringRef(rewrite.what),
                        stringRef(exactnessName(rewrite.exactness))});
  std::string_view exactness = info.exactness ? exactnessName(*info.exactness) : "";
  GePassInfo view{sizeof view,
                  stringRef(info.name),
                  stringRef(info.doc),
                  stringRef(info.kind),
                  stringRef(info.stage),
                  stringRef(info.origin),
                  stringRef(info.version),
                  stringRef(info.pipeline),
                  options.size(),
                  options.data(),
                  stringRef(exactness),
                  rewrites.size(),
                  rewrites.data(),
                  order.priority,
                  before.size(),
                  before.data(),
                  after.size(),
                  after.data()};
  callback(&view, userData);
}

PassContext &contextOf(GePassRun *run) {
  if (!run)
    throwNull("run");
  return *run->context;
}

} // namespace

namespace ge::capi {

PassInfo infoOf(const GePassInfo &given) {
  PassInfo info;
  info.name = owned(given.name, "name");
  if (info.name.empty() || info.name == "fixpoint")
    throwError(ErrorKind::Value, "a pass cannot be called '", info.name,
               "'; give it a name of its own");
  info.doc = owned(given.doc, "doc");
  info.kind = owned(given.kind, "kind");
  info.stage = owned(given.stage, "stage");
  info.origin = owned(given.origin, "origin");
  info.version = owned(given.version, "version");
  info.pipeline = owned(given.pipeline, "pipeline");
  needArray(given.options, given.numOptions, "options");
  for (size_t i = 0; i < given.numOptions; ++i) {
    GePassOption option = sizedAt(given.options, i, "GePassOption");
    info.options.push_back(
        {owned(option.name, "option"), owned(option.value, "default"), owned(option.doc, "doc")});
  }
  auto exactnessOf = [](GeStringRef name) {
    PassOptions options;
    options.set("exactness", owned(name, "exactness"));
    return options.exactness("exactness", Exactness::Exact);
  };
  if (given.exactness.length != 0)
    info.exactness = exactnessOf(given.exactness);
  needArray(given.rewrites, given.numRewrites, "rewrites");
  for (size_t i = 0; i < given.numRewrites; ++i) {
    GePassRewrite rewrite = sizedAt(given.rewrites, i, "GePassRewrite");
    info.rewrites.push_back({owned(rewrite.what, "what"), exactnessOf(rewrite.exactness)});
  }
  return info;
}

StageOrder stageOrderOf(const GePassInfo &info) {
  return {info.priority, ownedNames(info.before, info.numBefore, "before"),
          ownedNames(info.after, info.numAfter, "after")};
}

std::shared_ptr<PassTable> tableOf(const GePassTable *table) {
  GePassTable given = sized(table, "GePassTable");
  if (!given.run)
    throwNull("run");
  return std::make_shared<PassTable>(given);
}

RunOptions runOptionsOf(const GePassOption *options, size_t numOptions) {
  needArray(options, numOptions, "options");
  RunOptions all;
  for (size_t i = 0; i < numOptions; ++i) {
    GePassOption option = sizedAt(options, i, "GePassOption");
    all[owned(option.name, "option")] = owned(option.value, "value");
  }
  return all;
}

std::unique_ptr<Pass> makePass(std::shared_ptr<PassTable> table, std::string name,
                               PassOptions options) {
  return std::make_unique<TablePass>(std::move(table), std::move(name), std::move(options));
}

} // namespace ge::capi

GeStringRef gePassRunName(GePassRun *run) {
  return run ? stringRef(run->context->passName()) : GeStringRef{"", 0};
}

GeStatus gePassRunGetOption(GePassRun *run, GeStringRef name, GeStringRef *value) {
  return guarded([&] {
    contextOf(run);
    const RunOptions &options = *run->options;
    std::string_view wanted = text(name, "name");
    GeStringRef &found = result(value, "value");
    auto at = options.find(wanted);
    if (at == options.end())
      throwError(ErrorKind::Key, "the run has no option '", wanted, "'");
    found = stringRef(at->second);
  });
}

GeStatus gePassRunForEachOption(GePassRun *run,
                                void (*callback)(GeStringRef name, GeStringRef value,
                                                 void *userData),
                                void *userData) {
  return guarded([&] {
    if (!callback)
      throwNull("callback");
    contextOf(run);
    for (const auto &[name, value] : *run->options)
      callback(stringRef(name), stringRef(value), userData);
  });
}

GeStatus gePassRunCount(GePassRun *run, GeStringRef statistic, uint64_t n) {
  return guarded([&] { contextOf(run).count(text(statistic, "statistic"), n); });
}

GeStatus gePassRunTakeRewrite(GePassRun *run, GeStringRef at, bool *out) {
  return guarded([&] {
    contextOf(run);
    bool &taken = result(out);
    RewriteObserver *observer = RewriteObserver::ofThread();
    taken = !observer || observer->mayRewrite();
    if (!observer || !taken)
      return;
    Rewrite rewrite;
    rewrite.at = text(at, "at");
    observer->tell(rewrite);
  });
}

GeStatus gePassRunTrace(GePassRun *run, GeStringRef name, GeStringRef given) {
  return guarded([&] { contextOf(run).trace(text(name, "name"), text(given, "text")); });
}

GeStatus gePassRunIsTraced(GePassRun *run, bool *out) {
  return guarded([&] { result(out) = contextOf(run).isTraced(); });
}

GeStatus gePassRunRemark(GePassRun *run, GeSeverity severity, GeLocation where,
                         GeStringRef message) {
  return guarded([&] {
    PassContext &context = contextOf(run);
    context.remark(needDiagnostic(severity, where ? unwrap(where) : nullptr, message));
  });
}

GeStatus gePassRunSetFailure(GePassRun *run, GeStringRef file, uint32_t line, GeStringRef message,
                             bool fatal) {
  return guarded([&] {
    PassContext &context = contextOf(run);
    Diagnostic failure;
    failure.file = text(file, "file");
    failure.line = line;
    failure.message = text(message, "message");
    run->failure = std::move(failure);
    if (fatal)
      context.setFatal();
  });
}

GeStatus gePassRunEraseGraphLater(GePassRun *run, GeGraphRef *graph) {
  return guarded([&] {
    PassContext &context = contextOf(run);
    Reading<Graph> g(graph, "graph");
    if (!g->isRoot() || !g->module())
      throwError(ErrorKind::Value, g->describe(), " is not a graph of a module");
    context.eraseLater(g.get());
  });
}

GeStatus gePassRegister(const GePassInfo *info, const GePassTable *table) {
  return guarded([&] {
    GePassInfo given = sized(info, "GePassInfo");
    PassInfo own = infoOf(given);
    std::shared_ptr<PassTable> held;
    if (own.pipeline.empty()) {
      held = tableOf(table);
      own.create = [held, name = own.name](const PassOptions &options) {
        return makePass(held, name, options);
      };
    }
    std::string name = own.name;
    StageOrder order = stageOrderOf(given);
    PassRegistry::global().add(std::move(own));
    StageOrders::global().set(name, std::move(order));
    if (held)
      held->own();
  });
}

GeStatus gePassUnregister(GeStringRef name) {
  return guarded([&] {
    std::string_view wanted = text(name, "name");
    if (!PassRegistry::global().remove(wanted))
      throwError(ErrorKind::Key, "no pass '", wanted, "' is registered");
    StageOrders::global().remove(wanted);
  });
}

GeStatus gePassForEach(void (*callback)(const GePassInfo *info, void *userData), void *userData) {
  return guarded([&] {
    if (!callback)
      throwNull("callback");
    for (const auto &info : PassRegistry::global().all())
      giveInfo(*info, callback, userData);
  });
}

GeStatus gePassForEachOfStage(GeStringRef stage, const GePassOption *options, size_t numOptions,
                              void (*callback)(const GePassInfo *info, void *userData),
                              void *userData) {
  return guarded([&] {
    if (!callback)
      throwNull("callback");
    std::vector<Diagnostic> warnings;
    for (const auto &info : passesOfStage(text(stage, "stage"), runOptionsOf(options, numOptions),
                                          PassRegistry::global(), warnings))
      giveInfo(*info, callback, userData);
  });
}
