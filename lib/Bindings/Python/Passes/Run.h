//===- Run.h - Python passes in native pipelines ----------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_PASSES_RUN_H
#define GE_BINDINGS_PYTHON_PASSES_RUN_H

#include "../IR/Convert.h"
#include "../IR/Errors.h"
#include "../IR/Gil.h"

#include "ge-c/Passes.h"

#include <optional>
#include <string>
#include <vector>

namespace ge::python {

/// Borrows from `object`. Throws python_error if it is not a str or contains a lone surrogate.
inline GeStringRef textOf(nb::handle object, const char *what) {
  GeStringRef text;
  if (!toText(object.ptr(), what, text))
    throw nb::python_error();
  return text;
}

inline nb::str newStr(GeStringRef text) { return nb::steal<nb::str>(checked(newText(text))); }

/// State of a run of a pipeline in this process: the Python exceptions, each with its execution.
class RunState {
public:
  /// Each is a function or None.
  struct Hooks {
    nb::object before, after, sink, accept, rewriting;
  };
  explicit RunState(Hooks hooks);
  ~RunState() { current = outer_; }
  RunState(const RunState &) = delete;
  RunState &operator=(const RunState &) = delete;

  /// The run on this thread; null if a native program runs the pipeline.
  static RunState *ofThread() { return current; }
  /// Sets the functions of the table that call this object.
  void attach(GePassRunOptions &options);

  /// The exception that is being handled becomes the failure of the pass. Requires the GIL.
  void keepFailure(nb::python_error &error);
  /// Raises the exception that was kept for the latest execution, if any.
  void raiseFailure() const;
  /// The Python exception of execution `index`, or None.
  nb::object failureOf(size_t index) const;
  /// Those of executions 0 to `count` as a list; None if there is no exception.
  nb::object failures(size_t count) const;
  bool hasHookFailed() const { return hookFailed_; }
  /// Sets whether no Python code observes the passes and rewrites of the run, so that rules
  /// without Python functions can run without Python.
  void setPlain(bool plain) { isPlain_ = plain; }
  bool isPlain() const { return isPlain_; }

private:
  static GeStatus beforePass(const GePassRecord *record, bool *run, void *self);
  static GeStatus afterPass(const GePassRecord *record, void *self);
  static GeStatus acceptPass(const GePassRecord *record, void *self);
  static GeStatus seeRewrite(const GePassRecord *record, const GeRewrite *rewrite, void *self);
  /// An exception raised by `before` or `after` ends the run.
  GeStatus failInHook(nb::python_error &error);
  static thread_local constinit RunState *current;

  Hooks hooks_;
  std::vector<nb::object> failures_;
  bool hookFailed_ = false;
  bool isPlain_ = false;
  std::optional<GilRelease> released_;
  RunState *outer_;
};

/// A description of a pass, and the storage that it refers to.
struct TableParts {
  GePassInfo info{};
  std::vector<nb::object> texts;
  std::vector<GePassOption> options;
  std::vector<GeStringRef> before, after;
};
/// A table for a pass of Python: `factory(options)` makes the instance of an execution, which is
/// called with graph (or module) and a PassRun. `info`: a dict of name, doc, kind, ... Owns a
/// reference to `factory`.
GePassTable tableOf(const nb::dict &info, const nb::object &factory, TableParts &parts);
/// Changes the table of a pass so that, in a run without Python observers, rules that call no
/// Python are applied without Python: one rule, or a tuple of rules that a function returns (None:
/// use Python this time). The table also owns references to the rules; on failure its `release`
/// drops both.
void applyNatively(GePassTable &table, nb::handle rules);

/// Options of a run, or of a stage, from a mapping of texts.
std::vector<GePassOption> runOptionsOf(nb::handle given, std::vector<nb::object> &texts);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_PASSES_RUN_H
