//===- KnownContents.h - elements of shapes and small constants, all over a graph -------------===//
#ifndef GE_LIB_PASSES_BUILTIN_KNOWNCONTENTS_H
#define GE_LIB_PASSES_BUILTIN_KNOWNCONTENTS_H

#include "PassEditor.h"

#include <unordered_map>

namespace ge::builtin {

/// Contents of small results, which inference computes from shapes with symbols and from constants.
/// Nodes must be visited in topological order; erased nodes are forgotten.
class KnownContents final : public ContentsSource, MutationListener {
public:
  explicit KnownContents(PassEditor &rewriter);
  ~KnownContents() override;
  KnownContents(const KnownContents &) = delete;
  KnownContents &operator=(const KnownContents &) = delete;

  void visit(Node *node);
  const Contents *contents(const Value *value) override;

private:
  /// Large ones together take at most 64 MiB; beyond that they are not known.
  static constexpr size_t kMostElements = 1 << 22, kSmall = 16;
  void erased(Node *node) override;
  void forget(const Value *value);
  bool mayKeep(const Contents &contents);
  PassEditor &rewriter_;
  size_t kept_ = 0; ///< elements of large ones
  std::unordered_map<const Value *, std::optional<Contents>> known_;
};

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_KNOWNCONTENTS_H
