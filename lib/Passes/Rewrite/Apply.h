//===- Apply.h - one match replaced -----------------------------------------------------------===//
#ifndef GE_LIB_PASSES_REWRITE_APPLY_H
#define GE_LIB_PASSES_REWRITE_APPLY_H

#include "ge/Passes/Manager/RewriteObserver.h"
#include "ge/Passes/Rewrite/Rewriter.h"

#include <unordered_set>
#include <vector>

namespace ge {

/// Puts new nodes in the place of matched ones, in one graph at a time. Once asked to, it keeps the
/// node list in a topological order.
class Applier {
public:
  explicit Applier(const RewriteOptions &options) : options_(options) {}
  void enter(Graph *graph);
  enum class Result : uint8_t { Replaced, Skipped, Cyclic };
  /// After Replaced, newNodes() are what came in.
  Result apply(const RewriteRule &rule, const Match &match);
  const std::vector<Node *> &newNodes() const { return stamped_.nodes; }

private:
  class Watch;
  /// What checkTypes() depends on: operators and types by their ids.
  struct SeenTypes {
    const RewriteRule *rule = nullptr;
    std::vector<uint32_t> ids;
    bool operator==(const SeenTypes &) const = default;
    struct Hash {
      size_t operator()(const SeenTypes &seen) const;
    };
  };
  struct Place {
    Node *before = nullptr;
    bool legal = true;
  };
  Place findPlace(const Match &match);
  bool clearWay(const std::unordered_set<const Node *> &needed, Node *last,
                std::vector<Node *> &after);
  void keepOrder();
  bool build(const RewriteRule &rule, const Match &match, Node *before);
  void checkBuilt(const RewriteRule &rule, const Match &match, const Replacement &built) const;
  void checkTypes(const RewriteRule &rule, const Match &match);
  bool checkOutputType(const RewriteRule &rule, uint32_t output, Value *from, Value *to);
  void tell(const RewriteRule &rule, const Match &match);
  void exchange(const RewriteRule &rule, const Match &match);
  void moveControl(const Match &match);
  void setOrigins(const RewriteRule &rule);
  std::vector<Node *> &newUsers(const Value *value);
  bool isMatched(const Node *node) const;
  bool isNew(const Node *node) const;

  const RewriteOptions &options_;
  RewriteObserver *observer_ = RewriteObserver::ofThread();
  Graph *graph_ = nullptr;
  bool ordered_ = false;
  std::vector<Node *> matched_; ///< in list order
  Template::Stamped stamped_;
  std::vector<Node *> users_;       ///< of newUsers
  std::vector<OriginView> origins_; ///< of the match
  std::vector<std::string> generatedNames_;
  SeenTypes types_;                                           ///< of the match that is applied
  std::unordered_set<SeenTypes, SeenTypes::Hash> knownTypes_; ///< those that agreed
  SeenTypes lastTypes_;                                       ///< the newest of them
  const RewriteRule *namedRule_ = nullptr;                    ///< whose name is
  const Identifier *ruleName_ = nullptr;
};

} // namespace ge

#endif // GE_LIB_PASSES_REWRITE_APPLY_H
