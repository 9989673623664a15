//===- Patterns.h - the objects behind ge-c/Patterns.h ----------------------------------------===//
#ifndef GE_LIB_CAPI_PATTERNS_H
#define GE_LIB_CAPI_PATTERNS_H

#include "Live.h"

#include "ge-c/Patterns.h"

#include "ge/Passes/Rewrite/Rewriter.h"

#include <atomic>

// C sees these by name only.

struct GePattern {
  std::shared_ptr<const ge::Pattern> pattern;
  std::atomic<uint32_t> refs{1};
};

/// A match passed to a condition or replacement function (live), or kept by a client.
struct GeMatch {
  GePattern *pattern = nullptr;
  const ge::Match *live = nullptr;
  mutable std::vector<ge::Node *> order; ///< of a live match, computed at first use
  // References of a kept match, by value, node and rest of the pattern; null where not bound.
  std::vector<ge::HandleRecord *> values, nodes, matched, constants;
  std::vector<std::vector<ge::HandleRecord *>> rests;
  std::vector<ge::AttrRef> variables;
  ge::HandleRecord *anchor = nullptr;

  GeMatch() = default;
  GeMatch(const GeMatch &) = delete;
  ~GeMatch();
  void keep(const ge::Match &match);
};

struct GeMatches {
  GePattern *pattern;
  std::vector<std::unique_ptr<GeMatch>> matches;
  ~GeMatches() { gePatternRelease(pattern); }
};

struct GeRule {
  ge::RewriteRule rule;
  GePattern *pattern;
  std::atomic<uint32_t> refs{1};
  ~GeRule() { gePatternRelease(pattern); }
};

namespace ge::capi {

/// Throws the error of a caller's function as an exception.
[[noreturn]] void throwFromCallback(GeStatus status);

/// Released once, with the last copy of a function.
std::shared_ptr<void> ownUserData(void *userData, void (*deleteUserData)(void *));

MatchOptions matchOptions(const GeMatchOptions *options);
/// `test` may be null: an empty function.
Matcher::Condition conditionOf(GePattern *pattern,
                               GeStatus (*test)(const GeMatch *, void *userData, bool *out),
                               void *userData);

} // namespace ge::capi

#endif // GE_LIB_CAPI_PATTERNS_H
