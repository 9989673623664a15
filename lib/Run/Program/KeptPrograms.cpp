//===- KeptPrograms.cpp - programs that are kept with their graphs ------------------------------===//
#include "ge/Run/Program/KeptPrograms.h"

#include "ge/IR/Module.h"
#include "ge/IR/Root.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/Opsets.h"
#include "ge/Support/ReleaseDelay.h"

#include <list>
#include <map>

namespace ge {

namespace {

/// Whether both have one owner.
template <typename A, typename B> bool isSame(const A &a, const B &b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

/// What a program was made from. Equal keys: the same program.
struct ProgramKey {
  /// Of the graph, and of the others of its module: its root and how often that has changed.
  std::vector<std::pair<uint64_t, uint64_t>> roots;
  std::vector<std::map<std::string, uint32_t, std::less<>>> opsets; ///< of each
  uint32_t opset = 0;
  uint64_t registrations = 0, inferrers = 0;
  std::weak_ptr<const RegionRunner> runner;

  ProgramKey(const Graph &graph, uint32_t opset)
      : opset(opset), registrations(Registry::global().generation()),
        inferrers(inferrerGeneration()), runner(regionRunner()) {
    add(graph);
    const Module *module = graph.module();
    for (size_t i = 0; module && i < module->numGraphs(); ++i)
      if (const Graph *other = module->graph(i); other != &graph)
        add(*other);
  }
  bool operator==(const ProgramKey &other) const {
    return roots == other.roots && opsets == other.opsets && opset == other.opset &&
           registrations == other.registrations && inferrers == other.inferrers &&
           isSame(runner, other.runner);
  }

private:
  void add(const Graph &graph) {
    roots.emplace_back(graph.root().id(), graph.root().changeCount());
    opsets.push_back(opsetsOf(&graph));
  }
};

struct KeptProgram {
  ProgramKey key;
  std::shared_ptr<Program> program; ///< null after it was dropped
  size_t bytes;
};

/// A program may hold objects of a runner or a kernel library, whose release functions must not run
/// in the middle of a change of a graph.
void destroyLater(void *program) { delete static_cast<KeptProgram *>(program); }
void releaseLater(KeptProgram *program) noexcept {
  auto *later = new (std::nothrow) ForeignRelease{destroyLater, program, nullptr};
  if (later)
    runOrDelay(later);
  else
    delete program;
}

/// All kept programs, the one that ran last first.
struct RecentPrograms {
  std::mutex lock;
  std::list<std::weak_ptr<KeptProgram>> order;
};
RecentPrograms &recent() {
  // Never destroyed: graphs of a host may outlive static objects.
  static RecentPrograms &only = *new RecentPrograms;
  return only;
}

constexpr size_t kMostPrograms = 64, kMostBytes = size_t(1) << 30;

size_t bytesOf(const Program &program) {
  size_t bytes = 0;
  for (const RunValue &constant : program.constants)
    if (const Tensor *tensor = constant ? tensorBehind(constant.get()) : nullptr)
      bytes += tensor->bytes().size();
  return bytes;
}

/// Puts a program first, and drops those that are too many or too large.
void note(const std::shared_ptr<KeptProgram> &used) {
  // Both are destroyed without the lock: that may call anything.
  std::vector<std::shared_ptr<KeptProgram>> held;
  std::vector<std::shared_ptr<Program>> gone;
  RecentPrograms &all = recent();
  std::lock_guard guard(all.lock);
  if (!all.order.empty() && isSame(all.order.front(), used))
    return; // it ran last: nothing was added
  held.push_back(used);
  for (const std::weak_ptr<KeptProgram> &one : all.order)
    if (std::shared_ptr<KeptProgram> kept = one.lock(); kept && kept != used)
      held.push_back(std::move(kept));
  all.order.clear();
  size_t bytes = 0;
  for (const std::shared_ptr<KeptProgram> &one : held) {
    bytes += one->bytes;
    if (one == used || (all.order.size() < kMostPrograms && bytes <= kMostBytes))
      all.order.emplace_back(one);
    else
      gone.push_back(std::move(one->program));
  }
}

/// The program that is kept with the graph, if its key is this one and no kernel of it is gone.
PinnedProgram find(const std::shared_ptr<KeptProgram> &kept, const ProgramKey &key) {
  if (!kept || kept->key != key)
    return {};
  PinnedProgram found;
  {
    std::lock_guard guard(recent().lock);
    found.program = kept->program;
  }
  if (!found.program)
    return {};
  for (const std::weak_ptr<const Kernel> &kernel : found.program->kernels)
    if (!found.kernels.emplace_back(kernel.lock()))
      return {};
  return found;
}

} // namespace

void dropKeptPrograms() {
  std::vector<std::shared_ptr<KeptProgram>> held; // destroyed without the lock
  std::vector<std::shared_ptr<Program>> gone;
  RecentPrograms &all = recent();
  std::lock_guard guard(all.lock);
  for (const std::weak_ptr<KeptProgram> &one : all.order)
    if (std::shared_ptr<KeptProgram> kept = one.lock()) {
      gone.push_back(std::move(kept->program));
      held.push_back(std::move(kept));
    }
  all.order.clear();
}

PinnedProgram keptProgramOf(const Graph &graph, uint32_t opset) {
  Root &root = graph.root();
  if (root.graph() != &graph) // a body: only programs of roots are kept
    return programOf(graph, opset);
  ProgramKey key(graph, opset);
  auto kept = std::static_pointer_cast<KeptProgram>(root.attachment());
  if (PinnedProgram found = find(kept, key); found.program) {
    note(kept);
    return found;
  }
  PinnedProgram made = programOf(graph, opset);
  kept = std::shared_ptr<KeptProgram>(
      new KeptProgram{std::move(key), made.program, bytesOf(*made.program)}, releaseLater);
  root.setAttachment(kept);
  note(kept);
  return made;
}

} // namespace ge
