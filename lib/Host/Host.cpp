//===- Host.cpp - ge-c/Host.h ---------------------------------------------------------------------===//
//
// The state of the process (rounds, the bridge, active runs) is one object that is never destroyed,
// because exit handlers may use it in any order. Its lock protects these lists and is never held
// while foreign code runs or a thread waits for the GIL.
//
#include "ge-c/Host.h"

#include "EntryPoints.h"
#include "PythonLoader.h"
#include "Sized.h"

#include "ge-c/Plugin.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ge::host;

namespace {

struct PluginFailure {
  std::string origin, message;
};

/// One call of geHostRun...
struct Run {
  GeHost *host;
  uint64_t thread;
  int isCancelled = 0;   ///< read by the loops of the thread, through geSetThreadInterrupt
  size_t numCancels = 0; ///< calls of geHostCancel that are at work on it
};

} // namespace

struct GeHost {
  std::optional<std::string> pyPassPath, pyPassModules, pluginPath, python;
  bool withoutPython = false;
  // Below: under the lock of the process.
  bool isInRound = false;
  std::vector<PluginFailure> failures;
};

namespace {

class Process {
public:
  static Process &global() {
    static Process &the = *new Process();
    return the;
  }

  /// While one lives, nothing is unloaded. False: this thread is unloading.
  class Busy {
  public:
    explicit Busy(Run *run = nullptr) : run_(run), ok_(global().enter(run)) {}
    ~Busy() {
      if (ok_)
        global().leave(run_);
    }
    Busy(const Busy &) = delete;
    Busy &operator=(const Busy &) = delete;
    explicit operator bool() const { return ok_; }

  private:
    Run *run_;
    bool ok_;
  };

  GeStatus load(GeHost &host);
  GeStatus unload(GeHost &host);
  GeStatus shutdown(bool isExit = false);
  GeStatus cancel(const GeHost &host);
  void setCanceller(GeHookCanceller canceller, void *userData);
  void release(GeHost *host);

  void add(GeHost *host) {
    std::lock_guard lock(mutex_);
    hosts_.push_back(host);
  }
  /// Registers the shutdown as an exit handler. Exit handlers run in reverse order, and destructors
  /// of libraries are among them. Python must end before the destructors of its extension modules
  /// run, so this is called again after libraries were loaded.
  void atExit();
  PythonLoader &python() { return python_; }
  std::mutex &mutex() { return mutex_; }

private:
  bool enter(Run *run);
  void leave(Run *run);

  bool hasRound() const {
    return std::ranges::any_of(hosts_, [](const GeHost *host) { return host->isInRound; });
  }
  /// Whether nothing is at work; then nothing begins before end().
  bool begin() {
    if (busy_ || isEnding_)
      return false;
    isEnding_ = true;
    isUnloadDue_ = false; // this is it
    endingThread_ = pthread_self();
    return true;
  }
  void end() {
    std::lock_guard lock(mutex_);
    isEnding_ = false;
    changed_.notify_all();
  }
  /// Outside of the lock, between begin() and end(): Python first, whose objects may refer to what
  /// plugins registered.
  GeStatus unloadAll() {
    GeStatus python = python_.unload(), native = gePluginUnloadAll();
    return python ? python : native;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<GeHost *> hosts_;
  std::vector<Run *> runs_;
  std::vector<std::pair<GeHookCanceller, void *>> cancellers_;
  size_t busy_ = 0;
  bool isEnding_ = false, isUnloadDue_ = false;
  uint64_t numLoaded_ = 0; ///< when the last exit handler was set
  pthread_t endingThread_{};
  PythonLoader python_;
};

GeStatus busy(const char *what) {
  return fail(GE_ERROR_BUSY,
              std::string("plugins cannot be ") + what +
                  " while passes run or plugins load: wait for them, or cancel them");
}

bool Process::enter(Run *run) {
  std::unique_lock lock(mutex_);
  // What unloading runs (finalizers of Python) cannot wait for itself.
  if (isEnding_ && pthread_equal(endingThread_, pthread_self()))
    return false;
  changed_.wait(lock, [&] { return !isEnding_; });
  ++busy_;
  if (run)
    runs_.push_back(run);
  return true;
}

void Process::leave(Run *run) {
  {
    std::unique_lock lock(mutex_);
    if (run) {
      // Else its thread could be in another hook when the exception is set.
      changed_.wait(lock, [&] { return run->numCancels == 0; });
      std::erase(runs_, run);
    }
    --busy_;
    if (!isUnloadDue_ || hasRound() || !begin())
      return;
  }
  static_cast<void>(unloadAll());
  end();
}

/// Returns the option, or else the current value of the environment variable, or "".
std::string valueOf(const std::optional<std::string> &option, const char *variable) {
  if (option)
    return *option;
  const char *value = std::getenv(variable);
  return value ? value : "";
}

/// The paths of the option, then those of the environment variable; an empty option: none.
std::string pathsOf(const std::optional<std::string> &option, const char *variable) {
  std::string more = valueOf(std::nullopt, variable);
  if (!option || option->empty() || more.empty())
    return valueOf(option, variable);
  return *option + ":" + more;
}

std::string str(GeStringRef text) { return {text.data ? text.data : "", text.length}; }

/// Why a plugin failed to load, without its path, which PluginFailure has already.
std::string reasonOf(const GePluginInfo &info) {
  std::string text = str(info.error), start = "cannot load plugin '" + str(info.path) + "': ";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

/// Loads the plugins of the option, or else of the environment. A file that the option names must
/// exist and be a plugin; in directories and in the environment, other files are ignored.
GeStatus loadNative(const std::optional<std::string> &option,
                    std::vector<PluginFailure> &failures) {
  std::vector<std::string> named;
  for (size_t at = 0; option && at < option->size();) {
    size_t stop = std::min(option->find(':', at), option->size());
    if (stop > at)
      named.push_back(option->substr(at, stop - at));
    at = stop + 1;
  }
  struct Loading {
    const std::vector<std::string> &named;
    std::vector<PluginFailure> &failures;
  } loading{named, failures};
  for (const std::string &path : named)
    if (access(path.c_str(), F_OK))
      failures.push_back({path, std::strerror(errno)});
  return gePluginLoadPlaces(
      option ? option->c_str() : nullptr,
      [](const GePluginInfo *info, void *to) {
        auto &[named, failures] = *static_cast<Loading *>(to);
        std::string path = str(info->path);
        if (info->state == GE_PLUGIN_FAILED)
          failures.push_back({path, reasonOf(*info)});
        else if (info->state == GE_PLUGIN_FOREIGN && std::ranges::find(named, path) != named.end())
          failures.push_back({path, "it does not export gePluginInit; plugins of CANN's C++ "
                                    "interface are not supported"});
      },
      &loading);
}

GeStatus Process::load(GeHost &host) {
  Busy working;
  if (!working)
    return busy("loaded");
  {
    std::lock_guard lock(mutex_);
    host.isInRound = true;
    host.failures.clear();
  }
  std::vector<PluginFailure> failures;
  GeStatus status = GE_OK;
  std::string paths = pathsOf(host.pyPassPath, "ASCEND_GE_PY_PASS_PATH");
  std::string modules = valueOf(host.pyPassModules, "GE_PY_PASS_MODULES");
  const char *python = host.python ? host.python->c_str() : nullptr;
  // One list for native and Python plugins: hosts report both alike.
  status = loadNative(host.pluginPath, failures);
  auto isAsked = [&] {
    return !paths.empty() || !modules.empty() || (python && *python) || python_.isUp() ||
           hasPassEntryPoints(python);
  };
  if (status == GE_OK && !host.withoutPython && isAsked()) {
    status = python_.start(python);
    GePythonBridgeLoad request = {
        sizeof request, paths.c_str(), modules.c_str(),
        [](GeStringRef origin, GeStringRef message, void *to) {
          static_cast<std::vector<PluginFailure> *>(to)->push_back(
              {{origin.data, origin.length}, {message.data, message.length}});
        },
        &failures};
    if (status == GE_OK)
      status = python_.load(request);
    atExit();
  }
  std::lock_guard lock(mutex_);
  host.failures = std::move(failures);
  return status;
}

GeStatus Process::unload(GeHost &host) {
  {
    std::lock_guard lock(mutex_);
    if (!host.isInRound)
      return GE_OK;
    host.isInRound = false;
    if (hasRound())
      return GE_OK;
    if (!begin()) {
      host.isInRound = true;
      return busy("unloaded");
    }
  }
  GeStatus status = unloadAll();
  end();
  return status;
}

void Process::release(GeHost *host) {
  {
    std::lock_guard lock(mutex_);
    std::erase(hosts_, host);
    if (!host->isInRound || hasRound())
      return;
    if (!begin()) {
      isUnloadDue_ = true; // with the last run
      return;
    }
  }
  static_cast<void>(unloadAll());
  end();
}

/// How many libraries this process has loaded until now.
uint64_t numLoaded() {
  uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *out) {
        *static_cast<uint64_t *>(out) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

void Process::atExit() {
  uint64_t now = numLoaded();
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(numLoaded_, now) == now)
      return;
  }
  std::atexit([] { static_cast<void>(Process::global().shutdown(true)); });
}

GeStatus Process::shutdown(bool isExit) {
  {
    std::lock_guard lock(mutex_);
    if (!begin())
      return busy("shut down");
    for (GeHost *host : hosts_)
      host->isInRound = false;
  }
  GeStatus status = unloadAll();
  // At the exit, destructors of libraries that came after the handler have run already.
  bool mayEnd = !isExit || numLoaded() == numLoaded_;
  if (GeStatus ended = python_.shutdown(isExit, mayEnd))
    status = ended;
  end();
  return status;
}

GeStatus Process::cancel(const GeHost &host) {
  std::vector<Run *> cancelled;
  std::vector<uint64_t> threads;
  std::vector<std::pair<GeHookCanceller, void *>> cancellers;
  {
    std::lock_guard lock(mutex_);
    cancellers = cancellers_;
    cancelled.reserve(runs_.size());
    threads.reserve(runs_.size());
    // Later runs of the same thread are nested in this one.
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i]->host != &host && std::ranges::find(threads, runs_[i]->thread) == threads.end())
        continue;
      __atomic_store_n(&runs_[i]->isCancelled, 1, __ATOMIC_RELAXED);
      ++runs_[i]->numCancels;
      cancelled.push_back(runs_[i]);
      threads.push_back(runs_[i]->thread);
    }
  }
  GeStatus status = GE_OK;
  if (!threads.empty())
    for (const auto &[canceller, userData] : cancellers)
      if (GeStatus failed = canceller(threads.data(), threads.size(), userData))
        status = failed;
  std::lock_guard lock(mutex_);
  for (Run *run : cancelled)
    --run->numCancels;
  changed_.notify_all();
  return status;
}

void Process::setCanceller(GeHookCanceller canceller, void *userData) {
  std::lock_guard lock(mutex_);
  std::erase_if(cancellers_, [&](const auto &known) { return known.second == userData; });
  if (canceller)
    cancellers_.emplace_back(canceller, userData);
}

/// What every function is made of: no exception leaves it.
template <typename F> GeStatus withoutExceptions(const F &body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    geErrorSet(GE_ERROR_MEMORY, {"out of memory", 13});
    return GE_ERROR_MEMORY;
  } catch (...) {
    geErrorSet(GE_ERROR_INTERNAL, {"the host failed", 15});
    return GE_ERROR_INTERNAL;
  }
}

GeStatus null(const char *what) {
  return fail(GE_ERROR_TYPE, std::string(what) + " must not be NULL");
}

bool isCancelled(const Run &run) {
  return __atomic_load_n(&run.isCancelled, __ATOMIC_RELAXED) != 0;
}

/// A pass that takes no notice of being cancelled is the last one all the same.
GeStatus beforePass(const GePassRecord *, bool *, void *run) {
  return isCancelled(*static_cast<Run *>(run)) ? fail(GE_ERROR_INTERRUPTED, "cancelled") : GE_OK;
}

/// During its lifetime, loops of this thread poll whether the run is cancelled.
class Interruptible {
public:
  explicit Interruptible(const Run &run) : outer_(geSetThreadInterrupt(&run.isCancelled)) {}
  ~Interruptible() { geSetThreadInterrupt(outer_); }
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

private:
  const int *outer_;
};

template <typename Parse>
GeStatus run(GeHost *host, GeModule *module, const GePassOption *options, size_t numOptions,
             GePassReport **report, const Parse &parse) {
  if (!host)
    return null("host");
  if (!module)
    return null("module");
  Run state{host, uint64_t(pthread_self())};
  Process::Busy working(&state);
  if (!working)
    return busy("used");
  GePassManager *parsed = nullptr;
  GeStatus found = parse(&parsed);
  std::unique_ptr<GePassManager, void (*)(GePassManager *)> manager(parsed, gePassManagerDestroy);
  if (found)
    return found;
  GePassReport *filled = nullptr;
  if (report)
    if (GeStatus status = gePassReportCreate(&filled))
      return status;
  std::unique_ptr<GePassReport, void (*)(GePassReport *)> made(filled, gePassReportDestroy);
  GePassRunOptions settings;
  gePassRunOptionsInit(&settings, sizeof settings);
  settings.numOptions = numOptions;
  settings.options = options;
  settings.before = beforePass;
  settings.userData = &state;
  GeStatus status;
  GePythonInterrupt interrupt;
  {
    Interruptible interruptible(state);
    PythonLoader::Thread thread(Process::global().python());
    status = gePassManagerRunModule(manager.get(), module, &settings, filled);
    interrupt = thread.leave();
  }
  if (report)
    *report = made.release();
  if (Process::global().python().isUp())
    Process::global().atExit(); // hooks import what they need
  if (status && isCancelled(state))
    return fail(GE_ERROR_INTERRUPTED, "the run was cancelled; the pass that was running is undone");
  if (status && interrupt)
    return fail(GE_ERROR_INTERRUPTED,
                "SIGINT interrupted the run; the pass that was running is undone");
  if (interrupt == GE_PYTHON_LATE_INTERRUPT)
    std::raise(SIGINT); // with the host's action for it
  return status;
}

} // namespace

GeStatus geHostOpen(const GeHostOptions *options, GeHost **out) {
  return withoutExceptions([&] {
    if (!out)
      return null("out");
    GeHostOptions given = {};
    if (options && !readSized(options, given))
      return fail(GE_ERROR_VALUE, sizeMessage("GeHostOptions"));
    auto host = std::make_unique<GeHost>();
    auto set = [](std::optional<std::string> &member, const char *value) {
      if (value)
        member = value;
    };
    set(host->pyPassPath, given.pyPassPath);
    set(host->pyPassModules, given.pyPassModules);
    set(host->pluginPath, given.pluginPath);
    set(host->python, given.python);
    host->withoutPython = given.withoutPython;
    Process::global().add(host.get());
    *out = host.release();
    return GE_OK;
  });
}

GeStatus geHostLoadPlugins(GeHost *host) {
  return withoutExceptions([&] { return host ? Process::global().load(*host) : null("host"); });
}

size_t geHostNumLoadFailures(GeHost *host) {
  if (!host)
    return 0;
  std::lock_guard lock(Process::global().mutex());
  return host->failures.size();
}

GeStatus geHostGetLoadFailure(GeHost *host, size_t index, GeStringRef *origin,
                              GeStringRef *message) {
  return withoutExceptions([&] {
    if (!host || !origin || !message)
      return null(!host ? "host" : !origin ? "origin" : "message");
    std::lock_guard lock(Process::global().mutex());
    if (index >= host->failures.size())
      return fail(GE_ERROR_INDEX, "load failure " + std::to_string(index) +
                                      " is out of range; there are " +
                                      std::to_string(host->failures.size()));
    const PluginFailure &failure = host->failures[index];
    *origin = {failure.origin.data(), failure.origin.size()};
    *message = {failure.message.data(), failure.message.size()};
    return GE_OK;
  });
}

GeStatus geHostRunStage(GeHost *host, GeModule *module, GeStringRef stage,
                        const GePassOption *options, size_t numOptions, GePassReport **report) {
  return withoutExceptions([&] {
    return run(host, module, options, numOptions, report, [&](GePassManager **manager) {
      if (GeStatus status = gePassManagerParse({"", 0}, manager))
        return status;
      return gePassManagerAddStage(*manager, stage, options, numOptions);
    });
  });
}

GeStatus geHostRunPipeline(GeHost *host, GeModule *module, GeStringRef pipeline,
                           const GePassOption *options, size_t numOptions, GePassReport **report) {
  return withoutExceptions([&] {
    return run(host, module, options, numOptions, report,
               [&](GePassManager **manager) { return gePassManagerParse(pipeline, manager); });
  });
}

GeStatus geHostCancel(GeHost *host) {
  return withoutExceptions([&] { return host ? Process::global().cancel(*host) : null("host"); });
}

GeStatus geSetHookCanceller(GeHookCanceller canceller, void *userData) {
  return withoutExceptions([&] {
    Process::global().setCanceller(canceller, userData);
    return GE_OK;
  });
}

GeStatus geHostUnload(GeHost *host) {
  return withoutExceptions([&] { return host ? Process::global().unload(*host) : null("host"); });
}

GeStatus geHostShutdown(GeHost *host) {
  return withoutExceptions([&] { return host ? Process::global().shutdown() : null("host"); });
}

void geHostRelease(GeHost *host) {
  if (!host)
    return;
  static_cast<void>(withoutExceptions([&] {
    Process::global().release(host);
    return GE_OK;
  }));
  delete host;
}
