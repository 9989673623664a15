//===- Module.h - named graphs and model metadata ---------------------------------------------===//

#ifndef GE_IR_MODULE_H
#define GE_IR_MODULE_H

#include "ge/IR/Root.h"

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ge {

/// Reference-counted owner of root graphs in order. A handle into one of its graphs keeps it alive.
class Module {
public:
  static Module *create(Context &context, std::string_view name); ///< one reference, the caller's
  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  Context &context() const { return *context_; }
  std::string_view name() const { return name_; }
  void setName(std::string_view name);
  size_t numGraphs() const { return roots_.size(); }
  Graph *graph(size_t i) const { return roots_[i]->graph(); }
  Graph *find(std::string_view name) const; ///< null when absent; O(1)
  /// True when another root than `except` has the name, or can have it back by a rollback.
  bool isTaken(std::string_view name, const Root *except = nullptr) const;
  /// A new empty graph at the end. Error(Value) when the name is taken.
  Graph *addGraph(std::string_view name);
  /// The same in O(1), for who knows that the name is free.
  Graph *appendGraph(std::string_view name);
  /// Takes a root graph that no module owns, under its name; handles stay. Error(Value) otherwise,
  /// and inside a transaction.
  void adopt(Root &root);
  /// Gives the graph away: the caller gets one hold on its root.
  Root *detach(Graph *graph);
  /// Kills all handles into it. Error(Value) when it is not of this module.
  void erase(Graph *graph);

  const AttributeList &attributes() const { return attrs_; }
  void setAttribute(const Identifier *name, Attribute value); ///< an invalid attribute removes
  Module *clone() const;
  std::atomic<void *> &slot() { return slot_; } ///< the language binding's wrapper
  /// For the list of graphs, name and attributes; graphs have their own. Taken by the callers of
  /// everything here but retain and release.
  AccessWord &access() const { return access_; }

private:
  friend class Root;
  /// A graph of the module is called so, or no longer.
  void enter(Root &root, const std::string &subject);
  void leave(Root &root, const std::string &subject);
  explicit Module(Context &context) : context_(&context), interned_(context) {}
  ~Module();
  std::atomic<int64_t> refs_{1};
  ContextPtr context_;
  InternedSets interned_;
  std::string name_;
  std::vector<Root *> roots_;
  /// By all that their access words may say; a graph may be renamed while others are looked for.
  std::unordered_multimap<std::string, Root *> subjects_;
  mutable std::mutex subjectsLock_;
  Arena arena_;
  AttributeList attrs_;
  mutable AccessWord access_;
  std::atomic<void *> slot_{nullptr};
};

/// Scope of reading a module's list, name and attributes. Taken in serialized contexts too: for
/// work that lets go of the GIL.
class ModuleReadAccess {
public:
  explicit ModuleReadAccess(const Module &module) : access_(module.access()) {
    access_.acquireRead();
  }
  ~ModuleReadAccess() { access_.releaseRead(); }
  ModuleReadAccess(const ModuleReadAccess &) = delete;
  ModuleReadAccess &operator=(const ModuleReadAccess &) = delete;

private:
  AccessWord &access_;
};

} // namespace ge

#endif // GE_IR_MODULE_H
