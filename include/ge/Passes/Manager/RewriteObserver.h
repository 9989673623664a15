//===- RewriteObserver.h - the rewrites of a run ----------------------------------------------===//
#ifndef GE_PASSES_MANAGER_REWRITEOBSERVER_H
#define GE_PASSES_MANAGER_REWRITEOBSERVER_H

#include "ge/IR/Node.h"

#include <functional>
#include <span>
#include <string_view>

namespace ge {

/// One rewrite. For a rule, reported when the replacement is built and nothing has been replaced
/// yet, so that the graph contains both the match and its replacement. For another pass, reported
/// without lists, when it has happened or is about to.
struct Rewrite {
  std::string_view rule;          ///< empty: it has no name
  std::string_view at;            ///< the node that it began at, by name
  Graph *graph = nullptr;         ///< null: there are no lists
  std::span<Node *const> matched; ///< in list order
  std::span<Node *const> made;
  std::span<Value *const> before; ///< what the match gives away
  std::span<Value *const> after;  ///< what replaces that; null where it has no uses
};

/// While it exists, counts the rewrites of its thread, stops them at a limit, and reports each to a
/// hook. Rewrites of a run inside a pass also count for the outer run, whose hook gets no lists of
/// them: they may be of a graph that it does not know.
class RewriteObserver {
public:
  using Hook = std::function<void(const Rewrite &, uint64_t number)>;
  /// `limit`: so many rewrites may happen; -1: any number.
  explicit RewriteObserver(int64_t limit = -1, Hook hook = {});
  ~RewriteObserver();
  RewriteObserver(const RewriteObserver &) = delete;
  RewriteObserver &operator=(const RewriteObserver &) = delete;
  /// Null: no observer.
  static RewriteObserver *ofThread();

  bool mayRewrite() const {
    return (limit_ < 0 || count_ < uint64_t(limit_)) && (!outer_ || outer_->mayRewrite());
  }
  /// Whether names and lists are wanted.
  bool isHeard() const { return hook_ || (outer_ && outer_->isHeard()); }
  /// Throws what hooks throw.
  void tell(const Rewrite &rewrite);
  uint64_t count() const { return count_; }

  /// Scope without an observer: what hooks rewrite is not a rewrite of the run.
  class Pause {
  public:
    Pause();
    ~Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    RewriteObserver *observer_;
  };

private:
  int64_t limit_;
  Hook hook_;
  uint64_t count_ = 0;
  RewriteObserver *outer_;
};

} // namespace ge

#endif // GE_PASSES_MANAGER_REWRITEOBSERVER_H
