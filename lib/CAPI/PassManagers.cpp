//===- PassManagers.cpp - ge-c/Passes.h: pipelines and reports --------------------------------===//
#include "Passes.h"
#include "Printing.h"

using namespace ge;
using namespace ge::capi;

struct GePassManager {
  PassManager core;
};
struct GePassReport {
  PassReport core;
};

namespace {

GePassManager &needManager(GePassManager *manager) {
  if (!manager)
    throwNull("manager");
  return *manager;
}

GePassRecord view(const PassRecord &record) {
  GePassRecord out{};
  out.pass = stringRef(record.pass);
  out.where = stringRef(record.where);
  out.outcome = static_cast<GePassOutcome>(record.outcome);
  out.start = record.start;
  out.seconds = record.seconds;
  out.rewrites = record.rewrites;
  out.numStatistics = record.statistics.size();
  out.numRemarks = record.remarks.size();
  out.impl = reinterpret_cast<const GePassRecordImpl *>(&record);
  out.failure = static_cast<GePassFailure>(record.failure);
  return out;
}
static_assert(int(PassRecord::Outcome::Failed) == GE_PASS_FAILED);
static_assert(int(PassRecord::Failure::Refused) == GE_PASS_FAILURE_REFUSED);

const PassRecord &recordOf(const GePassRecord *record) {
  const GePassRecordImpl *impl = sized(record, "GePassRecord").impl;
  if (!impl)
    throwNull("record");
  return *reinterpret_cast<const PassRecord *>(impl);
}

/// The error of a hook, which ends the run with the hook's own status.
void throwHook(GeStatus status) {
  if (status == GE_OK)
    return;
  throwIfInterrupted(status);
  int number = numberOf(status);
  bool known = number > GE_OK && number <= GE_ERROR_INTERNAL;
  throw Error(known ? ErrorKind(number) : ErrorKind::General,
              std::string(text(geErrorMessage(), "message")));
}

/// New references to objects, for the duration of a call.
template <typename T> class HeldReferences {
public:
  explicit HeldReferences(std::span<T *const> objects) {
    for (T *object : objects)
      refs_.push_back(object ? newRef(object) : nullptr);
  }
  ~HeldReferences() {
    for (auto *ref : refs_)
      if constexpr (std::is_same_v<T, Node>)
        geNodeRelease(ref);
      else
        geValueRelease(ref);
  }
  HeldReferences(const HeldReferences &) = delete;
  HeldReferences &operator=(const HeldReferences &) = delete;
  auto *const *data() const { return refs_.data(); }
  size_t size() const { return refs_.size(); }

private:
  std::vector<typename RefOf<T>::Type *> refs_;
};

using Rewriting = GeStatus (*)(const GePassRecord *, const GeRewrite *, void *);

void callRewriting(Rewriting rewriting, void *userData, const PassRecord &record,
                   const Rewrite &rewrite, uint64_t number) {
  GePassRecord seen = view(record);
  HeldReferences<Node> matched(rewrite.matched), made(rewrite.made);
  HeldReferences<Value> before(rewrite.before), after(rewrite.after);
  GeRewrite shown{};
  shown.number = number;
  shown.rule = stringRef(rewrite.rule);
  shown.at = stringRef(rewrite.at);
  shown.graph = rewrite.graph ? newRef(rewrite.graph) : nullptr;
  shown.matched = matched.data();
  shown.numMatched = matched.size();
  shown.made = made.data();
  shown.numMade = made.size();
  shown.before = before.data();
  shown.after = after.data();
  shown.numOutputs = before.size();
  InterruptPause pause;
  GeStatus status = rewriting(&seen, &shown, userData);
  geGraphRelease(shown.graph);
  throwHook(status);
}

PassInstrumentation instrumentationOf(const GePassRunOptions *chosen) {
  PassInstrumentation options;
  if (!chosen)
    return options;
  GePassRunOptions given = sized(chosen, "GePassRunOptions");
  options.options = runOptionsOf(given.options, given.numOptions);
  options.verify = given.verify;
  options.verifyWhole = given.verifyWhole;
  options.trace = given.trace;
  options.acceptContradictions = given.acceptContradictions;
  options.skipFailures = given.skipFailures;
  if (given.hasBisectLimit)
    options.bisectLimit = int64_t(std::min<uint64_t>(given.bisectLimit, INT64_MAX));
  if (given.hasRewriteLimit)
    options.rewriteLimit = int64_t(std::min<uint64_t>(given.rewriteLimit, INT64_MAX));
  options.printBefore = given.printBefore;
  options.printAfter = given.printAfter;
  options.printChanged = given.printChanged;
  options.printFailed = given.printFailed;
  options.print = printOptionsOf(given.print);
  options.treeDirectory = text(given.treeDirectory, "treeDirectory");
  options.reproducer = text(given.reproducer, "reproducer");
  void *userData = given.userData;
  if (GeStringCallback sink = given.sink)
    options.sink = [=](std::string_view piece) { give(piece, sink, userData); };
  if (auto *before = given.before)
    options.before = [=](const PassRecord &record) {
      GePassRecord seen = view(record);
      bool run = true;
      InterruptPause pause;
      throwHook(before(&seen, &run, userData));
      return run;
    };
  if (auto *after = given.after)
    options.after = [=](const PassRecord &record) {
      GePassRecord seen = view(record);
      InterruptPause pause;
      throwHook(after(&seen, userData));
    };
  if (auto *accept = given.accept)
    options.accept = [=](const PassRecord &record) {
      GePassRecord seen = view(record);
      InterruptPause pause;
      throwHook(accept(&seen, userData));
    };
  if (auto *rewriting = given.rewriting)
    options.rewriting = [=](const PassRecord &record, const Rewrite &rewrite, uint64_t number) {
      callRewriting(rewriting, userData, record, rewrite, number);
    };
  if (auto *entered = given.entered)
    options.entered = [=] { entered(userData); };
  if (auto *leaving = given.leaving)
    options.leaving = [=] { leaving(userData); };
  return options;
}

} // namespace

// --- Pipelines

GeStatus gePassManagerParse(GeStringRef pipeline, GePassManager **out) {
  return guarded([&] {
    GePassManager *&made = result(out);
    made = new GePassManager{PassManager::parse(text(pipeline, "pipeline"))};
  });
}
GeStatus gePassManagerAddStage(GePassManager *manager, GeStringRef stage,
                               const GePassOption *options, size_t numOptions) {
  return guarded([&] {
    needManager(manager).core.addStage(text(stage, "stage"), runOptionsOf(options, numOptions));
  });
}
void gePassManagerDestroy(GePassManager *manager) { delete manager; }

GeStatus gePassManagerAdd(GePassManager *manager, GeStringRef pipeline) {
  return guarded([&] { needManager(manager).core.add(text(pipeline, "pipeline")); });
}

GeStatus gePassManagerAddTable(GePassManager *manager, const GePassInfo *info,
                               const GePassTable *table) {
  return guarded([&] {
    GePassManager &m = needManager(manager);
    PassInfo own = infoOf(sized(info, "GePassInfo"));
    if (!own.pipeline.empty())
      throwError(ErrorKind::Value, "an alias is added by its pipeline");
    std::shared_ptr<PassTable> held = tableOf(table);
    m.core.add(std::shared_ptr<Pass>(makePass(held, own.name, {})));
    held->own();
  });
}

GeStatus gePassManagerSetOption(GePassManager *manager, GeStringRef option, GeStringRef value) {
  return guarded([&] {
    GePassManager &m = needManager(manager);
    PassManager changed = m.core; // a copy, so that a failure changes nothing
    changed.setOption(text(option, "option"), text(value, "value"));
    m.core = std::move(changed);
  });
}

GeStatus gePassManagerPrint(GePassManager *manager, GeStringCallback callback, void *userData) {
  return guarded([&] { give(needManager(manager).core.str(), callback, userData); });
}

void gePassRunOptionsInit(GePassRunOptions *options, size_t size) {
  if (!options)
    return;
  GePassRunOptions defaults{};
  defaults.size = size;
  defaults.verify = true;
  std::memset(static_cast<void *>(options), 0, size);
  std::memcpy(static_cast<void *>(options), &defaults, std::min(size, sizeof defaults));
}

GeStatus gePassManagerRunModule(GePassManager *manager, GeModule *module,
                                const GePassRunOptions *options, GePassReport *report) {
  return interruptible(geModuleGetContext(module), [&] {
    const GePassManager &m = needManager(manager);
    ReleaseDelay delay;
    Module &target = *LiveModule<Access::Write>(module, "module").get();
    for (size_t i = 0; i < target.numGraphs(); ++i)
      if (Root &root = target.graph(i)->root(); root.editsBlocked())
        throwBlocked(root);
    PassReport unasked;
    target.retain(); // passes may release their references
    try {
      m.core.run(target, instrumentationOf(options), report ? report->core : unasked);
    } catch (...) {
      target.release();
      throw;
    }
    target.release();
  });
}

GeStatus gePassManagerRunGraph(GePassManager *manager, GeGraphRef *graph,
                               const GePassRunOptions *options, GePassReport *report) {
  return interruptible(graph ? geRefGetContext(graph) : nullptr, [&] {
    const GePassManager &m = needManager(manager);
    Writing<Graph> target(graph, "graph");
    PassReport unasked;
    m.core.run(*target.get(), instrumentationOf(options), report ? report->core : unasked);
  });
}

// --- Reports

GeStatus gePassRecordGetStatistic(const GePassRecord *record, size_t index, GeStringRef *name,
                                  uint64_t *value) {
  return guarded([&] {
    const PassStatistics &statistics = recordOf(record).statistics;
    auto at = std::next(statistics.begin(), needIndex("statistic", index, statistics.size()));
    result(name, "name") = stringRef(at->first);
    result(value, "value") = at->second;
  });
}
GeStatus gePassRecordGetRemark(const GePassRecord *record, size_t index, GeDiagnostic *out) {
  return guarded([&] {
    const std::vector<Diagnostic> &remarks = recordOf(record).remarks;
    giveSized(capi::view(remarks[needIndex("remark", index, remarks.size())]), out, "GeDiagnostic");
  });
}
GeStatus gePassRecordGetError(const GePassRecord *record, GeDiagnostic *out) {
  return guarded([&] { giveSized(capi::view(recordOf(record).error), out, "GeDiagnostic"); });
}

GeStatus gePassReportCreate(GePassReport **out) {
  return guarded([&] {
    GePassReport *&made = result(out);
    made = new GePassReport;
  });
}
void gePassReportDestroy(GePassReport *report) { delete report; }
size_t gePassReportSize(GePassReport *report) { return report ? report->core.records.size() : 0; }
GeStatus gePassReportGet(GePassReport *report, size_t index, GePassRecord *out) {
  return guarded([&] {
    if (!report)
      throwNull("report");
    const auto &records = report->core.records;
    giveSized(view(records[needIndex("record", index, records.size())]), out, "GePassRecord");
  });
}
size_t gePassReportNumRemarks(GePassReport *report) {
  return report ? report->core.remarks.size() : 0;
}
GeStatus gePassReportGetRemark(GePassReport *report, size_t index, GeDiagnostic *out) {
  return guarded([&] {
    if (!report)
      throwNull("report");
    const std::vector<Diagnostic> &remarks = report->core.remarks;
    giveSized(capi::view(remarks[needIndex("remark", index, remarks.size())]), out, "GeDiagnostic");
  });
}
bool gePassReportHasChanged(GePassReport *report) { return report && report->core.changed; }
double gePassReportSeconds(GePassReport *report) { return report ? report->core.seconds : 0; }

GeStatus gePassReportPrint(GePassReport *report, GePassReportForm form, GeStringCallback callback,
                           void *userData) {
  return guarded([&] {
    if (!report)
      throwNull("report");
    switch (numberOf(form)) {
    case GE_PASS_TIMING:
      return give(report->core.timing(), callback, userData);
    case GE_PASS_STATISTICS:
      return give(report->core.statistics(), callback, userData);
    case GE_PASS_TRACE:
      return give(report->core.trace(), callback, userData);
    default:
      throwError(ErrorKind::Value, "there is no form ", numberOf(form), " of reports");
    }
  });
}
