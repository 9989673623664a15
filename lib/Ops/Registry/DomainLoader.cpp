//===- DomainLoader.cpp - operators that are defined when their domain is met -----------------===//
#include "ge/Ops/Registry/DomainLoader.h"

#include "ge/Ops/Registry/Registry.h"
#include "ge/Support/StringUtil.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace ge {

namespace {

/// Limits the number of remembered domains, since a model can name any number.
constexpr size_t kMostDomains = 4096;

struct LoaderState {
  std::mutex lock; ///< never held while the loader runs
  std::shared_ptr<const DomainLoader> loader;
  /// Domains whose load has finished.
  std::unordered_set<std::string, StringHash, std::equal_to<>> asked;
  /// Domains that are being loaded, and the loading threads.
  std::unordered_map<std::string, std::thread::id> loading;
  uint64_t generation = 0; ///< of the loader
  std::atomic<bool> hasLoader{false};

  static LoaderState &get() {
    static auto *state = new LoaderState(); // a loader may be asked while the process ends
    return *state;
  }
};

/// Whether a domain is the core's own, for which the loader is not asked.
bool isOwnDomain(std::string_view domain) {
  return domain == "ge" || domain == "onnx" || domain == "math" || domain == "nn";
}

class DomainCollector {
public:
  void visit(const Graph &graph) {
    for (const Node *node = graph.front(); node; node = node->next()) {
      uint32_t id = node->opId();
      if (id >= seen_.size())
        seen_.resize(size_t(id) + 1);
      if (!seen_[id]) {
        seen_[id] = true;
        meet(*node->op());
      }
      for (const Graph *inner : node->subgraphs())
        visit(*inner);
    }
  }
  std::vector<std::string> take() { return std::move(domains_); }

private:
  void meet(const OperatorName &op) {
    std::string_view domain = op.domain();
    if (isOwnDomain(domain) || Registry::global().find(domain, op.type(), op.overload()))
      return;
    std::string name(domain);
    std::lock_guard guard(LoaderState::get().lock);
    if (!LoaderState::get().asked.contains(name) && known_.insert(name).second)
      domains_.push_back(std::move(name));
  }
  std::vector<bool> seen_; ///< by operator
  std::unordered_set<std::string> known_;
  std::vector<std::string> domains_;
};

} // namespace

void setDomainLoader(DomainLoader loader) {
  LoaderState &state = LoaderState::get();
  std::shared_ptr<const DomainLoader> made, old; // the old one is destroyed without the lock
  if (loader)
    made = std::make_shared<const DomainLoader>(std::move(loader));
  std::lock_guard guard(state.lock);
  old = std::exchange(state.loader, std::move(made));
  state.asked.clear();
  ++state.generation;
  state.hasLoader.store(bool(state.loader), std::memory_order_release);
}

bool hasDomainLoader() { return LoaderState::get().hasLoader.load(std::memory_order_acquire); }

bool mayLoadDomain(std::string_view domain) {
  if (!hasDomainLoader() || isOwnDomain(domain))
    return false;
  LoaderState &state = LoaderState::get();
  std::lock_guard guard(state.lock);
  return state.loader && state.asked.size() < kMostDomains && !state.asked.contains(domain);
}

std::vector<std::string> unmetDomains(const Graph &graph) {
  DomainCollector collector;
  collector.visit(graph);
  return collector.take();
}

std::vector<std::string> unmetDomains(const Module &module) {
  DomainCollector collector;
  for (size_t i = 0; i != module.numGraphs(); ++i)
    collector.visit(*module.graph(i));
  return collector.take();
}

void loadDomains(std::span<const std::string> domains) {
  LoaderState &state = LoaderState::get();
  for (const std::string &domain : domains) {
    std::shared_ptr<const DomainLoader> loader;
    uint64_t generation;
    bool isFirst;
    {
      std::lock_guard guard(state.lock);
      if (!state.loader || state.asked.size() >= kMostDomains || state.asked.contains(domain))
        continue;
      std::thread::id self = std::this_thread::get_id();
      auto [found, isNew] = state.loading.try_emplace(domain, self);
      if (!isNew && found->second == self)
        continue; // a package that is being loaded uses operators of its own domain
      isFirst = isNew;
      loader = state.loader;
      generation = state.generation;
    }
    struct Done {
      LoaderState &state;
      const std::string &domain;
      uint64_t generation;
      bool isFirst;
      ~Done() {
        if (!isFirst)
          return;
        std::lock_guard guard(state.lock);
        state.loading.erase(domain);
        if (generation == state.generation)
          state.asked.insert(domain);
      }
    } done{state, domain, generation, isFirst};
    (*loader)(domain);
  }
}

} // namespace ge
