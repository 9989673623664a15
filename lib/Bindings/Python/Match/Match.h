//===- Match.h - the objects of patterns ------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_MATCH_MATCH_H
#define GE_BINDINGS_PYTHON_MATCH_MATCH_H

#include "../IR/Errors.h"
#include "../Imported/Imported.h"

#include "ge-c/Patterns.h"

#include <nanobind/stl/string.h>

#include <memory>
#include <vector>

namespace ge::python {

struct PatternObject {
  GePattern *ref = nullptr;
  bool callsPython = false; ///< it has predicates
  PatternObject() = default;
  PatternObject(const PatternObject &) = delete;
  ~PatternObject() { gePatternRelease(ref); }
};

struct RuleObject {
  GeRule *ref = nullptr;
  bool callsPython = false; ///< it has a Python condition, replacement function or predicate
  RuleObject() = default;
  RuleObject(const RuleObject &) = delete;
  ~RuleObject() { geRuleRelease(ref); }
};

/// One match: borrowed for a hook (`match` becomes null afterwards), or an element of `all`.
struct MatchObject {
  const GeMatch *match;
  std::shared_ptr<GeMatches> all;
  PyObject *captures; ///< names of captured values, or null
  MatchObject() = default;
  MatchObject(const MatchObject &) = delete;
  ~MatchObject() { Py_XDECREF(captures); }
};

/// How the function of a condition or replacement is called: with the match, or with values by
/// parameter name.
struct Hook {
  nb::object function;
  bool takesMatch = true;
  std::vector<std::string> names;
  size_t matchAt = SIZE_MAX; ///< index of the parameter that takes the match itself
};

/// A match that is valid during a hook.
class BorrowedMatch {
public:
  BorrowedMatch(const GeMatch *match, nb::handle captures);
  ~BorrowedMatch();
  BorrowedMatch(const BorrowedMatch &) = delete;
  nb::handle get() const { return object_; }

private:
  nb::object object_;
};

/// Reads the arguments of the hook. Throws python_error.
nb::object callHook(const Hook &hook, const GeMatch *match, nb::handle captures);
/// Returns whether the current exception means that the match is skipped; if so, clears it.
bool takeSkip();
nb::object newMatch(std::shared_ptr<GeMatches> all, const GeMatch *match, nb::handle captures);

void populateMatchResults(nb::module_ &m);
void populateRules(nb::module_ &m);
void populateExplain(nb::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_MATCH_MATCH_H
