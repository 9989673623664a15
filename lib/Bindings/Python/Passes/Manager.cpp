//===- Manager.cpp - the native pass manager and its reports ----------------------------------===//
#include "PopulatePasses.h"
#include "Run.h"

#include "../IR/Paths.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace ge::python {

namespace {

struct ReportObject {
  GePassReport *ref = nullptr;
  ReportObject() = default;
  ReportObject(const ReportObject &) = delete;
  ~ReportObject() { gePassReportDestroy(ref); }
};

/// What is the same for all runs of a manager, until it is changed.
struct RunSettings {
  GePassRunOptions options;
  GePrintOptions print = {sizeof(GePrintOptions), false, false, -1};
  std::vector<PathBytes> paths; ///< to which `options` refers
};

struct ManagerObject {
  GePassManager *ref = nullptr;
  std::unique_ptr<RunSettings> settings;
  ManagerObject() = default;
  ManagerObject(const ManagerObject &) = delete;
  ~ManagerObject() { gePassManagerDestroy(ref); }
};

/// The fields of PassResult; of a failure, its diagnostic and kind, else None and None.
nb::tuple recordOf(const ReportObject &report, size_t index) {
  static constexpr const char *kOutcomes[] = {"unchanged", "changed", "skipped", "failed"};
  static constexpr const char *kFailures[] = {"", "raised", "invalid-graph", "contradiction",
                                              "refused"};
  GePassRecord record;
  check(gePassReportGet(report.ref, index, &record));
  nb::dict statistics;
  for (size_t i = 0; i < record.numStatistics; ++i) {
    GeStringRef name;
    uint64_t value;
    check(gePassRecordGetStatistic(&record, i, &name, &value));
    statistics[newStr(name)] = value;
  }
  nb::list remarks;
  for (size_t i = 0; i < record.numRemarks; ++i) {
    GeDiagnostic remark;
    check(gePassRecordGetRemark(&record, i, &remark));
    remarks.append(newDiagnostic(remark));
  }
  nb::object diagnostic = nb::none(), kind = nb::none();
  if (record.outcome == GE_PASS_FAILED) {
    GeDiagnostic error;
    check(gePassRecordGetError(&record, &error));
    diagnostic = newDiagnostic(error);
    kind = nb::str(kFailures[record.failure]);
  }
  return nb::make_tuple(newStr(record.pass), newStr(record.where), kOutcomes[record.outcome],
                        record.start, record.seconds, record.rewrites, statistics, remarks,
                        diagnostic, kind);
}

/// Reads a dict of keyword arguments.
std::unique_ptr<RunSettings> settingsOf(const nb::dict &given) {
  auto settings = std::make_unique<RunSettings>();
  GePassRunOptions &options = settings->options;
  gePassRunOptionsInit(&options, sizeof options);
  options.print = &settings->print;
  struct Flag {
    std::string_view name;
    bool GePassRunOptions::*member;
  };
  static constexpr Flag kFlags[] = {
      {"verify", &GePassRunOptions::verify},
      {"verify_whole", &GePassRunOptions::verifyWhole},
      {"accept_contradictions", &GePassRunOptions::acceptContradictions},
      {"print_before", &GePassRunOptions::printBefore},
      {"print_after", &GePassRunOptions::printAfter},
      {"print_changed", &GePassRunOptions::printChanged},
      {"print_failed", &GePassRunOptions::printFailed}};
  for (auto [key, value] : given) {
    std::string_view name = nb::cast<std::string_view>(key);
    auto flag = std::ranges::find(kFlags, name, &Flag::name);
    if (flag != std::end(kFlags)) {
      options.*flag->member = nb::cast<bool>(value);
    } else if (name == "bisect_limit") {
      options.hasBisectLimit = true;
      options.bisectLimit = nb::cast<uint64_t>(value);
    } else if (name == "rewrite_limit") {
      options.hasRewriteLimit = true;
      options.rewriteLimit = nb::cast<uint64_t>(value);
    } else if (name == "elide") {
      settings->print.elideElementsLargerThan = nb::cast<int64_t>(value);
    } else if (name == "tree_directory") {
      options.treeDirectory = settings->paths.emplace_back(value).ref();
    } else if (name == "reproducer") {
      options.reproducer = settings->paths.emplace_back(value).ref();
    }
  }
  return settings;
}

/// The exception of a failed run, for Python to raise; None if the run succeeded.
nb::object exceptionOfRun(GeStatus status, const RunState &state, const ReportObject &report) {
  nb::object kept = nb::none();
  // Always taken, because no later call would take it.
  if (hasKeptException()) {
    raise(GE_ERROR_GENERAL);
    kept = nb::borrow(nb::python_error().value());
    // An exception that ends the program is not the failure of a pass, for example an interrupt
    // during evaluation.
    if (PyObject_IsInstance(kept.ptr(), PyExc_Exception) != 1)
      return kept;
  }
  if (!kept.is_none() && isInterruption(kept.ptr()))
    return kept;
  if (status == GE_OK)
    return nb::none();
  if (state.hasHookFailed() && !kept.is_none())
    return kept;
  size_t last = gePassReportSize(report.ref);
  if (status == GE_ERROR_PASS && last != 0)
    if (nb::object failure = state.failureOf(last - 1); !failure.is_none())
      return failure;
  raise(status);
  nb::object error = nb::borrow(nb::python_error().value());
  if (!kept.is_none())
    PyException_SetCause(error.ptr(), kept.release().ptr());
  return error;
}

nb::object run(const ManagerObject &self, nb::object target, const nb::dict &given,
               bool skipFailures, bool isTraced, bool isPlain, nb::object sink, nb::object before,
               nb::object after, nb::object accept, nb::object rewriting) {
  bool isModule = PyObject_TypeCheck(target.ptr(), classes.module);
  if (!isModule && !PyObject_TypeCheck(target.ptr(), classes.graph)) {
    raiseType("target", "a Module or a Graph", target.ptr());
    throw nb::python_error();
  }
  auto report = std::make_unique<ReportObject>();
  check(gePassReportCreate(&report->ref));
  GePassRunOptions options = self.settings->options;
  options.skipFailures = skipFailures;
  options.trace = isTraced;
  std::vector<nb::object> texts;
  std::vector<GePassOption> runOptions = runOptionsOf(given, texts);
  options.numOptions = runOptions.size();
  options.options = runOptions.data();
  nb::object error, failures;
  {
    RunState state({std::move(before), std::move(after), std::move(sink), std::move(accept),
                    std::move(rewriting)});
    state.attach(options);
    state.setPlain(isPlain);
    GeStatus status =
        isModule ? gePassManagerRunModule(self.ref, payload<ModuleObject>(target.ptr()).ref,
                                          &options, report->ref)
                 : gePassManagerRunGraph(self.ref, payload<GraphObject>(target.ptr()).ref, &options,
                                         report->ref);
    error = exceptionOfRun(status, state, *report);
    failures = state.failures(gePassReportSize(report->ref));
  }
  // Not stored in the report: a traceback may refer to the report, and the collector cannot
  // traverse it.
  return nb::make_tuple(nb::cast(report.release(), nb::rv_policy::take_ownership), error, failures);
}

/// Appends a pass to a list, as a dict.
void appendInfo(const GePassInfo *info, void *to) {
  auto names = [](const GeStringRef *given, size_t count) {
    nb::list all;
    for (size_t i = 0; i < count; ++i)
      all.append(newStr(given[i]));
    return all;
  };
  nb::dict out, options;
  out["name"] = newStr(info->name);
  out["doc"] = newStr(info->doc);
  out["kind"] = newStr(info->kind);
  out["stage"] = newStr(info->stage);
  out["origin"] = newStr(info->origin);
  out["version"] = newStr(info->version);
  out["pipeline"] = newStr(info->pipeline);
  out["priority"] = info->priority;
  out["before"] = names(info->before, info->numBefore);
  out["after"] = names(info->after, info->numAfter);
  for (size_t i = 0; i < info->numOptions; ++i)
    options[newStr(info->options[i].name)] =
        nb::make_tuple(newStr(info->options[i].value), newStr(info->options[i].doc));
  out["options"] = options;
  out["exactness"] = newStr(info->exactness);
  nb::dict rewrites;
  for (size_t i = 0; i < info->numRewrites; ++i)
    rewrites[newStr(info->rewrites[i].what)] = newStr(info->rewrites[i].exactness);
  out["rewrites"] = rewrites;
  static_cast<nb::list *>(to)->append(out);
}

nb::list listNative() {
  nb::list all;
  check(gePassForEach(appendInfo, &all));
  return all;
}

nb::list listStage(nb::str stage, const nb::dict &given) {
  std::vector<nb::object> texts;
  std::vector<GePassOption> options = runOptionsOf(given, texts);
  nb::list all;
  check(gePassForEachOfStage(textOf(stage, "stage"), options.data(), options.size(), appendInfo,
                             &all));
  return all;
}

void bindReport(nb::module_ &m) {
  nb::class_<ReportObject>(m, "_Report", nb::is_final(), "What a run of a pipeline did.")
      .def("__len__", [](const ReportObject &self) { return gePassReportSize(self.ref); })
      .def("record", recordOf, nb::arg("index"),
           "One execution of one pass: the fields of PassResult, and its diagnostic or None.")
      .def_prop_ro(
          "remarks",
          [](const ReportObject &self) {
            nb::list all;
            for (size_t i = 0; i < gePassReportNumRemarks(self.ref); ++i) {
              GeDiagnostic remark;
              check(gePassReportGetRemark(self.ref, i, &remark));
              all.append(newDiagnostic(remark));
            }
            return all;
          },
          "Of the run itself, not of one pass.")
      .def_prop_ro(
          "has_findings",
          [](const ReportObject &self) {
            bool found = gePassReportNumRemarks(self.ref) != 0;
            for (size_t i = 0; !found && i < gePassReportSize(self.ref); ++i) {
              GePassRecord record;
              check(gePassReportGet(self.ref, i, &record));
              found = record.numRemarks != 0 || record.outcome == GE_PASS_FAILED;
            }
            return found;
          },
          "Whether there are remarks or failures.")
      .def_prop_ro(
          "changed", [](const ReportObject &self) { return gePassReportHasChanged(self.ref); },
          "Whether a pass changed something.")
      .def_prop_ro(
          "seconds", [](const ReportObject &self) { return gePassReportSeconds(self.ref); },
          "Of the whole run.")
      .def(
          "text",
          [](const ReportObject &self, const std::string &form) {
            std::string text;
            GePassReportForm number = form == "timing"       ? GE_PASS_TIMING
                                      : form == "statistics" ? GE_PASS_STATISTICS
                                                             : GE_PASS_TRACE;
            check(gePassReportPrint(self.ref, number, appendTo, &text));
            return newStr(stringRef(text));
          },
          nb::arg("form"), "Tables of timing and statistics, or the trace.");
}

void bindPassManager(nb::module_ &m) {
  nb::class_<ManagerObject>(m, "_PassManager", nb::is_final(), "A native pass manager.")
      .def(
          "__init__",
          [](ManagerObject *self, nb::str text) {
            new (self) ManagerObject();
            self->settings = settingsOf(nb::dict());
            check(gePassManagerParse(textOf(text, "pipeline"), &self->ref));
          },
          nb::arg("text") = "")
      .def(
          "add",
          [](ManagerObject &self, nb::str text) {
            check(gePassManagerAdd(self.ref, textOf(text, "pipeline")));
          },
          nb::arg("text"), "Add the pipeline of a text.")
      .def(
          "add_stage",
          [](ManagerObject &self, nb::str stage, const nb::dict &given) {
            std::vector<nb::object> texts;
            std::vector<GePassOption> options = runOptionsOf(given, texts);
            check(gePassManagerAddStage(self.ref, textOf(stage, "stage"), options.data(),
                                        options.size()));
          },
          nb::arg("stage"), nb::arg("options"), "Add the passes of a stage that are on.")
      .def(
          "add_pass",
          [](ManagerObject &self, const nb::dict &info, nb::object factory, nb::object rules) {
            TableParts parts;
            GePassTable table = tableOf(info, factory, parts);
            applyNatively(table, rules);
            if (GeStatus status = gePassManagerAddTable(self.ref, &parts.info, &table)) {
              factory.inc_ref(); // the table drops one
              table.release(table.userData);
              check(status);
            }
            factory.release();
          },
          nb::arg("info"), nb::arg("factory"), nb::arg("rules") = nb::none(),
          "Add a pass of Python that is in no registry. `rules`: the rule that it applies, or a "
          "function that gives the tuple of its rules if these call no Python, else None.")
      .def(
          "set_option",
          [](ManagerObject &self, nb::str option, nb::str value) {
            check(
                gePassManagerSetOption(self.ref, textOf(option, "option"), textOf(value, "value")));
          },
          nb::arg("option"), nb::arg("value"),
          "Give an option to each pass that has it and is not given it.")
      .def("__str__",
           [](const ManagerObject &self) {
             std::string text;
             check(gePassManagerPrint(self.ref, appendTo, &text));
             return newStr(stringRef(text));
           })
      .def(
          "configure",
          [](ManagerObject &self, const nb::dict &given) { self.settings = settingsOf(given); },
          nb::arg("settings"), "Set what later runs verify, print and limit; else the defaults.")
      .def("run", run, nb::arg("target").none(), nb::arg("options"), nb::arg("skip_failures"),
           nb::arg("trace"), nb::arg("plain"), nb::arg("sink").none(), nb::arg("before").none(),
           nb::arg("after").none(), nb::arg("accept").none(), nb::arg("rewriting").none(),
           "Run it; returns the report, the exception of a failure or None, and the exceptions of "
           "the executions, a list with None where there is none, or None.");
}

} // namespace

void populateManager(nb::module_ &m) {
  bindReport(m);
  bindPassManager(m);
  m.def(
      "_register",
      [](const nb::dict &info, nb::object factory, nb::object rules) {
        TableParts parts;
        GePassTable table = tableOf(info, factory, parts);
        applyNatively(table, rules);
        if (GeStatus status = gePassRegister(&parts.info, &table)) {
          factory.inc_ref(); // the table drops one
          table.release(table.userData);
          check(status);
        }
        factory.release();
      },
      nb::arg("info"), nb::arg("factory"), nb::arg("rules") = nb::none(),
      "Put a pass of Python into the registry; `rules` as for a manager.");
  m.def(
      "_unregister", [](nb::str name) { check(gePassUnregister(textOf(name, "name"))); },
      nb::arg("name"), "Take a pass out of the registry.");
  m.def("_list_native", listNative, "All passes of the registry as dicts, sorted by name.");
  m.def("_list_stage", listStage, nb::arg("stage"), nb::arg("options"),
        "The passes of a stage that are on, in their order, as dicts.");
}

} // namespace ge::python
