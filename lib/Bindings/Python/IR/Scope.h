//===- Scope.h - the enclosing `with` blocks ---------------------------------------------------===//
//
// One ContextVar holds one immutable scope (context, insertion point, location), so threads and
// asyncio tasks have their own. It is read only if a scope was ever entered in this process.
//
#ifndef GE_BINDINGS_PYTHON_IR_SCOPE_H
#define GE_BINDINGS_PYTHON_IR_SCOPE_H

#include "Objects.h"

namespace ge::python {

struct ScopeObject {
  PyObject *context;  ///< never null
  PyObject *point;    ///< null: none
  PyObject *location; ///< null: none
  PyObject *entered;  ///< the object of the `with` statement
  PyObject *outer;    ///< the enclosing scope; null: none
  PyObject *resumer;  ///< in a generator: the frame that resumed it at entry; else null
  ScopeObject() = default;
  ScopeObject(const ScopeObject &) = delete;
  ~ScopeObject() {
    Py_XDECREF(context);
    Py_XDECREF(point);
    Py_XDECREF(location);
    Py_XDECREF(entered);
    Py_XDECREF(outer);
    Py_XDECREF(resumer);
  }
};

inline bool anyScopeEntered = false;

/// The innermost scope, a new reference; null without an exception when there is none.
PyObject *currentScope();
/// Returns the context of the innermost scope, else the default context. The scope or the module
/// keeps it alive. Returns null with an exception.
GeContext *currentContext();
/// Returns `argument` if it is a Context, and the current context for null and None. Null with an
/// exception.
GeContext *resolveContext(PyObject *argument);
/// The default context's wrapper, made on first use. New reference.
PyObject *defaultContext();
/// Called when the wrapper is destroyed.
void forgetDefaultContext(PyObject *wrapper);
/// Location for new nodes in `context`: the argument (a Location or None), else the scope's, else
/// null.
bool resolveLocation(GeContext *context, PyObject *argument, GeLocation &out);

/// `with what:` for a Context, InsertionPoint or Location; gives back `what`, a new reference.
PyObject *enterScope(PyObject *what);
/// Fails if `what` is not the innermost scope, or if a generator would leak its scope into its
/// caller; returns null with an exception. The scope is removed in any case.
PyObject *exitScope(PyObject *what);
/// Slots __enter__ and __exit__ of the three.
extern PyMethodDef scopeEnter, scopeExit;

/// While `with trace_origins()` is active, marks the edits of this thread with the file and line of
/// the calling Python frame.
class TracedEdit {
public:
  explicit TracedEdit(GeContext *context) {
    if (tracing)
      pushed_ = begin(context);
  }
  explicit TracedEdit(const GeRef *ref) {
    if (tracing)
      pushed_ = begin(geRefGetContext(ref));
  }
  ~TracedEdit() {
    if (pushed_)
      geEditScopePop();
  }
  TracedEdit(const TracedEdit &) = delete;
  static inline int tracing = 0;

  /// Whether an origin was pushed, which geEditScopePop must remove.
  static bool begin(GeContext *context);

private:
  bool pushed_ = false;
};

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_SCOPE_H
