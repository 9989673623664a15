//===- Run.cpp - Python passes in native pipelines --------------------------------------------===//
#include "Run.h"

#include "PopulatePasses.h"

#include "../Match/Match.h"

#include "../IR/ErrorText.h"

#include "ge-c/Host.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <pthread.h>

namespace ge::python {

namespace {

/// The object on which a pass counts and remarks. Expires with the call that it was created for.
struct PassRunObject {
  GePassRun *run = nullptr;
};

GePassRun *alive(const PassRunObject &self) {
  if (!self.run) {
    PyErr_SetString(exceptionOf(GE_ERROR_STALE), "PassContext has expired: its pass has ended");
    throw nb::python_error();
  }
  return self.run;
}

/// Reports the exception to C: its text, and the location for PassError. Never raises or throws,
/// whatever the methods of the exception do.
void describe(nb::python_error &error, GePassRun *run) noexcept {
  PyObject *exception = error.value().ptr();
  PyObject *detail = attributeOf(exception, "_ge_detail");
  std::string message = detail ? utf8Of(detail) : exceptionText(exception);
  Py_XDECREF(detail);
  std::string file;
  unsigned long line = 0;
  if (PyErr_GivenExceptionMatches(exception, exceptionOf(GE_ERROR_PASS))) {
    PyObject *given = attributeOf(exception, "file");
    file = utf8Of(given);
    Py_XDECREF(given);
    given = attributeOf(exception, "line");
    if (given && PyLong_Check(given)) {
      line = PyLong_AsUnsignedLong(given);
      if (PyErr_Occurred())
        dropError(), line = 0;
    }
    Py_XDECREF(given);
  }
  PyObject *given = attributeOf(exception, "_ge_fatal");
  bool fatal = isInterruption(exception) || (given && given == Py_True);
  Py_XDECREF(given);
  if (run)
    static_cast<void>(gePassRunSetFailure(run, stringRef(file),
                                          uint32_t(std::min<unsigned long>(line, UINT32_MAX)),
                                          stringRef(message), fatal));
  else
    geErrorSet(GE_ERROR_PASS, stringRef(message));
}

/// An interrupt is not a failure of a pass or hook: it ends the run, which raises it. Below a
/// native program nothing can raise it, so it is reported like any other failure.
bool isInterrupt(nb::python_error &error) {
  return RunState::ofThread() && isInterruption(error.value().ptr());
}
GeStatus interrupted(nb::python_error &error) {
  error.restore();
  return failInCallback("interrupted");
}

GeStatus failed(nb::python_error &error, GePassRun *run) {
  if (isInterrupt(error))
    return interrupted(error);
  describe(error, run);
  // Without a Python run, a native program runs the pipeline. It has the text; the exception is
  // dropped, so that no later call raises it.
  if (RunState *state = RunState::ofThread())
    state->keepFailure(error);
  return GE_ERROR_PASS;
}

/// The threads that run a Python pass, each with the nesting depth of passes. Guarded by the GIL,
/// so that an exception for a hook is never set on a thread that has left the hook.
class HookThread {
public:
  HookThread() : id_(uint64_t(pthread_self())) { ++all()[id_].depth; }
  ~HookThread() {
    auto at = all().find(id_);
    bool isCancelled = at->second.isCancelled;
    if (--at->second.depth == 0)
      all().erase(at);
    if (isCancelled)
      takeBack(id_);
  }
  HookThread(const HookThread &) = delete;
  HookThread &operator=(const HookThread &) = delete;

  /// Raises an exception at the next Python instruction of a thread that is inside a hook.
  static void raise(uint64_t id, PyObject *exception) {
    if (auto at = all().find(id); at != all().end()) {
      at->second.isCancelled = true;
      PyThreadState_SetAsyncExc(id, exception);
    }
  }

private:
  /// Clears an asynchronous exception that was set and not raised yet, which would otherwise be
  /// raised in unrelated Python code. It is replaced and raised here: after
  /// PyThreadState_SetAsyncExc with NULL, CPython 3.10 to 3.12 check for one at each later
  /// instruction, and 3.11 runs no further under a profiler.
  static void takeBack(uint64_t id) {
    nb::error_scope pending;
    if (PyThreadState_SetAsyncExc(id, PyExc_RuntimeError) != 1)
      return;
    if (nb::object code = nb::steal(Py_CompileString("0", "<ge>", Py_eval_input));
        code.is_valid()) {
      nb::dict globals;
      Py_XDECREF(PyEval_EvalCode(code.ptr(), globals.ptr(), globals.ptr()));
    }
    PyErr_Clear();
  }

  struct State {
    size_t depth = 0;
    bool isCancelled = false;
  };
  static std::map<uint64_t, State> &all() {
    // Never destroyed: hooks may run while the process exits.
    static auto &threads = *new std::map<uint64_t, State>();
    return threads;
  }
  uint64_t id_;
};

GeStatus create(void *userData, const GePassOption *options, size_t numOptions, void **instance) {
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  HookThread thread; // the __init__ of the pass is a hook, too
  try {
    nb::dict given;
    for (size_t i = 0; i < numOptions; ++i)
      given[newStr(options[i].name)] = newStr(options[i].value);
    *instance = nb::borrow(static_cast<PyObject *>(userData))(given).release().ptr();
    return GE_OK;
  } catch (nb::python_error &error) {
    return failed(error, nullptr);
  }
}

void destroy(void *instance) {
  if (GilAcquire gil{})
    Py_XDECREF(static_cast<PyObject *>(instance));
}

void release(void *userData) {
  if (GilAcquire gil{})
    Py_DECREF(static_cast<PyObject *>(userData));
}

PyObject *cancelledClass; ///< kept for ever

GeStatus cancelHooks(const uint64_t *threads, size_t numThreads, void *) {
  GilAcquire gil;
  if (!gil)
    return GE_OK; // no hook runs any more
  for (size_t i = 0; i < numThreads; ++i)
    HookThread::raise(threads[i], cancelledClass);
  return GE_OK;
}

GeStatus call(void *instance, PyObject *wrapper, GePassRun *run) {
  HookThread thread;
  nb::object context;
  try {
    nb::object target = nb::steal(checked(wrapper));
    context = nb::cast(PassRunObject{run});
    nb::borrow(static_cast<PyObject *>(instance))(target, context);
    nb::inst_ptr<PassRunObject>(context)->run = nullptr;
    return GE_OK;
  } catch (nb::python_error &error) {
    if (context.is_valid())
      nb::inst_ptr<PassRunObject>(context)->run = nullptr;
    return failed(error, run);
  }
}

GeStatus runGraph(void *instance, GeGraphRef *graph, GePassRun *run) {
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  geGraphRetain(graph);
  return call(instance, wrapRef(graph), run);
}

GeStatus runModule(void *instance, GeModule *module, GePassRun *run) {
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  geModuleRetain(module);
  return call(instance, wrapModule(module), run);
}

/// A pass of rules that may call no Python, and the factory for the Python version of it.
struct NativeRules {
  PyObject *factory;
  GeRule *rule;    ///< the only rule; null: use `rules`
  PyObject *rules; ///< owner of `rule`; else a function that returns a tuple of rules or None
};
/// One execution of the pass. The rules are owned by the pass, or by `held`.
struct RuleExecution {
  const NativeRules *pass;
  std::vector<GeRule *> rules;
  PyObject *held; ///< null: nothing
  void *adapter;  ///< of the Python version; null: the rules are applied without it
};

/// Returns the native rule of an object if it calls no Python; else null.
GeRule *nativeRuleOf(nb::handle object) {
  RuleObject *rule = nullptr;
  return nb::try_cast(object, rule) && rule && !rule->callsPython ? rule->ref : nullptr;
}

/// Calls the function of a pass that returns its rules. None: the pass is run in Python.
GeStatus findRules(RuleExecution &execution) {
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  HookThread thread;
  try {
    nb::object given = nb::borrow(execution.pass->rules)();
    if (given.is_none())
      return GE_OK;
    for (nb::handle each : nb::cast<nb::tuple>(given)) {
      GeRule *rule = nativeRuleOf(each);
      if (!rule) {
        execution.rules.clear();
        return GE_OK;
      }
      execution.rules.push_back(rule);
    }
    execution.held = given.release().ptr();
    return GE_OK;
  } catch (nb::python_error &error) {
    return failed(error, nullptr);
  }
}

void destroyRules(void *instance) {
  auto *execution = static_cast<RuleExecution *>(instance);
  if (!execution)
    return;
  if (execution->adapter)
    destroy(execution->adapter);
  if (execution->held)
    destroy(execution->held);
  delete execution;
}

GeStatus createRules(void *userData, const GePassOption *options, size_t numOptions,
                     void **instance) {
  auto *pass = static_cast<NativeRules *>(userData);
  std::unique_ptr<RuleExecution, void (*)(void *)> execution(
      new RuleExecution{pass, {}, nullptr, nullptr}, destroyRules);
  const RunState *state = RunState::ofThread();
  if (state && state->isPlain()) {
    if (pass->rule)
      execution->rules.push_back(pass->rule);
    else if (GeStatus status = findRules(*execution))
      return status;
  }
  if (execution->rules.empty())
    if (GeStatus status = create(pass->factory, options, numOptions, &execution->adapter))
      return status;
  *instance = execution.release();
  return GE_OK;
}

GeStatus applyRule(GeRule *rule, GeGraphRef *graph, GePassRun *run) {
  GeRewriteCounts counts{};
  counts.size = sizeof counts;
  if (GeStatus status = geGraphRewrite(graph, &rule, 1, nullptr, &counts, nullptr))
    return status;
  struct Count {
    std::string_view name;
    uint64_t number;
  };
  for (auto [name, number] : {Count{"matched", counts.rewrites}, Count{"cyclic", counts.cyclic},
                              Count{"exhausted", counts.exhausted}})
    if (number)
      if (GeStatus status = gePassRunCount(run, {name.data(), name.size()}, number))
        return status;
  return GE_OK;
}

GeStatus runRules(void *instance, GeGraphRef *graph, GePassRun *run) {
  auto *execution = static_cast<RuleExecution *>(instance);
  if (!execution->adapter) {
    GeStatus status = GE_OK;
    for (size_t i = 0; i != execution->rules.size() && status == GE_OK; ++i)
      status = applyRule(execution->rules[i], graph, run);
    if (status == GE_ERROR_INTERRUPTED || hasKeptException())
      return status ? status : GE_ERROR_GENERAL;
    if (status == GE_OK)
      return status;
    // A failed rule is undone and run again in Python, whose error tells where the rule is written.
    status = create(execution->pass->factory, nullptr, 0, &execution->adapter);
    if (status)
      return status;
  }
  return runGraph(execution->adapter, graph, run);
}

void releaseRules(void *userData) {
  auto *pass = static_cast<NativeRules *>(userData);
  release(pass->factory);
  release(pass->rules);
  delete pass;
}

nb::object retained(GeGraphRef *graph) {
  geGraphRetain(graph);
  return nb::steal(checked(wrapRef(graph)));
}
nb::object retained(GeNodeRef *node) {
  geNodeRetain(node);
  return nb::steal(checked(wrapRef(node)));
}
nb::object retained(GeValueRef *value) {
  geValueRetain(value);
  return nb::steal(checked(wrapRef(value)));
}

/// A list of handles, None where there is none.
template <typename Ref> nb::list listOf(Ref *const *refs, size_t count) {
  nb::list all;
  for (size_t i = 0; i < count; ++i)
    all.append(refs[i] ? retained(refs[i]) : nb::object(nb::none()));
  return all;
}

} // namespace

thread_local constinit RunState *RunState::current = nullptr;

RunState::RunState(Hooks hooks) : hooks_(std::move(hooks)), outer_(current) { current = this; }

void RunState::attach(GePassRunOptions &options) {
  options.userData = this;
  options.before = beforePass;
  options.after = afterPass;
  if (!hooks_.accept.is_none())
    options.accept = acceptPass;
  if (!hooks_.rewriting.is_none())
    options.rewriting = seeRewrite;
  if (!hooks_.sink.is_none())
    options.sink = [](GeStringRef text, void *self) {
      auto *state = static_cast<RunState *>(self);
      GilAcquire gil;
      if (!gil)
        return;
      try {
        state->hooks_.sink(newStr(text));
      } catch (nb::python_error &error) {
        if (isInterrupt(error))
          interrupted(error); // the next poll ends the run
        else
          error.discard_as_unraisable("the printing of a pipeline");
      }
    };
  options.entered = [](void *self) { static_cast<RunState *>(self)->released_.emplace(); };
  options.leaving = [](void *self) { static_cast<RunState *>(self)->released_.reset(); };
}

void RunState::keepFailure(nb::python_error &error) {
  if (failures_.empty()) // the exception is not from a pass of this run
    failures_.emplace_back();
  failures_.back() = nb::borrow(error.value());
}

void RunState::raiseFailure() const {
  if (failures_.empty() || !failures_.back().is_valid())
    return;
  PyObject *error = failures_.back().ptr();
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error)), error);
  throw nb::python_error();
}

nb::object RunState::failureOf(size_t index) const {
  return index < failures_.size() && failures_[index].is_valid() ? failures_[index] : nb::none();
}

nb::object RunState::failures(size_t count) const {
  if (std::ranges::none_of(failures_, [](const nb::object &each) { return each.is_valid(); }))
    return nb::none();
  nb::list all;
  for (size_t i = 0; i != count; ++i)
    all.append(failureOf(i));
  return all;
}

GeStatus RunState::failInHook(nb::python_error &error) {
  if (isInterrupt(error))
    return interrupted(error);
  describe(error, nullptr);
  error.restore();
  keepException();
  hookFailed_ = true;
  return GE_ERROR_GENERAL;
}

GeStatus RunState::beforePass(const GePassRecord *record, bool *run, void *self) {
  auto *state = static_cast<RunState *>(self);
  state->failures_.emplace_back();
  if (state->hooks_.before.is_none())
    return GE_OK;
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  try {
    nb::object answer = state->hooks_.before(newStr(record->pass), newStr(record->where));
    *run = answer.is_none() || nb::cast<bool>(nb::bool_(answer));
    return GE_OK;
  } catch (nb::python_error &error) {
    return state->failInHook(error);
  }
}

GeStatus RunState::afterPass(const GePassRecord *record, void *self) {
  auto *state = static_cast<RunState *>(self);
  // The exception comes from a native program that ran a pipeline inside this pass.
  bool isOfAnother = record->outcome != GE_PASS_FAILED && !state->failures_.empty() &&
                     state->failures_.back().is_valid();
  if (state->hooks_.after.is_none() && !isOfAnother)
    return GE_OK;
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  if (isOfAnother)
    state->failures_.back().reset();
  if (state->hooks_.after.is_none())
    return GE_OK;
  try {
    static constexpr const char *kOutcomes[] = {"unchanged", "changed", "skipped", "failed"};
    state->hooks_.after(newStr(record->pass), newStr(record->where), kOutcomes[record->outcome],
                        record->seconds);
    return GE_OK;
  } catch (nb::python_error &error) {
    return state->failInHook(error);
  }
}

GeStatus RunState::acceptPass(const GePassRecord *record, void *self) {
  auto *state = static_cast<RunState *>(self);
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  try {
    state->hooks_.accept(newStr(record->pass), newStr(record->where));
    return GE_OK;
  } catch (nb::python_error &error) {
    return failed(error, nullptr);
  }
}

GeStatus RunState::seeRewrite(const GePassRecord *record, const GeRewrite *rewrite, void *self) {
  auto *state = static_cast<RunState *>(self);
  GilAcquire gil;
  if (!gil)
    return failWithoutPython();
  try {
    nb::dict seen;
    seen["pass_name"] = newStr(record->pass);
    seen["where"] = newStr(record->where);
    seen["number"] = rewrite->number;
    seen["rule"] = newStr(rewrite->rule);
    seen["at"] = newStr(rewrite->at);
    seen["graph"] = rewrite->graph ? retained(rewrite->graph) : nb::none();
    seen["matched"] = listOf(rewrite->matched, rewrite->numMatched);
    seen["made"] = listOf(rewrite->made, rewrite->numMade);
    seen["before"] = listOf(rewrite->before, rewrite->numOutputs);
    seen["after"] = listOf(rewrite->after, rewrite->numOutputs);
    state->hooks_.rewriting(seen);
    return GE_OK;
  } catch (nb::python_error &error) {
    if (isInterrupt(error))
      return interrupted(error);
    // If Python called the rewrite, it raises the exception again; else the pass fails with it.
    describe(error, nullptr);
    if (rewrite->graph) {
      error.restore();
      keepException();
    } else {
      state->keepFailure(error);
    }
    return GE_ERROR_GENERAL;
  }
}

static GeStringRef keptText(const nb::object &value, const char *what,
                            std::vector<nb::object> &texts) {
  GeStringRef out;
  if (!toText(value.ptr(), what, out))
    throw nb::python_error();
  texts.push_back(value);
  return out;
}

std::vector<GePassOption> runOptionsOf(nb::handle given, std::vector<nb::object> &texts) {
  std::vector<GePassOption> options;
  for (auto [name, value] : nb::cast<nb::dict>(given))
    options.push_back({sizeof(GePassOption), keptText(nb::borrow(name), "name of an option", texts),
                       keptText(nb::borrow(value), "option", texts), GeStringRef{"", 0}});
  return options;
}

GePassTable tableOf(const nb::dict &info, const nb::object &factory, TableParts &parts) {
  std::vector<GePassOption> &options = parts.options;
  auto text = [&](const nb::object &value, const char *what) {
    return keptText(value, what, parts.texts);
  };
  auto field = [&](const char *key) -> GeStringRef {
    return info.contains(key) ? text(nb::object(info[key]), key) : GeStringRef{"", 0};
  };
  GePassTable table{};
  table.size = sizeof table;
  parts.info.size = sizeof parts.info;
  parts.info.name = field("name");
  parts.info.doc = field("doc");
  parts.info.kind = field("kind");
  parts.info.stage = field("stage");
  parts.info.origin = field("origin");
  parts.info.version = field("version");
  if (info.contains("options"))
    for (auto [name, otherwise] : nb::cast<nb::dict>(info["options"]))
      options.push_back({sizeof(GePassOption), text(nb::borrow(name), "option"),
                         text(nb::borrow(otherwise), "default"), GeStringRef{"", 0}});
  parts.info.numOptions = options.size();
  parts.info.options = options.data();
  if (info.contains("priority"))
    parts.info.priority = nb::cast<int64_t>(info["priority"]);
  auto names = [&](const char *key, std::vector<GeStringRef> &out) {
    if (info.contains(key))
      for (nb::handle name : info[key])
        out.push_back(text(nb::borrow(name), key));
    return out.size();
  };
  parts.info.numBefore = names("before", parts.before);
  parts.info.before = parts.before.data();
  parts.info.numAfter = names("after", parts.after);
  parts.info.after = parts.after.data();
  table.create = create;
  table.run = runGraph;
  if (info.contains("module") && nb::cast<bool>(info["module"]))
    table.runModule = runModule;
  table.destroy = destroy;
  table.release = release;
  table.userData = factory.ptr(); // the caller adds the reference when the table is taken
  return table;
}

void applyNatively(GePassTable &table, nb::handle rules) {
  GeRule *rule = nativeRuleOf(rules);
  if (!rule && !PyCallable_Check(rules.ptr()))
    return;
  table.userData =
      new NativeRules{static_cast<PyObject *>(table.userData), rule, Py_NewRef(rules.ptr())};
  table.create = createRules;
  table.run = runRules;
  table.destroy = destroyRules;
  table.release = releaseRules;
}

static void defineRunFunctions(nb::module_ &m) {
  m.def(
      "_set_cancelled",
      [](nb::handle exception) {
        cancelledClass = Py_NewRef(exception.ptr());
        check(geSetHookCanceller(cancelHooks, static_cast<void *>(&cancelledClass)));
      },
      nb::arg("exception"), "Set what is raised in a hook when a native host cancels its run.");
  m.def(
      "_take",
      [](nb::handle graph) {
        if (!PyObject_TypeCheck(graph.ptr(), classes.graph)) {
          raiseType("graph", "a Graph", graph.ptr());
          throw nb::python_error();
        }
        GeGraphRef *taken = nullptr;
        check(geGraphExpireHandles(payload<GraphObject>(graph.ptr()).ref, true, &taken));
        return nb::steal(checked(wrapRef(taken)));
      },
      nb::arg("graph"),
      "Consume a graph: its handles are stale; returns the only one that is not.");
}

void populatePassRun(nb::module_ &m) {
  defineRunFunctions(m);
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)}, {0, nullptr}};
  nb::class_<PassRunObject>(m, "_PassRun", nb::is_final(), nb::type_slots(slots),
                            "One execution of a pass, from inside; used by PassContext.")
      .def_prop_ro(
          "name", [](const PassRunObject &self) { return newStr(gePassRunName(alive(self))); },
          "Name of the pass in the pipeline.")
      .def_prop_ro(
          "is_alive", [](const PassRunObject &self) { return self.run != nullptr; },
          "Whether the pass still runs.")
      .def_prop_ro(
          "is_traced",
          [](const PassRunObject &self) {
            bool wanted;
            check(gePassRunIsTraced(alive(self), &wanted));
            return wanted;
          },
          "Whether a trace of the run is wanted.")
      .def(
          "trace",
          [](const PassRunObject &self, nb::str name, nb::str given) {
            GeStringRef key, text;
            if (!toText(name.ptr(), "name", key) || !toText(given.ptr(), "text", text))
              throw nb::python_error();
            check(gePassRunTrace(alive(self), key, text));
          },
          nb::arg("name"), nb::arg("text"), "Tell the trace of the run something.")
      .def(
          "options",
          [](const PassRunObject &self) {
            nb::dict all;
            check(gePassRunForEachOption(
                alive(self),
                [](GeStringRef name, GeStringRef value, void *to) {
                  (*static_cast<nb::dict *>(to))[newStr(name)] = newStr(value);
                },
                &all));
            return all;
          },
          "The options of the run as a new dict.")
      .def(
          "count",
          [](const PassRunObject &self, nb::str statistic, uint64_t n) {
            GeStringRef text;
            if (!toText(statistic.ptr(), "statistic", text))
              throw nb::python_error();
            check(gePassRunCount(alive(self), text, n));
          },
          nb::arg("statistic"), nb::arg("n") = 1, "Add `n` to a number of that name.")
      .def(
          "take_rewrite",
          [](const PassRunObject &self, nb::str at) {
            GeStringRef text;
            if (!toText(at.ptr(), "at", text))
              throw nb::python_error();
            bool taken = false;
            GeStatus status = gePassRunTakeRewrite(alive(self), text, &taken);
            if (status && RunState::ofThread())
              // The original exception: it may be an interrupt.
              RunState::ofThread()->raiseFailure();
            check(status);
            return taken;
          },
          nb::arg("at"), "Whether a rewrite that begins at that node may happen; then it counts.")
      .def(
          "remark",
          [](const PassRunObject &self, nb::str message, bool warning) {
            GeStringRef text;
            if (!toText(message.ptr(), "message", text))
              throw nb::python_error();
            check(gePassRunRemark(alive(self), warning ? GE_SEVERITY_WARNING : GE_SEVERITY_REMARK,
                                  nullptr, text));
          },
          nb::arg("message"), nb::arg("warning") = false,
          "Record a remark, which does not fail the pass; it is in the result of the run.");
}

} // namespace ge::python
