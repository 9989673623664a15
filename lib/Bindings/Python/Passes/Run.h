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

/// Lives as long as `object`; python_error when it is not a str or holds a lone surrogate.
inline GeStringRef textOf(nb::handle object, const char *what) {
  GeStringRef text;
  if (!toText(object.ptr(), what, text))
    throw nb::python_error();
  return text;
}

inline nb::str newStr(GeStringRef text) { return nb::steal<nb::str>(checked(newText(text))); }

/// What a run of a pipeline in this process keeps: exceptions of Python, each with its execution.
class RunState {
public:
  /// Functions, or None.
  struct Hooks {
    nb::object before, after, sink, accept, rewriting;
  };
  explicit RunState(Hooks hooks);
  ~RunState() { current = outer_; }
  RunState(const RunState &) = delete;
  RunState &operator=(const RunState &) = delete;

  /// The run on this thread; null when a native program runs the pipeline.
  static RunState *ofThread() { return current; }
  /// Sets the functions of the table that call this object.
  void attach(GePassRunOptions &options);

  /// The exception being handled is what the pass fails with. The GIL is held.
  void keepFailure(nb::python_error &error);
  /// Raises what was kept of the latest execution, if anything was.
  void raiseFailure() const;
  /// None where execution `index` failed without one of Python.
  nb::object failureOf(size_t index) const;
  bool hasHookFailed() const { return hookFailed_; }
  /// Nothing in Python observes the passes and rewrites of the run: rules that call no Python need
  /// none.
  void setPlain(bool plain) { isPlain_ = plain; }
  bool isPlain() const { return isPlain_; }

private:
  static GeStatus beforePass(const GePassRecord *record, bool *run, void *self);
  static GeStatus afterPass(const GePassRecord *record, void *self);
  static GeStatus acceptPass(const GePassRecord *record, void *self);
  static GeStatus seeRewrite(const GePassRecord *record, const GeRewrite *rewrite, void *self);
  /// An exception of `before` or `after` ends the run.
  GeStatus failInHook(nb::python_error &error);
  static thread_local constinit RunState *current;

  Hooks hooks_;
  std::vector<nb::object> failures_;
  bool hookFailed_ = false;
  bool isPlain_ = false;
  std::optional<GilRelease> released_;
  RunState *outer_;
};

/// What is known of a pass, and what that refers to.
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
/// Changes the table of a pass so that its rules are applied without Python in a run that is plain,
/// where they call no Python: one rule, or those of a tuple that a function gives (None: not now).
/// The table owns a reference to them, too; on failure its `release` drops both.
void applyNatively(GePassTable &table, nb::handle rules);

/// Options of a run, or of a stage, from a mapping of texts.
std::vector<GePassOption> runOptionsOf(nb::handle given, std::vector<nb::object> &texts);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_PASSES_RUN_H
