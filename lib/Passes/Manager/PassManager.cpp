//===- PassManager.cpp - runs a pipeline ------------------------------------------------------===//
#include "ge/Passes/Manager/PassManager.h"

#include "EditChecks.h"
#include "PassOutput.h"

#include "ge/IR/Analysis.h"
#include "ge/Passes/Manager/RunMemory.h"
#include "ge/Passes/Manager/Stages.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace ge {

namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string describe(const PassTarget &target) {
  if (target.graph)
    return target.graph->describe();
  return target.module->name().empty() ? "the module" : cat("module '", target.module->name(), "'");
}

bool readsModule(const std::vector<PipelineElement> &elements) {
  return std::ranges::any_of(elements, [](const PipelineElement &element) {
    return (element.info && element.info->readsModule) || readsModule(element.children);
  });
}

/// Read access to a graph's module and all graphs in it.
class ModuleReading {
public:
  explicit ModuleReading(const Module &module) : list_(module) {
    for (size_t i = 0; i != module.numGraphs(); ++i)
      graphs_.push_back(std::make_unique<ReadAccess>(module.graph(i)->root(), true));
  }

private:
  ModuleReadAccess list_;
  std::vector<std::unique_ptr<ReadAccess>> graphs_;
};

/// Write access for this thread to everything that a run may change, and read access to what it
/// reads.
class Exclusive {
public:
  Exclusive(const PassTarget &target, bool readsModule) : module_(target.module) {
    if (module_)
      module_->access().acquireWrite(kWork);
    try {
      forEachGraph(target, [this](Graph *graph) {
        graph->root().access().acquireWrite(kWork);
        graph->root().hold();
        roots_.push_back(&graph->root());
      });
      if (const Module *around = target.graph ? target.graph->module() : nullptr;
          around && readsModule)
        reading_.emplace(*around);
    } catch (...) {
      release();
      throw;
    }
    for (Root *root : roots_)
      root->drainReleased();
  }
  ~Exclusive() { release(); }
  Exclusive(const Exclusive &) = delete;
  Exclusive &operator=(const Exclusive &) = delete;

private:
  static constexpr std::string_view kWork = "a pipeline of passes";

  void release() {
    reading_.reset(); // must end before the module is released
    for (Root *root : roots_) {
      root->access().releaseWrite();
      root->drop();
    }
    if (module_)
      module_->access().releaseWrite();
  }
  Module *module_;
  std::vector<Root *> roots_;
  std::optional<ModuleReading> reading_;
};

/// The edits of one execution of a pass, which are kept or undone as a whole.
class Attempt {
public:
  explicit Attempt(const PassTarget &target) : target_(target), graphs_(graphsOf(target)) {
    for (Graph *graph : graphs_) {
      transactions_.push_back(std::make_unique<Transaction>(graph->root()));
      lendings_.push_back(graph->root().lendHandles());
    }
    checks_.emplace(target);
  }
  ~Attempt() { rollback(); }
  Attempt(const Attempt &) = delete;
  Attempt &operator=(const Attempt &) = delete;

  bool hasChanged() const {
    if (target_.module && graphsOf(target_) != graphs_)
      return true;
    return std::ranges::any_of(transactions_, &Transaction::hasEdits,
                               [](const auto &t) -> const Transaction & { return *t; });
  }
  const EditChecks &checks() const { return *checks_; }
  void commit(const std::vector<Graph *> &doomed) {
    for (auto &transaction : transactions_)
      if (!transaction->isInnermost())
        throwError(ErrorKind::Value, "a transaction that it opened on ",
                   transaction->root().graph()->describe(),
                   " is still open; end each with commit or rollback");
    isDone_ = true;
    for (auto &transaction : transactions_)
      transaction->commit();
    expireHandles();
    for (Graph *graph : doomed)
      target_.module->erase(graph);
  }
  void rollback() {
    if (std::exchange(isDone_, true))
      return;
    for (auto &transaction : transactions_)
      transaction->rollbackAll();
    expireHandles();
    if (!target_.module)
      return;
    for (Graph *graph : graphsOf(target_)) // including graphs that the pass added
      if (std::find(graphs_.begin(), graphs_.end(), graph) == graphs_.end())
        target_.module->erase(graph);
  }

private:
  void expireHandles() {
    for (size_t i = 0; i != transactions_.size(); ++i)
      transactions_[i]->root().expireHandles(lendings_[i]);
  }

  PassTarget target_;
  std::vector<Graph *> graphs_;
  std::vector<std::unique_ptr<Transaction>> transactions_;
  std::optional<EditChecks> checks_;
  std::vector<uint64_t> lendings_; ///< handles that a pass keeps of a graph expire with its run
  bool isDone_ = false;
};

/// What the pass did wrong, to be followed by its target.
const char *verbOf(PassRecord::Failure failure) {
  switch (failure) {
  case PassRecord::Failure::InvalidGraph:
    return "left an invalid graph in";
  case PassRecord::Failure::Contradiction:
    return "leaves types that contradict each other in";
  case PassRecord::Failure::Refused:
    return "is refused on";
  case PassRecord::Failure::None:
  case PassRecord::Failure::Raised:
    break;
  }
  return "failed on";
}

Diagnostic failureOf(const Error &error, const PassRecord &record, const PassTarget &target) {
  Diagnostic failure;
  std::string message = error.message();
  if (!error.diagnostics().empty()) {
    const Diagnostic &first = error.diagnostics().front();
    failure = first;
    message = first.message;
    failure.notes.insert(failure.notes.end(), error.diagnostics().begin() + 1,
                         error.diagnostics().end());
  }
  failure.severity = Severity::Error;
  failure.message = cat("pass '", record.pass, "' ", verbOf(record.failure), " ", describe(target),
                        ": ", message);
  Diagnostic note;
  note.severity = Severity::Note;
  note.message = "what the pass had done is undone";
  failure.notes.push_back(std::move(note));
  return failure;
}

/// One run of a pipeline.
class PipelineExecution {
public:
  PipelineExecution(const PassInstrumentation &options, PassReport &report)
      : options_(options), report_(report), output_(options) {}

  void run(const std::vector<PipelineElement> &elements, const PassTarget &target,
           const std::vector<Diagnostic> &remarks) {
    report_ = PassReport();
    report_.remarks = remarks;
    Exclusive access(target, readsModule(elements));
    RunOptionsScope options(options_.options);
    RunMemory memory;
    if (options_.entered)
      options_.entered();
    RewriteObserver::Hook hook;
    if (options_.rewriting)
      hook = [this](const Rewrite &rewrite, uint64_t number) {
        options_.rewriting(report_.records.back(), rewrite, number);
      };
    RewriteObserver observer(options_.rewriteLimit, std::move(hook));
    observer_ = &observer;
    struct End {
      PipelineExecution &execution;
      ~End() { execution.end(); }
    } end{*this};
    output_.start(target);
    target_ = target;
    runAll(elements, target, "");
    if (options_.verify)
      verifyAtEnd();
    output_.finish(failures_ == 0);
  }

private:
  /// Reports errors without blaming a pass, because each pass left nothing wrong of its own.
  void verifyAtEnd() {
    if (!isAnyChanged_ || options_.verifyWhole ||
        known_.state(target_) == KnownGraphs::State::Sound)
      return;
    std::vector<Diagnostic> wrong =
        target_.module ? verify(*target_.module) : verify(target_.graph);
    if (wrong.empty())
      return;
    Diagnostic remark = std::move(wrong.front());
    remark.severity = Severity::Warning;
    remark.message =
        cat("after the run ", describe(target_), " is wrong, by no pass of it: ", remark.message,
            wrong.size() > 1 ? cat(" (and ", wrong.size() - 1, " more)") : "");
    report_.remarks.push_back(std::move(remark));
  }

  void end() {
    report_.seconds = secondsSince(start_);
    for (const PassRecord &record : report_.records)
      report_.changed |= record.outcome == PassRecord::Outcome::Changed;
    if (options_.leaving)
      options_.leaving();
  }

  /// Whether something changed.
  bool runAll(const std::vector<PipelineElement> &elements, const PassTarget &target,
              const std::string &where) {
    bool changed = false;
    for (const PipelineElement &element : elements)
      changed |= runOne(element, target, where);
    return changed;
  }

  bool runOne(const PipelineElement &element, const PassTarget &target, const std::string &where) {
    switch (element.kind) {
    case PipelineElement::Kind::Pass:
      return runPass(element, target, where);
    case PipelineElement::Kind::Alias:
      return runAll(element.children, target, inside(where, element.name));
    case PipelineElement::Kind::Nested:
      if (isPipelineAnchor(element.name))
        return runAll(element.children, target, inside(where, element.name));
      return runBodies(element, target, where);
    case PipelineElement::Kind::Fixpoint:
      break;
    }
    int64_t rounds = element.options.integer("max", kMaxRounds);
    for (int64_t round = 1; round <= rounds; ++round)
      if (!runAll(element.children, target, inside(where, cat("fixpoint#", round))))
        return round > 1;
    if (!report_.records.empty()) {
      Diagnostic remark;
      remark.severity = Severity::Warning;
      remark.message = cat("the fixpoint still changed something in round ", rounds,
                           "; give it {max=N}, or find the passes that undo each other");
      report_.records.back().remarks.push_back(std::move(remark));
    }
    return true;
  }

  static std::string inside(const std::string &where, std::string_view part) {
    return where.empty() ? std::string(part) : cat(where, "/", part);
  }

  /// The outermost nodes with the operator: a pass handles nested graphs itself.
  static void collect(Graph *graph, const OperatorName *op, std::vector<HandleRecord *> &bodies) {
    for (Node *node = graph->front(); node; node = node->next())
      for (Graph *body : node->subgraphs()) {
        if (node->op() == op)
          bodies.push_back(acquireHandle(body));
        else
          collect(body, op, bodies);
      }
  }

  bool runBodies(const PipelineElement &element, const PassTarget &target,
                 const std::string &where) {
    // Held by handles, because a pass may erase nodes that are still to be visited.
    struct Bodies {
      std::vector<HandleRecord *> all;
      ~Bodies() {
        for (HandleRecord *body : all)
          releaseHandle(body);
      }
    } bodies;
    for (Graph *graph : graphsOf(target))
      collect(graph, graph->context().operatorName(element.name), bodies.all);
    bool changed = false;
    for (HandleRecord *body : bodies.all)
      if (body->isAlive()) {
        auto *graph = static_cast<Graph *>(body->object);
        changed |= runAll(element.children, {nullptr, graph}, inside(where, element.name));
      }
    return changed;
  }

  bool runPass(const PipelineElement &element, const PassTarget &target, const std::string &where) {
    PassRecord &record = report_.records.emplace_back();
    record.pass = element.name;
    record.where = where;
    record.start = secondsSince(start_);
    bool isWanted = options_.bisectLimit < 0 || executions_ < options_.bisectLimit;
    if (isWanted && options_.before) {
      RewriteObserver::Pause pause;
      isWanted = options_.before(record);
    }
    if (!isWanted) {
      record.outcome = PassRecord::Outcome::Skipped;
      return false;
    }
    ++executions_;
    output_.before(target, record, element);
    attempt(element, target, record);
    if (options_.after) {
      RewriteObserver::Pause pause;
      options_.after(record);
    }
    if (record.outcome == PassRecord::Outcome::Failed) {
      ++failures_;
      if (isFatal_ || !options_.skipFailures)
        throw Error(ErrorKind::Pass, {record.error});
    }
    output_.after(target, record);
    return record.outcome == PassRecord::Outcome::Changed;
  }

  std::shared_ptr<Pass> make(const PipelineElement &element) {
    if (!element.info->isReused)
      return element.info->create(element.options);
    std::shared_ptr<Pass> &pass = made_[&element];
    if (!pass)
      pass = element.info->create(element.options);
    return pass;
  }

  void attempt(const PipelineElement &element, const PassTarget &target, PassRecord &record) {
    Context &context = target.module ? target.module->context() : target.graph->context();
    PassContext passContext(element.name);
    passContext.setTraced(options_.trace);
    Attempt edits(target);
    Clock::time_point start = Clock::now();
    std::optional<double> seconds;
    uint64_t rewrites = observer_->count();
    PassRecord::Failure fault = PassRecord::Failure::Raised; // if it fails now
    const KnownGraphs::State before = known_.state(target_);
    KnownGraphs::State after = before;
    try {
      {
        EditScope scope(context.identifier(element.name));
        std::shared_ptr<Pass> pass = element.object ? element.object : make(element);
        if (target.module)
          pass->run(*target.module, passContext);
        else
          pass->run(*target.graph, passContext);
      }
      seconds = secondsSince(start);
      bool changed = edits.hasChanged() || !passContext.doomed().empty();
      if (changed && options_.verify) {
        fault = PassRecord::Failure::InvalidGraph;
        after = edits.checks().checkStructure(options_.verifyWhole, before);
        if (before == KnownGraphs::State::Unknown && target_.module && !target.module)
          after = before; // the module has other graphs, which are unchanged
        edits.checks().checkDefinitions();
        if (!options_.acceptContradictions) {
          fault = PassRecord::Failure::Contradiction;
          edits.checks().checkTypes();
        }
      }
      if (changed && options_.accept) {
        fault = PassRecord::Failure::Refused;
        RewriteObserver::Pause pause;
        options_.accept(record);
      }
      edits.commit(passContext.doomed());
      known_.set(after, target_);
      isAnyChanged_ |= changed;
      record.outcome = changed ? PassRecord::Outcome::Changed : PassRecord::Outcome::Unchanged;
    } catch (const Error &error) {
      output_.failed(target, record);
      edits.rollback();
      known_.set(before, target_);
      record.outcome = PassRecord::Outcome::Failed;
      record.failure = fault;
      record.error = failureOf(error, record, target);
      isFatal_ = passContext.isFatal();
    } catch (const Interrupted &) {
      edits.rollback();
      record.outcome = PassRecord::Outcome::Failed;
      record.failure = PassRecord::Failure::Raised;
      record.error.message = cat("pass '", record.pass, "' was interrupted");
      record.seconds = secondsSince(start);
      throw;
    }
    record.seconds = seconds.value_or(secondsSince(start));
    record.rewrites = observer_->count() - rewrites;
    record.statistics = passContext.statistics();
    record.remarks = passContext.takeRemarks();
    record.traced = passContext.traced();
  }

  const PassInstrumentation &options_;
  PassReport &report_;
  PassOutput output_;
  RewriteObserver *observer_ = nullptr; ///< of the run
  std::unordered_map<const PipelineElement *, std::shared_ptr<Pass>> made_;
  Clock::time_point start_ = Clock::now();
  int64_t executions_ = 0;
  uint64_t failures_ = 0;
  bool isFatal_ = false;
  PassTarget target_;         ///< of the run
  KnownGraphs known_;         ///< of the graphs of the run
  bool isAnyChanged_ = false; ///< by a pass that was committed
};

/// A pass that is in no registry.
PipelineElement elementOf(std::shared_ptr<Pass> pass) {
  PipelineElement element;
  element.name = std::string(pass->name());
  element.object = std::move(pass);
  return element;
}

} // namespace

PassManager PassManager::parse(std::string_view text, const PassRegistry &registry) {
  PassManager manager;
  manager.elements_ = parsePipeline(text, registry);
  return manager;
}

void PassManager::addStage(std::string_view stage, const RunOptions &options,
                           const PassRegistry &registry) {
  for (const auto &info : passesOfStage(stage, options, registry, remarks_)) {
    PipelineElement element;
    element.name = info->name;
    if (!info->pipeline.empty()) {
      element.kind = PipelineElement::Kind::Alias;
      element.children = parsePipeline(info->pipeline, registry);
    }
    element.info = info;
    elements_.push_back(std::move(element));
  }
}

void PassManager::add(std::string_view text, const PassRegistry &registry) {
  std::vector<PipelineElement> more = parsePipeline(text, registry);
  std::move(more.begin(), more.end(), std::back_inserter(elements_));
}

void PassManager::add(std::shared_ptr<Pass> pass) {
  elements_.push_back(elementOf(std::move(pass)));
}

void PassManager::setOption(std::string_view name, std::string_view value) {
  ge::setOption(elements_, name, value);
}

std::string PassManager::str() const {
  std::string out;
  printPipeline(elements_, out);
  return out;
}

void PassManager::run(Module &module, const PassInstrumentation &options,
                      PassReport &report) const {
  // A copy: a pass may add to the manager that runs it.
  const std::vector<PipelineElement> elements = elements_;
  PipelineExecution(options, report).run(elements, {&module, nullptr}, remarks_);
}

void PassManager::run(Graph &graph, const PassInstrumentation &options, PassReport &report) const {
  const std::vector<PipelineElement> elements = elements_;
  PipelineExecution(options, report).run(elements, {nullptr, &graph}, remarks_);
}

} // namespace ge
